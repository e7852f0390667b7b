//! dnsmasq serves the boot waves, through a relay too, and a DHCP client asks on every node.

use crate::{lab_story, small};
use anyhow::{Context, Result, ensure};
use e2e::{
    lab::{
        Lab,
        machine::{Form, Machine, file_of, files},
    },
    readers::{DESIGN, read_by, run, tool},
    root,
};
use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
};

#[test]
fn every_node_gets_its_address_in_its_wave() {
    lab_story("dnsmasq", &["dnsmasq", "BusyBox"], |dir| {
        waves(&small(dir)?, dir, |lab, pe, file| Server::dnsmasq(lab, pe, file, dir))?;
        read_by("dnsmasq", DESIGN, &["dnsmasq"])?;
        read_by("BusyBox", DESIGN, &["dnsmasq"])
    });
}

/// Boots all nodes in their waves. `serve` starts the server or a relay on a node, which has that file of the export `dnsmasq`.
pub fn waves(
    machine: &Machine,
    dir: &Path,
    serve: impl Fn(&Lab, u32, &Path) -> Result<Server>,
) -> Result<()> {
    let configurations = files(&machine.export("dnsmasq", "")?)?;
    ensure!(configurations.len() == 2, "a server and a relay: {configurations:?}");
    for file in &configurations {
        run(tool("dnsmasq").arg("--test").arg("-C").arg(file))?;
    }
    let scripts = files(&machine.export(Form::Script.name(), "")?)?;
    let lab = Lab::up(machine.cables().to_vec())?;
    let table = machine.table("boot", "")?;
    let mut servers = Vec::new();
    for wave in ["0", "1", "2"] {
        let asking: Vec<&Vec<String>> = table.iter().filter(|line| line[0] == wave).collect();
        ensure!(!asking.is_empty(), "no wave {wave}: {table:?}");
        for line in asking {
            let pe: u32 = line[1].parse()?;
            if wave != "0" {
                handshake(&lab, line, dir)?;
            }
            let name = format!("node{pe:03}.conf");
            if let Some(file) = configurations.iter().find(|file| file.ends_with(&name)) {
                machine.run(&lab, pe, file_of(&scripts, pe)?, "apply --force")?;
                servers.push(serve(&lab, pe, file)?);
            }
        }
    }
    let booted = table.iter().filter(|line| !["0", "never"].contains(&line[0].as_str()));
    ensure!(booted.count() == 7 && servers.len() == 2, "{table:?}");
    Ok(())
}

/// A node asks for its address: wave, node, name, NIC, switch, MAC address, address, and the node that answers or relays.
fn handshake(lab: &Lab, line: &[String], dir: &Path) -> Result<()> {
    let [_, pe, name, ni, switch, mac, address, asks] = line else { anyhow::bail!("{line:?}") };
    let answer = dir.join(format!("answer-{name}"));
    let client = root().join("e2e/tests/tools/dhcp.sh");
    let shell = format!(
        "ip link set eth{ni} down; ip link set eth{ni} address {mac} up\n\
         busybox udhcpc -f -q -n -t 10 -T 1 -i eth{ni} -s '{}' 2>&1",
        client.display()
    );
    lab.on(pe.parse()?, &shell, &[("ANSWER", &answer)])?;
    let got = fs::read_to_string(&answer)?;
    let asked: u32 = asks.parse()?;
    let router = format!("10.{switch}.0.{}", asked + 1);
    let expected = format!("boot_file=pxelinux.0\nhostname={name}\nip={address}\nmask=16\nrouter={router}\n");
    ensure!(got == expected, "{name} got\n{got}and not\n{expected}");
    Ok(())
}

/// A server or relay on a node; it ends with this value.
pub struct Server(Child);

impl Server {
    pub fn of(command: &mut Command) -> Result<Server> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Ok(Server(child.with_context(|| format!("{command:?}"))?))
    }

    /// dnsmasq, after the commands of its file.
    pub fn dnsmasq(lab: &Lab, pe: u32, file: &Path, dir: &Path) -> Result<Server> {
        lab.on(pe, &format!("sed -n 's/^# run: //p' '{}' | sh", file.display()), &[])?;
        let mut command = lab.enter(pe, Path::new("dnsmasq"));
        command.arg("-C").arg(file).args(["--keep-in-foreground", "--user=root", "--pid-file"]);
        command.arg(format!("--dhcp-leasefile={}", dir.join(format!("leases-{pe}")).display()));
        Server::of(&mut command)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
