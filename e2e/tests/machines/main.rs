//! Exported files on machines that boot: Debian 12 in QEMU, without hardware help. `make site-check` runs it, and prints how long
//! each step took.
//!
//! In [`mesh`], one machine carries a mesh or torus with VLANs in namespaces. Elsewhere, three nodes and three switches are machines;
//! a cable joins an interface of one and of another. Nodes 0 and 1 share two switches, nodes 1 and 2 one, and nodes 0 and 2 none.
//! Switches set themselves up by their `linux-switch` scripts.

mod mesh;

use anyhow::{Context, Result, bail, ensure};
use e2e::{
    lab::machine::{self as exports, file_of, files},
    story, target_dir,
};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

const SPEC: &str = "pes = 3\nnis_per_pe = 3\nobjective = \"sparse\"\n[[switch]]\nports = 3\ncount = 3\n[[pattern]]\nkind = \"ring\"\n";
const WIRING: &str = "0: 0 1\n1: 0 1\n2: 1 2\n";
/// PCI slot of the first NIC.
const FIRST_SLOT: u32 = 8;

/// Reason why no machine can boot here.
fn obstacle() -> Option<String> {
    let is_absent = |program: &&str| {
        !Command::new(program).arg("--version").output().is_ok_and(|out| out.status.success())
    };
    let absent = ["qemu-system-x86_64", "mmdebstrap", "cpio"].into_iter().find(is_absent)?;
    Some(format!("there is no {absent}; e2e/setup.sh --machines installs it"))
}

/// The folder of the kernel and of the files of all machines, made once for each version of its script.
fn image() -> Result<PathBuf> {
    let folder = target_dir().join("e2e/machine");
    let script = e2e::root().join("e2e/tests/machines/image.sh");
    let (used, text) = (folder.join("image.sh"), fs::read(&script)?);
    if fs::read(&used).ok().as_ref() != Some(&text) {
        let began = Instant::now();
        run(Command::new("sh").arg(&script).arg(&folder))?;
        fs::write(used, text)?;
        eprintln!("made the image in {} s", began.elapsed().as_secs());
    }
    Ok(folder)
}

fn run(command: &mut Command) -> Result<String> {
    let out = command.output().with_context(|| format!("{command:?}"))?;
    let said = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    ensure!(out.status.success(), "{command:?}: {said}");
    Ok(said)
}

/// A machine that boots or has booted; it ends with this value.
struct Booted {
    name: String,
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// A NIC: its permanent MAC address, and the sockets of both ends of its cable.
struct Nic {
    mac: String,
    sockets: [PathBuf; 2],
}

impl Booted {
    /// Boots the image with the files of a folder on top.
    fn start(name: &str, files: &Path, nics: &[Nic], dir: &Path) -> Result<Booted> {
        let (image, initrd) = (image()?, dir.join(format!("{name}.cpio")));
        let own = "(cd \"$1\" && find . -print0 | cpio --null --create --format=newc --quiet --owner=0:0) | cat \"$2\" - >\"$3\"";
        run(Command::new("sh").args(["-c", own, "sh"]).arg(files).arg(image.join("root.cpio")).arg(&initrd))?;
        let mut qemu = Command::new("qemu-system-x86_64");
        qemu.args([
            "-accel",
            "tcg",
            "-cpu",
            "max",
            "-m",
            "640",
            "-smp",
            "2",
            "-display",
            "none",
            "-nodefaults",
        ]);
        qemu.arg("-kernel").arg(image.join("vmlinuz")).arg("-initrd").arg(&initrd);
        qemu.args(["-append", "console=ttyS0 quiet net.ifnames=0 no_timer_check panic=-1", "-no-reboot"]);
        qemu.arg("-serial").arg(format!("file:{}", dir.join(format!("{name}.console")).display()));
        qemu.args(["-chardev", "stdio,id=lab,signal=off", "-serial", "chardev:lab"]);
        for (number, Nic { mac, sockets: [own, other] }) in nics.iter().enumerate() {
            let (own, other, slot) = (own.display(), other.display(), FIRST_SLOT as usize + number);
            qemu.arg("-netdev").arg(format!(
                "dgram,id=n{number},local.type=unix,local.path={own},remote.type=unix,remote.path={other}"
            ));
            // QEMU reads slots as hexadecimal numbers.
            qemu.arg("-device")
                .arg(format!("virtio-net-pci,netdev=n{number},mac={mac},addr={slot:x},romfile="));
        }
        let errors = fs::File::create(dir.join(format!("{name}.errors")))?;
        let mut process = qemu.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors).spawn()?;
        let (input, output) =
            (process.stdin.take().context("input")?, process.stdout.take().context("output")?);
        Ok(Booted { name: name.to_owned(), process, input, output: BufReader::new(output) })
    }

