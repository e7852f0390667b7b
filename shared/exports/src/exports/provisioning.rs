//! First boot of nodes: cloud-init, Ignition and Butane, with the network that other exports write.
//!
//! cloud-init has the files of `netplan` or `rdma-netplan`. Fedora CoreOS has NetworkManager and no networkd, and NetworkManager has
//! no permanent neighbours. So Ignition and Butane have the script of `multipath` with its unit, or the keyfiles of
//! `rdma-networkmanager`. Both write version 3.3.0 of Ignition's configuration, which every Ignition since 2.11 reads.

use super::{
    AVOID, DesignPlan, ExportError, FAILED, FOLDER, FileScope, FileSink, FileType, Format, Group, INTERFACE,
    NETWORK, Render, Setting, WriteResult, ansible,
    bundle::slug,
    dns::FORM,
    networkd::{self, NiMatch, may_name},
    parts::{HARDWARE_PATHS, MACS},
    permissions, rdma, scripts,
    switches::MTU,
    ways::THROUGH,
};
use serde_json::json;
use std::fmt::{self, Write as _};

const SETTINGS: &[&Setting] =
    &[&FORM, &NETWORK, &AVOID, &INTERFACE, &FAILED, &THROUGH, &MACS, &HARDWARE_PATHS, &MTU];

pub(super) const CLOUD_INIT: Format =
    Format::new(Group::Boot, "cloud-init", "cloud-init", FOLDER, Render::Files(cloud_init))
        .read_by(&["cloud-init 22.4", "netplan 0.106"])
        .purpose("cloud-init files per node: name, network configuration version 2 and kernel settings")
        .per(FileScope::Node)
        .with(SETTINGS);

/// A file of a node.
struct NodeFile {
    /// Path without a slash at its beginning.
    path: String,
    text: String,
}

impl NodeFile {
    fn new(path: &str, text: &str) -> NodeFile {
        NodeFile { path: path.into(), text: text.into() }
    }

    /// Permissions in octal digits.
    fn mode(&self) -> String {
        format!("{:04o}", permissions(&self.path))
    }
}

/// The files that a renderer hands over.
fn collect(render: impl FnOnce(&mut FileSink) -> WriteResult) -> Result<Vec<NodeFile>, ExportError> {
    let mut files = Vec::new();
    render(&mut |path, text| {
        files.push(NodeFile::new(path, text));
        Ok(())
    })?;
    Ok(files)
}

/// Writes a text as a literal block of YAML.
fn block(out: &mut String, indent: usize, text: &str) {
    for line in text.lines() {
        if !line.is_empty() {
            out.push_str(&" ".repeat(indent));
            out.push_str(line);
        }
        out.push('\n');
    }
}

fn cloud_init(plan: &DesignPlan, pe: u32, each: &mut FileSink) -> WriteResult {
    let netplan = if plan.settings.get(&FORM) { rdma::netplan } else { networkd::netplan };
    let files = collect(|each| netplan(plan, pe, each))?;
    let (network, others): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|file| file.path.starts_with("etc/netplan/"));
    let (host, title) = (plan.pe_name(pe), plan.title());
    let mut user = format!("#cloud-config\n# {host} in {title}.\nhostname: {host}\nwrite_files:\n");
    for file in &others {
        writeln!(user, "  - path: /{}\n    permissions: '{}'\n    content: |", file.path, file.mode())?;
        block(&mut user, 6, &file.text);
    }
    user.push_str("runcmd:\n");
    if others.iter().any(|file| file.path.ends_with(".link")) {
        user.push_str(
            "  - [udevadm, control, --reload]\n  - [udevadm, trigger, --action=add, --subsystem-match=net, --settle]\n",
        );
    }
    // The network is up before the files are written.
    user.push_str("  - [networkctl, reload]\n  - [systemctl, restart, systemd-sysctl.service]\n");
    each("user-data", &user)?;
    let instance = format!("{}-{host}-{}", slug(&plan.spec.name), plan.revision());
    each("meta-data", &format!("instance-id: {instance}\nlocal-hostname: {host}\n"))?;
    network.iter().try_for_each(|file| each("network-config", &file.text))
}

