//! Substitutes for 802.1Q interfaces and VLAN-filtering bridges, for lab kernels without them: a folder of programs that come
//! before the real ones in the path of scripts. Tags on the wire are real.

mod object;

use super::{
    next_prefix,
    shell::{batch, command, done, ip},
};
use anyhow::Result;
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};
use tempfile::TempDir;

/// The number of the interface whose frames are tagged: the NI of every host.
pub const NI_NUMBER: u32 = 100;
/// The end of a VLAN's pair where tags are put on has this number plus the VLAN's.
const TAG_NUMBERS: u32 = 10000;

/// Reason why there is no stand-in; `None` if there is.
pub fn obstacle() -> Option<String> {
    let works = command("nft").arg("-v").output().is_ok_and(|out| out.status.success());
    if !works {
        return Some("there is no nft; e2e/setup.sh installs it".to_owned());
    }
    let probe = format!("{}-probe", next_prefix());
    let made = probed(&probe);
    // An error means that it was not created.
    let _ = ip(&["netns", "del", &probe]);
    made.err().map(|error| {
        format!("the kernel takes no BPF programs of tc or no bridge rules of nftables: {error:#}")
    })
}

/// Tests the kernel features that the stand-ins need, in a namespace of its own.
fn probed(name: &str) -> Result<()> {
    let folder = TempDir::new()?;
    fill(folder.path())?;
    ip(&["netns", "add", name])?;
    ip(&["-n", name, "link", "add", "name", "eth0", "type", "veth", "peer", "name", "eth1"])?;
    let at = folder.path().display();
    let filter = format!("filter add dev eth0 ingress bpf da obj {at}/tag.o sec pop");
    batch("tc", &["-n", name], ["qdisc add dev eth0 clsact".to_owned(), filter])?;
    let rules = format!("{at}/vlans.nft");
    done(command("ip").args(["netns", "exec", name, "nft", "-f", &rules]).output()?).map(drop)
}

/// Fills the folder.
///
/// # Errors
/// If it cannot be written.
pub fn fill(folder: &Path) -> Result<()> {
    fs::write(folder.join("tag.o"), object::object(NI_NUMBER, TAG_NUMBERS))?;
    fs::write(folder.join("vlans.nft"), include_str!("standin/vlans.nft"))?;
    for (name, text) in [("ip", include_str!("standin/ip.sh")), ("bridge", include_str!("standin/bridge.sh"))]
    {
        let path = folder.join(name);
        fs::write(&path, text)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// The path in which the stand-ins come first.
pub fn path(folder: &Path) -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{}:{path}:/usr/sbin:/sbin", folder.display())
}