    /// Waits for the shell.
    fn is_up(&mut self) -> Result<()> {
        let mut line = String::new();
        while line != "ready\n" {
            line.clear();
            ensure!(self.output.read_line(&mut line)? > 0, "{} did not boot", self.name);
        }
        Ok(())
    }

    /// Runs a shell command as root.
    fn on(&mut self, shell: &str) -> Result<String> {
        writeln!(self.input, "{{ {shell}\n}} </dev/null 2>&1; code=$?; echo; echo \"ended $code\"")?;
        self.input.flush()?;
        let mut said = String::new();
        loop {
            let mut line = String::new();
            ensure!(self.output.read_line(&mut line)? > 0, "{} ended: {said}", self.name);
            match line.strip_prefix("ended ") {
                Some("0\n") => return Ok(said),
                Some(code) => bail!("on {}: {shell} ended with {code}{said}", self.name),
                None => said.push_str(&line),
            }
        }
    }

    /// Repeats a command until it succeeds, for up to two minutes.
    fn until(&mut self, shell: &str) -> Result<String> {
        let began = Instant::now();
        loop {
            match self.on(shell) {
                Err(why) if began.elapsed() > Duration::from_secs(120) => return Err(why),
                Err(_) => std::thread::sleep(Duration::from_secs(1)),
                said => return said,
            }
        }
    }
}