/// Name of the unit that sets up the network.
const UNIT: &str = "crosspoint-network.service";

/// The files of a node for Fedora CoreOS, and whether a unit runs a script of them at every boot.
fn tree(plan: &DesignPlan, pe: u32) -> Result<(Vec<NodeFile>, bool), ExportError> {
    let host = plan.pe_name(pe);
    let mut files = vec![NodeFile::new("etc/hostname", &format!("{host}\n"))];
    if plan.settings.get(&FORM) {
        files.extend(collect(|each| rdma::network_manager(plan, pe, each))?);
        return Ok((files, false));
    }
    may_name(plan)?;
    let mut names = Vec::new();
    for (ni, _) in plan.working_nis(pe)? {
        let (name, about) = (plan.interface(ni), format!("# NIC {ni} of {host} in {}.\n", plan.title()));
        let found = NiMatch::by(plan, pe, ni)?;
        files.extend(collect(|each| rdma::write_link(&found, &name, &about, each))?);
        names.push(format!("interface-name:={name}"));
    }
    let about = format!("# The script of {host} sets up these NICs.\n");
    let unmanaged = format!("{about}[keyfile]\nunmanaged-devices={}\n", names.join(";"));
    files.push(NodeFile::new("etc/NetworkManager/conf.d/90-crosspoint.conf", &unmanaged));
    let mut script = String::new();
    scripts::multipath(plan, pe, &mut script)?;
    files.push(NodeFile::new("usr/local/sbin/crosspoint-network", &script));
    Ok((files, true))
}

pub(super) const IGNITION: Format = Format::new(
    Group::Boot,
    "ignition",
    "Ignition for Fedora CoreOS",
    ("application/json", "ign"),
    Render::Text(ignition),
)
.read_by(&["Ignition 2.14"])
.purpose("Ignition configuration per node, version 3.3.0, for Fedora CoreOS: name and network")
.per(FileScope::Node)
.with(SETTINGS);

fn ignition(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let (files, has_unit) = tree(plan, pe)?;
    let files: Vec<_> = files
        .iter()
        .map(|file| {
            let source = format!("data:,{}", percent(&file.text));
            json!({"path": format!("/{}", file.path), "mode": permissions(&file.path), "overwrite": true, "contents": {"source": source}})
        })
        .collect();
    let mut configuration = json!({"ignition": {"version": "3.3.0"}, "storage": {"files": files}});
    if has_unit {
        configuration["systemd"] =
            json!({"units": [{"name": UNIT, "enabled": true, "contents": ansible::UNIT}]});
    }
    writeln!(out, "{configuration:#}")?;
    Ok(())
}

/// Text in a URL (RFC 3986).
fn percent(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // A String takes everything.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

const BUTANE_FILE: FileType = ("application/yaml", "bu");

pub(super) const BUTANE: Format =
    Format::new(Group::Boot, "butane", "Butane for Fedora CoreOS", BUTANE_FILE, Render::Text(butane))
        .read_by(&["Butane 0.29.0"])
        .purpose("Butane configuration per node, variant fcos 1.4.0, for Fedora CoreOS: the same as ignition")
        .per(FileScope::Node)
        .with(SETTINGS);

fn butane(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let (files, has_unit) = tree(plan, pe)?;
    let mut text = format!(
        "# {} in {}.\nvariant: fcos\nversion: 1.4.0\nstorage:\n  files:\n",
        plan.pe_name(pe),
        plan.title()
    );
    for file in &files {
        writeln!(
            text,
            "    - path: /{}\n      mode: {}\n      overwrite: true\n      contents:\n        inline: |",
            file.path,
            file.mode()
        )?;
        block(&mut text, 10, &file.text);
    }
    if has_unit {
        write!(text, "systemd:\n  units:\n    - name: {UNIT}\n      enabled: true\n      contents: |\n")?;
        block(&mut text, 8, ansible::UNIT);
    }
    Ok(out.write_str(&text)?)
}