impl Drop for Booted {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The permanent MAC address of a NIC of a node, or of a port of a switch.
fn mac(kind: u32, number: u32, nic: u32) -> String {
    format!("52:54:00:{kind:02x}:{number:02x}:{nic:02x}")
}

/// The setting `macs` of all NICs.
fn macs(machine: &exports::Machine) -> String {
    let one =
        |cable: &e2e::lab::Cable| format!("node{}.nic{}={}", cable.pe, cable.ni, mac(0, cable.pe, cable.ni));
    format!("macs={}", machine.cables().iter().map(one).collect::<Vec<_>>().join(" "))
}

/// Boots the nodes with the files below `nodes`/node000 and so on, and the switches.
fn boot(machine: &exports::Machine, nodes: &Path, dir: &Path) -> Result<Vec<Booted>> {
    let began = Instant::now();
    let sockets = dir.join("sockets");
    fs::create_dir(&sockets)?;
    let cables = machine.cables();
    let ends =
        |pe: u32, ni: u32| [sockets.join(format!("pe{pe}n{ni}")), sockets.join(format!("to-pe{pe}n{ni}"))];
    let mut booted = Vec::new();
    for pe in 0..3 {
        let own = cables.iter().filter(|cable| cable.pe == pe);
        let nics: Vec<_> = own.map(|c| Nic { mac: mac(0, pe, c.ni), sockets: ends(pe, c.ni) }).collect();
        let name = format!("node{pe:03}");
        booted.push(Booted::start(&name, &nodes.join(&name), &nics, dir)?);
    }
    let scripts = dir.join("linux-switch");
    machine.export_to(&scripts, "linux-switch", &["flow-control=none"])?;
    for (switch, script) in (0..).zip(files(&scripts)?) {
        let name = format!("sw{switch:02}");
        let links = dir.join(&name).join("etc/systemd/network");
        fs::create_dir_all(&links)?;
        fs::copy(script, dir.join(&name).join("etc/switch.sh"))?;
        let members = cables.iter().filter(|cable| cable.switch == switch);
        let mut nics = Vec::new();
        for (port, cable) in (1..).zip(members) {
            let [far, own] = ends(cable.pe, cable.ni);
            let text =
                format!("[Match]\nPermanentMACAddress={}\n[Link]\nName=swp{port}\n", mac(1, switch, port));
            fs::write(links.join(format!("10-swp{port}.link")), text)?;
            nics.push(Nic { mac: mac(1, switch, port), sockets: [own, far] });
        }
        // The port without a cable.
        let idle = [sockets.join(format!("{name}-idle")), sockets.join(format!("{name}-nobody"))];
        let text = format!("[Match]\nPermanentMACAddress={}\n[Link]\nName=swp3\n", mac(1, switch, 3));
        fs::write(links.join("10-swp3.link"), text)?;
        nics.push(Nic { mac: mac(1, switch, 3), sockets: idle });
        booted.push(Booted::start(&name, &dir.join(&name), &nics, dir)?);
    }
    for one in &mut booted {
        one.is_up()?;
    }
    for switch in &mut booted[3..] {
        switch.until("udevadm settle && [ -e /sys/class/net/swp3 ]")?;
        switch.on("modprobe bridge; sh /etc/switch.sh")?;
    }
    eprintln!("booted {} machines in {} s", booted.len(), began.elapsed().as_secs());
    Ok(booted)
}

/// Checks that nodes with one address each reach each other over the switches of their routes.
fn check_routed(booted: &mut [Booted], machine: &exports::Machine) -> Result<()> {
    let names = fs::read_to_string(machine.export("names", "")?)?;
    let words =
        names.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_whitespace().collect());
    let hosts: Vec<Vec<&str>> =
        words.filter(|words: &Vec<_>| words.iter().any(|w| w.starts_with("node"))).collect();
    let [first, second, third] = &hosts[..] else { bail!("{names}") };
    let [first, second, third] = [first[0], second[0], third[0]];
    for (pe, others) in [(0, [second, third]), (1, [first, third]), (2, [first, second])] {
        for other in others {
            booted[pe].until(&format!("ping -c 1 -W 2 {other}"))?;
        }
    }
    // Two switches join nodes 0 and 1; node 2 is behind node 1.
    let routes = booted[0].on("ip route show")?;
    let to = |of: &str| -> String {
        let lines: Vec<&str> = routes.lines().collect();
        let at = lines.iter().position(|line| line.starts_with(&format!("{of} "))).unwrap_or(lines.len());
        let rest = lines[at..].iter().enumerate();
        rest.take_while(|(n, line)| *n == 0 || line.starts_with(char::is_whitespace))
            .map(|(_, l)| *l)
            .collect()
    };
    // A neighbour's route names the neighbour itself, or only the NIC.
    for (other, via) in [(second, ""), (third, &*format!("via {second} "))] {
        let route = to(other);
        let over = ["ni0", "ni1"].iter().all(|ni| route.contains(&format!("{via}dev {ni}")));
        ensure!(over, "node 0 to {other}: {route}\n{routes}");
    }
    let got = booted[2].on(&format!("ip route get {first}"))?;
    ensure!(got.contains(&format!("via {second} dev ni0")), "node 2 to node 0: {got}");
    // The kernel settings are set as NICs appear, under the names that they get.
    let settings = booted[1]
        .on("cd /proc/sys/net/ipv4; cat fib_multipath_hash_policy conf/ni*/rp_filter conf/ni*/forwarding")?;
    ensure!(settings.split_whitespace().collect::<String>() == "1222111", "{settings}");
    // Only sw02 joins nodes 1 and 2.
    let carried = booted[5].on("cat /sys/class/net/swp1/statistics/rx_packets")?;
    ensure!(carried.trim() != "0", "nothing came over sw02");
    Ok(())
}

/// Boots the nodes with a form, and checks them.
fn form(
    dir: &Path,
    format: &str,
    with: &[&str],
    check: impl Fn(&mut [Booted], &exports::Machine) -> Result<()>,
) -> Result<()> {
    let machine = exports::Machine::wired(dir, SPEC, WIRING)?;
    let (nodes, macs) = (dir.join("nodes"), macs(&machine));
    let with: Vec<&str> =
        with.iter().map(|&setting| if setting == "macs" { &macs } else { setting }).collect();
    machine.export_to(&nodes, format, &with)?;
    let mut booted = boot(&machine, &nodes, dir)?;
    let began = Instant::now();
    check(&mut booted, &machine)?;
    eprintln!("{format}: checked in {} s", began.elapsed().as_secs());
    Ok(())
}

#[test]
#[ignore = "minutes; run by `make site-check`"]
fn networkd_sets_up_nodes_as_they_boot() {
    story("networkd on booted machines", obstacle(), |dir| {
        form(dir, "networkd", &["interface=ni", "macs"], check_routed)
    });
}

/// The hardware paths of NICs.
fn paths() -> String {
    let one = |ni: u32| format!("pci-0000:00:{:02x}.0", FIRST_SLOT + ni);
    format!("paths={}", (0..3).map(one).collect::<Vec<_>>().join(" "))
}

#[test]
#[ignore = "minutes; run by `make site-check`"]
fn rdma_networkd_sets_up_nodes_as_they_boot() {
    story("rdma-networkd on booted machines", obstacle(), |dir| {
        form(dir, "rdma-networkd", &["interface=ni", &paths()], |booted, machine| {
            for cable in machine.cables() {
                let others = machine.cables().iter().filter(|c| c.switch == cable.switch && c.pe != cable.pe);
                for other in others {
                    let [own, to] = [cable, other].map(|end| format!("10.{}.0.{}", end.switch, end.pe + 1));
                    let node = &mut booted[cable.pe as usize];
                    node.until(&format!("ping -c 1 -W 2 -M do -s 8972 -I {own} {to}"))?;
                    let got = node.on(&format!("ip route get {to} from {own}"))?;
                    let over = format!("dev ni{} table {}", cable.ni, 1000 + cable.ni);
                    ensure!(got.contains(&over), "{own} to {to}: {got}");
                    let settings = node.on(&format!(
                        "cd /proc/sys/net/ipv4/conf/ni{}; cat arp_ignore arp_announce rp_filter",
                        cable.ni
                    ))?;
                    ensure!(settings.split_whitespace().collect::<String>() == "122", "{own}: {settings}");
                }
            }
            Ok(())
        })
    });
}

#[test]
#[ignore = "minutes; run by `make site-check`"]
fn the_service_of_the_playbook_sets_up_nodes_as_they_boot() {
    story("the service on booted machines", obstacle(), |dir| {
        let machine = exports::Machine::wired(dir, SPEC, WIRING)?;
        let playbook = machine.export("ansible", "")?;
        let scripts = dir.join("scripts");
        machine.export_to(&scripts, "multipath", &["interface=ni"])?;
        let nodes = dir.join("nodes");
        for pe in 0..3 {
            // As the playbook installs them; links name the NICs.
            let node = nodes.join(format!("node{pe:03}"));
            for folder in
                ["etc/systemd/network", "etc/systemd/system/multi-user.target.wants", "usr/local/sbin"]
            {
                fs::create_dir_all(node.join(folder))?;
            }
            let (program, unit) =
                ("usr/local/sbin/crosspoint-network", "etc/systemd/system/crosspoint-network.service");
            fs::copy(file_of(&files(&scripts)?, pe)?, node.join(program))?;
            run(Command::new("chmod").arg("755").arg(node.join(program)))?;
            fs::copy(playbook.join("crosspoint-network.service"), node.join(unit))?;
            let wanted = node.join("etc/systemd/system/multi-user.target.wants/crosspoint-network.service");
            std::os::unix::fs::symlink(format!("/{unit}"), wanted)?;
            fs::write(node.join("etc/hostname"), format!("node{pe:03}\n"))?;
            for cable in machine.cables().iter().filter(|cable| cable.pe == pe) {
                let text = format!(
                    "[Match]\nPermanentMACAddress={}\n[Link]\nName=ni{}\n",
                    mac(0, pe, cable.ni),
                    cable.ni
                );
                fs::write(node.join(format!("etc/systemd/network/10-ni{}.link", cable.ni)), text)?;
            }
        }
        let mut booted = boot(&machine, &nodes, dir)?;
        for node in &mut booted[..3] {
            node.until("systemctl is-active crosspoint-network").with_context(|| node.name.clone())?;
        }
        check_routed(&mut booted, &machine)
    });
}
