//! What nodes say of their neighbours, held against a wiring.

use shared::{
    analysis::{
        audit::{Audit, Cable, MisplacedCable, MissingCable, Uplink, audit, audit_infiniband, is_infiniband},
        hops::audit_hops,
    },
    demand::trace::{self, Hop},
    design::{Design, GivenGuids, Guids, Names, table},
    spec::names::Interfaces,
};

/// Three PEs with two NIs on three switches.
const TABLE: &str = "0: 0 1\n1: 0 2\n2: 1 2\n";

fn design() -> Design {
    table::parse(TABLE, 3).unwrap()
}

fn names() -> Names {
    Names::new(3, 3)
}

fn read(text: &str) -> Audit {
    audit(&design(), &names(), &[], text).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"))
}

fn told(audit: &Audit) -> String {
    let mut text = String::new();
    audit.write(&names(), &mut text).unwrap();
    text
}

/// One neighbour as `lldpctl -f keyvalue` tells of it.
fn key_value(interface: &str, neighbour: &str, port: &str) -> String {
    format!(
        "lldp.{interface}.via=LLDP\nlldp.{interface}.rid=1\nlldp.{interface}.age=0 day, 00:01:02\n\
         lldp.{interface}.chassis.mac=0c:00:00:00:00:01\nlldp.{interface}.chassis.name={neighbour}\n\
         lldp.{interface}.chassis.descr=Linux 6.1 on node002=sw01\nlldp.{interface}.port.ifname={port}\n\
         lldp.{interface}.port.descr={port}\nlldp.{interface}.vlan.vlan-id=1\n"
    )
}

/// What three PEs say, each after a line from `heading`, NI by NI, each with its switch and port.
fn three(heading: impl Fn(u32) -> String, neighbours: [[(&str, &str); 2]; 3]) -> String {
    let mut text = String::new();
    for (pe, nis) in (0..).zip(neighbours) {
        text += &heading(pe);
        for (ni, (switch, port)) in nis.into_iter().enumerate() {
            text += &key_value(&format!("eth{ni}"), switch, port);
        }
    }
    text
}

#[test]
fn a_node_whose_command_failed_has_not_reported() {
    let right = three(|pe| format!("node{pe:03}\n"), RIGHT);
    let (two, _) = right.split_once("node002\n").unwrap();
    for failure in [
        "node002: bash: lldpctl: command not found\n",
        "pdsh@mgmt: node002: ssh exited with exit code 255\n",
        "node002: ssh: connect to host node002 port 22: No route to host\n",
        "node002 | UNREACHABLE! => {\n",
        "node002: 2026-01-01T00:00:00 [WARN/control] unable to connect to socket /run/lldpd.socket\n",
    ] {
        let audit = read(&format!("{two}{failure}"));
        assert_eq!((audit.right, audit.missing.len(), audit.unheard.len()), (4, 0, 2), "{failure}");
    }
}

const RIGHT: [[(&str, &str); 2]; 3] = [
    [("sw00", "swp1"), ("sw01", "swp1")],
    [("sw00", "swp2"), ("sw02", "swp1")],
    [("sw01", "swp2"), ("sw02", "swp2")],
];

#[test]
fn a_machine_that_is_wired_as_designed_holds_whoever_speaks_before() {
    let headings: [fn(u32) -> String; 6] = [
        |pe| format!("root@node00{pe}:~# lldpctl -f keyvalue\n"),
        |pe| format!("[root@node00{pe} ~]# lldpctl -f keyvalue\n"),
        |pe| format!("\nnode{pe}.cluster.example.org\n"),
        |pe| format!("==> out/PE00{pe}.txt <==\n"),
        |pe| format!("node00{pe} | CHANGED | rc=0 >>\n"),
        |pe| format!("---------------\nnode00{pe}\n---------------\n"),
    ];
    for heading in headings {
        let audit = read(&three(heading, RIGHT));
        assert!(audit.holds(), "{}: {audit:?}", heading(0));
        assert_eq!((audit.cables, audit.right, audit.other_port), (6, 6, 0), "{}", heading(0));
        assert!(audit.strangers.is_empty(), "{audit:?}");
    }
}

#[test]
fn names_in_front_of_every_line_tell_who_speaks() {
    let text = three(|pe| format!("#{pe}\n"), RIGHT);
    let mut pe = 0;
    let prefixed: String = text
        .lines()
        .filter_map(|line| match line.strip_prefix('#') {
            Some(number) => {
                pe = number.parse().unwrap();
                None
            }
            None => Some(format!("node00{pe}: {line}\n")),
        })
        .collect();
    assert!(read(&prefixed).holds());
}

/// `pdsh` prints lines as they come, those of all nodes mixed.
#[test]
fn lines_of_several_nodes_may_be_mixed() {
    let json: Vec<String> = RIGHT.iter().map(|nis| json(nis)).collect();
    let values: Vec<String> = RIGHT
        .iter()
        .map(|nis| {
            (0..).zip(nis).map(|(ni, (switch, port))| key_value(&format!("eth{ni}"), switch, port)).collect()
        })
        .collect();
    for outputs in [json, values] {
        let most = outputs.iter().map(|text| text.lines().count()).max().unwrap();
        let mixed: String = (0..most)
            .flat_map(|at| {
                outputs.iter().enumerate().filter_map(move |(pe, text)| Some((pe, text.lines().nth(at)?)))
            })
            .map(|(pe, line)| format!("node00{pe}: {line}\n"))
            .collect();
        let audit = read(&mixed);
        assert!(audit.holds() && audit.strangers.is_empty(), "{audit:?}\n{mixed}");
    }
}

#[test]
fn swapped_cables_are_told_with_both_ends_as_they_are_and_as_they_should_be() {
    // PE 0's second and PE 2's first NI are on the same switch; PE 0's first and PE 2's second have changed places.
    let mut wired = RIGHT;
    (wired[0][0], wired[2][1]) = (RIGHT[2][1], RIGHT[0][0]);
    let audit = read(&three(|pe| format!("node00{pe}:\n"), wired));
    let expected = [
        MisplacedCable {
            cable: Cable { pe: 0, ni: 0, switch: 0, port: 1 },
            switch: 2,
            port: Some(2),
            swapped_with: Some((2, 1)),
        },
        MisplacedCable {
            cable: Cable { pe: 2, ni: 1, switch: 2, port: 2 },
            switch: 0,
            port: Some(1),
            swapped_with: Some((0, 0)),
        },
    ];
    assert_eq!(audit.wrong, expected);
    assert_eq!((audit.right, audit.holds()), (4, false));
    let text = told(&audit);
    let line = "swapped: node000 NIC0 is on sw02 port 2; it belongs on sw00 port 1, where node002 NIC1 is\n";
    assert!(text.starts_with("4 of 6 cables are where the design says\n") && text.contains(line), "{text}");
}

#[test]
fn two_nis_of_one_pe_are_a_pair_before_others_are() {
    let mut wired = RIGHT;
    wired[1].swap(0, 1);
    let audit = read(&three(|pe| format!("node00{pe}:\n"), wired));
    let pairs: Vec<_> = audit.wrong.iter().map(|w| (w.cable.pe, w.cable.ni, w.swapped_with)).collect();
    assert_eq!(pairs, [(1, 0, Some((1, 1))), (1, 1, Some((1, 0)))]);
}

#[test]
fn another_port_of_the_same_switch_is_no_fault() {
    let mut wired = RIGHT;
    wired[0][0].1 = "swp3";
    let audit = read(&three(|pe| format!("node00{pe}:\n"), wired));
    assert!(audit.holds());
    assert_eq!(audit.other_port, 1);
    let text = told(&audit);
    assert!(text.contains("1 of them on another port") && text.contains("set port in [names]"), "{text}");
}

#[test]
fn what_nobody_saw_is_missing_where_somebody_spoke_and_unheard_elsewhere() {
    let text =
        format!("node000\n{}\nroot@node001:~# lldpctl -f keyvalue\n", key_value("eth0", "sw00", "swp1"));
    let audit = read(&text);
    let missing: Vec<_> = audit.missing.iter().map(|m| (m.cable.pe, m.cable.ni)).collect();
    let unheard: Vec<_> = audit.unheard.iter().map(|c| (c.pe, c.ni)).collect();
    assert_eq!((audit.right, missing, unheard), (1, vec![(0, 1), (1, 0), (1, 1)], vec![(2, 0), (2, 1)]));
    let text = told(&audit);
    assert!(text.contains("missing: node000 NIC1: no neighbour seen; it belongs on sw01 port 1\n"), "{text}");
    assert!(
        text.contains("because neither end reported: 2 cables\n  node002: NIC0 to sw01 NIC1 to sw02\n"),
        "{text}"
    );
}

#[test]
fn cables_and_neighbours_outside_the_design_are_told_with_their_lines() {
    let text = three(|pe| format!("node00{pe}:\n"), RIGHT);
    let more =
        format!("node000\n{}{}", key_value("eth5", "sw02", "swp3"), key_value("eno1", "core1", "ge-0/0/1"));
    let lines = text.lines().count();
    let audit = read(&(text + &more));
    assert_eq!((audit.right, audit.holds()), (6, false));
    assert_eq!(
        (audit.extra[0].line, audit.extra[0].switch, audit.strangers[0].line),
        (lines + 2, 2, lines + 11)
    );
    let text = told(&audit);
    assert!(text.contains("node000 eth5 is on sw02 port 3; the design has no such cable"), "{text}");
    assert!(text.contains("node000 eno1 sees core1"), "{text}");
}

#[test]
fn hosts_elsewhere_are_told_if_they_are_on_a_switch_of_the_design() {
    let prefixed =
        |host: &str, text: &str| text.lines().map(|line| format!("{host}: {line}\n")).collect::<String>();
    let text = three(|pe| format!("node00{pe}:\n"), RIGHT);
    let lines = text.lines().count();
    let login = prefixed("login1", &key_value("eth5", "sw02", "swp3"))
        + &prefixed("login1", &key_value("eno1", "core1", "1"));
    let audit = read(&(text + &login));
    assert_eq!((audit.right, audit.extra.len(), audit.strangers.len()), (6, 0, 1), "{audit:?}");
    let line = format!("outside the design: line {}: login1 eth5 sees sw02\n", lines + 1);
    assert!(told(&audit).contains(&line), "{}", told(&audit));
}

#[test]
fn a_nic_that_sees_a_stranger_has_one_line() {
    let mut wired = RIGHT;
    wired[0][1] = ("core1", "ge-0/0/1");
    let audit = read(&three(|pe| format!("node00{pe}:\n"), wired));
    assert_eq!((audit.right, audit.missing.len(), audit.strangers.len()), (5, 1, 0), "{audit:?}");
    assert_eq!(audit.missing[0].neighbour(), Some("core1"));
    let unnamed = MissingCable { sees: Some((String::new(), 1)), ..audit.missing[0].clone() };
    assert_eq!(unnamed.neighbour(), Some("an unnamed neighbour"));
    let text = told(&audit);
    let line =
        "missing: node000 NIC1: line 11: it sees core1, outside the design; it belongs on sw01 port 1\n";
    assert!(text.contains(line), "{text}");
}

#[test]
fn two_nics_on_one_port_are_impossible() {
    let mut wired = RIGHT;
    wired[1][0].1 = "swp1";
    let audit = read(&three(|pe| format!("node00{pe}:\n"), wired));
    assert_eq!((audit.right, audit.holds()), (6, false));
    let text = told(&audit);
    let line = "impossible: node000 eth0, node001 eth0 are all on port swp1 of sw00; a report is old";
    assert!(text.contains(line), "{text}");
    // Cheap switches give one address for all ports, and both ends of a cable may report it.
    let of_mac = wired.map(|nis| nis.map(|(switch, _)| (switch, "0c:00:00:00:00:01")));
    assert!(read(&three(|pe| format!("node00{pe}:\n"), of_mac)).holds());
    let other_end = format!("sw00:\n{}", key_value("swp1", "node000", "0c:00:00:00:00:07"));
    assert!(read(&(three(|pe| format!("node00{pe}:\n"), RIGHT) + &other_end)).holds());
}

#[test]
fn the_number_of_rows_below_a_table_is_no_neighbour() {
    let text = "sw00# show lldp table\n\
        LocalPort    RemoteDevice    RemotePortID    Capability\n\
        -----------  --------------  --------------  ------------\n\
        swp1         node000           eth0            O\n\
        swp2         node001           eth0            O\n\
        --------------------------------------------------\n\
        Total entries displayed:  2\n";
    let audit = read(text);
    assert_eq!((audit.right, audit.strangers.len(), audit.extra.len()), (2, 0, 0), "{audit:?}");
}

#[test]
fn nis_of_other_names_are_known_by_their_switch() {
    let text =
        three(|pe| format!("node00{pe}:\n"), RIGHT).replace("eth0", "enp3s0").replace("eth1", "enp4s0f1");
    assert!(read(&text).holds());
    let interfaces = Interfaces::parse("ib").unwrap();
    let text = three(|pe| format!("node00{pe}:\n"), RIGHT).replace("eth", "ib");
    let by_name = audit(&design(), &names().with(Some(&interfaces), None), &[], &text).unwrap();
    assert!(by_name.holds());
}

#[test]
fn plain_output_is_read() {
    let block = |interface: &str, neighbour: &str, port: &str| {
        format!(
            "-------------------------------------------------------------------------------\n\
             Interface:    {interface}, via: LLDP, RID: 1, Time: 0 day, 00:03:09\n  Chassis:     \n    \
             ChassisID:    mac 0c:00:00:00:00:01\n    SysName:      {neighbour}\n    SysDescr:     Debian, as node002\n    \
             Capability:   Bridge, on\n  Port:        \n    PortID:       ifname {port}\n    PortDescr:    {port}\n    \
             TTL:          120\n"
        )
    };
    let mut text = String::new();
    for (pe, nis) in RIGHT.iter().enumerate() {
        text += &format!("node00{pe}# lldpctl\n-----\nLLDP neighbors:\n");
        for (ni, (switch, port)) in nis.iter().enumerate() {
            text += &block(&format!("eth{ni}"), switch, port);
        }
    }
    let audit = read(&text);
    assert!(audit.holds() && audit.other_port == 0, "{audit:?}");
}

/// `lldpctl -f json` of one node: an object where there is one interface, a list where there are more.
fn json(nis: &[(&str, &str)]) -> String {
    let one = |(ni, (switch, port)): (usize, &(&str, &str))| {
        format!(
            "{{ \"eth{ni}\": {{ \"via\": \"LLDP\", \"rid\": \"1\", \"chassis\": {{ \"{switch}\": {{ \"id\": {{ \"type\": \
             \"mac\", \"value\": \"0c:00:00:00:00:01\" }}, \"descr\": \"a }} brace and a \\\" quote\" }} }}, \"port\": \
             {{ \"id\": {{ \"type\": \"ifname\", \"value\": \"{port}\" }}, \"descr\": \"{port}\", \"ttl\": \"120\" }} }} }}"
        )
    };
    let all: Vec<String> = nis.iter().enumerate().map(one).collect();
    match &all[..] {
        [one] => format!("{{\n  \"lldp\": {{\n \"interface\": {one}\n }}\n}}\n"),
        more => format!("{{\n  \"lldp\": {{\n \"interface\": [\n{}\n ]\n }}\n}}\n", more.join(",\n")),
    }
}

#[test]
fn json_of_many_nodes_is_read() {
    let text: String = RIGHT
        .iter()
        .enumerate()
        .map(|(pe, nis)| format!("root@node00{pe}:~# lldpctl -f json\n{}", json(nis)))
        .collect();
    assert!(read(&text).holds());
    let one = read(&format!("node000\n{}", json(&RIGHT[0][..1])));
    assert_eq!((one.right, one.missing.len()), (1, 1));
    // One document with all nodes in it.
    let all: Vec<String> =
        RIGHT.iter().enumerate().map(|(pe, nis)| format!("\"node00{pe}\": {}", json(nis))).collect();
    assert!(read(&format!("{{{}}}", all.join(","))).holds());
    // json0 has lists everywhere.
    let json0 = "node000\n{\"lldp\":[{\"interface\":[{\"name\":\"eth1\",\"via\":\"LLDP\",\"chassis\":[{\"id\":[{\"type\":\"mac\",\
        \"value\":\"0c:00:00:00:00:01\"}],\"name\":[{\"value\":\"sw01\"}]}],\"port\":[{\"id\":[{\"type\":\"local\",\
        \"value\":\"swp1\"}],\"descr\":[{\"value\":\"swp1\"}]}]}]}]}\n";
    assert_eq!(read(json0).right, 1);
}

/// What lldpd 1.0.16 of Debian 12 printed on two PEs and two switches, each PE's NI 0 on switch 0 and NI 1 on switch 1.
#[test]
fn what_lldpd_prints_is_read_in_all_its_formats() {
    let design = table::parse("0: 0 1\n1: 0 1\n", 2).unwrap();
    let names = Names::new(2, 2);
    for (format, text) in [
        ("plain", include_str!("lldp/lldpd-1.0.16-plain.txt")),
        ("keyvalue", include_str!("lldp/lldpd-1.0.16-keyvalue.txt")),
        ("json", include_str!("lldp/lldpd-1.0.16-json.txt")),
        ("json0", include_str!("lldp/lldpd-1.0.16-json0.txt")),
    ] {
        let seen = audit(&design, &names, &[], text).unwrap_or_else(|faults| panic!("{format}: {faults:?}"));
        assert!(seen.holds() && seen.other_port == 0 && seen.strangers.is_empty(), "{format}: {seen:?}");
        // Either half tells it all.
        let switches = text.find("root@sw00").unwrap();
        for half in [&text[..switches], &text[switches..]] {
            assert!(audit(&design, &names, &[], half).unwrap().holds(), "{format}:\n{half}");
        }
        let swapped = text.replace("sw00", "sw-").replace("sw01", "sw00").replace("sw-", "sw01");
        let swapped = audit(&design, &names, &[], &swapped).unwrap();
        assert_eq!((swapped.right, swapped.wrong.len()), (0, 4), "{format}");
    }
}

#[test]
fn tables_of_switches_are_read() {
    let cisco = "sw00#show lldp neighbors\nCapability codes:\n    (R) Router, (B) Bridge\n\n\
        Device ID           Local Intf     Hold-time  Capability      Port ID\n\
        node000               Gi1/0/1        120                        eth0\n\
        node001.example.org   Gi1/0/2        120        S               eth0\n\n\
        Total entries displayed: 2\n";
    let arista = "sw01>show lldp neighbors\n\
        Port          Neighbor Device ID       Neighbor Port ID    TTL\n\
        ---------- ------------------------ ---------------------- ---\n\
        Et1           node000                    eth1                120\n\
        Et2           node002                    eth0                120\n";
    let cumulus = "cumulus@sw02:~$ net show lldp\n\n\
        LocalPort  Speed  Mode     RemoteHost  RemotePort\n---------  -----  -------  ----------  ----------\n\
        swp1       1G     Default  node001       eth1\nswp2       1G     Default  node002       eth1\n";
    let audit = read(&[cisco, arista, cumulus].concat());
    assert!(audit.holds(), "{audit:?}");
    assert_eq!(audit.other_port, 0, "{audit:?}");
    // Both ends of each cable: nothing is counted twice.
    let both = read(&[cisco, arista, cumulus, &three(|pe| format!("node00{pe}:\n"), RIGHT)].concat());
    assert_eq!((both.right, both.holds()), (6, true));
}

/// lldpd on Linux announces a MAC address as the port, and the interface as its description.
#[test]
fn where_switches_pass_lldp_on_pes_see_each_other() {
    let peer = |interface: &str, neighbour: &str, theirs: &str| {
        key_value(interface, neighbour, theirs)
            .replace(&format!("port.ifname={theirs}"), &format!("port.mac=0c:00:00:00:00:0{}", &theirs[3..]))
    };
    let say = |pe: u32, first: &str, second: &str| format!("node00{pe}:\n{first}{second}");
    let right = [
        say(0, &peer("eth0", "node001", "eth0"), &peer("eth1", "node002", "eth0")),
        say(1, &peer("eth0", "node000", "eth0"), &peer("eth1", "node002", "eth1")),
        say(2, &peer("eth0", "node000", "eth1"), &peer("eth1", "node001", "eth1")),
    ];
    assert!(read(&right.concat()).holds());
    // PE 1 sees on its first NI what belongs on switch 2.
    let wrong = read(&say(1, &peer("eth0", "node002", "eth1"), &peer("eth1", "node002", "eth1")));
    assert_eq!(wrong.wrong.len(), 1);
    assert_eq!((wrong.wrong[0].cable.ni, wrong.wrong[0].switch, wrong.right), (0, 2, 1));
}

#[test]
fn bad_text_is_refused_with_lines_and_what_would_do() {
    let faults = |text: &str| -> Vec<String> {
        audit(&design(), &names(), &[], text).unwrap_err().iter().map(ToString::to_string).collect()
    };
    for nothing in ["", "hello\nworld\n", "root@:~# ls\n"] {
        let faults = faults(nothing);
        assert!(
            faults.len() == 1 && faults[0].contains("has no neighbour; give the output of lldpctl"),
            "{faults:?}"
        );
    }
    let nameless = faults(&format!("# from the console\n{}", key_value("eth0", "sw00", "swp1")));
    assert_eq!(nameless.len(), 1);
    assert!(
        nameless[0].starts_with(
            "line 2: a neighbour on \"eth0\" of an unnamed node; put the node's name on a line before it"
        ),
        "{nameless:?}"
    );
    let open = faults("node000\n{ \"lldp\": {\n");
    assert!(open[0].starts_with("line 2: the JSON document that begins here is incomplete."), "{open:?}");
    let other = faults("node000\n{ \"a\": 1 }\n{ \"no\" json }\n");
    assert!(
        other[0].starts_with("line 2: is not a document of lldpctl -f json: a document without \"lldp\".")
            && other[1].starts_with("line 3: is not a document of lldpctl -f json: text that is not JSON: "),
        "{other:?}"
    );
    let many: String = (0..300).map(|i| key_value(&format!("eth{i}"), "sw00", "swp1")).collect();
    let many = faults(&many);
    assert_eq!(many.len(), 201);
    assert!(many[200].ends_with("this and 100 more errors."), "{}", many[200]);
}

/// Whatever is pasted, nothing panics, and every cable is accounted for once.
#[test]
fn every_cable_is_accounted_for_once() {
    let words = [
        "node000",
        "sw01#",
        "{",
        "}",
        "[",
        "lldp.eth0.via=LLDP",
        "lldp.eth0.chassis.name=sw02",
        "Interface: eth1,",
        "SysName: node002",
        "Device ID    Local Intf    Port ID",
        "node001    Gi1/0/1    eth0",
        "node002",
        "           Gi1/0/2    eth1",
        "| a | b |",
        "--  --",
        "",
        "\u{feff}",
        "lldp.=",
        "lldp..port.=x",
        "node002: lldp.eth9.chassis.name=sw00",
        "@",
        "[@]#",
        "ä: ö",
        "root@node001:~#",
        "eth4294967299  sw00  x",
    ];
    let mut state = 1u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut judged = 0;
    for _ in 0..3000 {
        let text: String = (0..next(24)).map(|_| format!("{}\n", words[next(words.len())])).collect();
        if let Ok(audit) = audit(&design(), &names(), &[], &text) {
            judged += 1;
            let unclear = audit.ambiguous.iter().filter(|one| one.cable.is_some()).count();
            let others = [audit.wrong.len(), audit.missing.len(), audit.unheard.len(), unclear];
            let all = audit.right + others.iter().sum::<usize>() as u64;
            assert_eq!((all, audit.cables), (6, 6), "{text}\n{audit:?}");
            told(&audit);
        }
    }
    assert!(judged > 300, "{judged}");
}

/// Output of infiniband-diags 44 on fabrics that ibsim simulates.
fn infiniband(text: &str, guids: &str) -> (Audit, String) {
    let names = names().with(Some(&Interfaces::parse("mlx5_{nic}").unwrap()), None);
    let guids = GivenGuids::parse(guids).unwrap().of(&design(), &names).unwrap();
    let audit = audit_infiniband(&design(), &names, &guids, text)
        .unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
    let mut said = String::new();
    audit.write(&names, &mut said).unwrap();
    (audit, said)
}

const DISCOVERED: &str = include_str!("ib/ibnetdiscover-44.txt");
const LINKS: &str = include_str!("ib/iblinkinfo-44.txt");

#[test]
fn infiniband_tools_tell_of_a_machine_that_is_wired_as_designed() {
    for text in [DISCOVERED, LINKS, include_str!("ib/iblinkinfo-44-l.txt")] {
        let (audit, said) = infiniband(text, "");
        assert!(audit.holds() && audit.strangers.is_empty() && audit.other_port == 0, "{said}");
        let prefixed: String = text.lines().map(|line| format!("node0: {line}\n")).collect();
        assert!(infiniband(&prefixed, "").0.holds(), "{prefixed}");
    }
    // One subnet tells of its own cables only.
    let (audit, said) = infiniband(&DISCOVERED[..DISCOVERED.find("switchguid=0x2000000002").unwrap()], "");
    assert_eq!((audit.right, audit.unheard.len(), audit.missing.len()), (2, 4, 0), "{said}");
    // A node that is down is missing on every switch that answers.
    let without: String = LINKS
        .lines()
        .filter(|line| !line.contains("pe001"))
        .fold(String::new(), |all, line| all + line + "\n");
    let (audit, said) = infiniband(&without, "");
    assert_eq!((audit.right, audit.missing.len()), (4, 2), "{said}");
    let nothing = audit_infiniband(&design(), &names(), &Guids::default(), "nothing");
    assert!(nothing.unwrap_err()[0].to_string().contains("ibnetdiscover"));
}

#[test]
fn cables_to_the_uplink_switch_are_checked_like_the_others() {
    let end = |device: &str, port: &str| (device.to_owned(), port.to_owned());
    let uplinks: Vec<Uplink> = [("sw00", "swp8"), ("sw01", "swp8"), ("spare00", "eth0")]
        .iter()
        .zip(1..)
        .map(|((device, port), at)| Uplink {
            from: end(device, port),
            to: end("uplink", &format!("swp{at}")),
        })
        .collect();
    let seen = |host: &str, interface: &str, neighbour: &str, port: &str| {
        format!(
            "{host}:\nlldp.{interface}.via=LLDP\nlldp.{interface}.chassis.name={neighbour}\nlldp.{interface}.port.ifname={port}\n"
        )
    };
    let text = seen("sw00", "swp8", "Uplink.example", "swp1") + &seen("sw01", "swp8", "other", "swp2");
    let audit = audit(&design(), &names(), &uplinks, &text).unwrap();
    let mut said = String::new();
    audit.write(&names(), &mut said).unwrap();
    assert_eq!((audit.uplinks, audit.right_uplinks, audit.strangers.len()), (3, 1, 1), "{said}");
    assert!(
        !audit.holds() && said.contains("\n1 of 3 cables to uplink switches join the right devices\n"),
        "{said}"
    );
    assert!(
        said.contains("missing: uplink cable of sw01 swp8: no neighbour seen; it belongs on uplink swp2\n"),
        "{said}"
    );
    assert!(said.ends_with("neither end reported: uplink cables of spare00\n"), "{said}");
}

#[test]
fn infiniband_tools_tell_of_swapped_cables() {
    let expected = "4 of 6 cables are where the design says\n\
        swapped: node000 NIC0 is on sw02 port 2; it belongs on sw00 port 1, where node002 NIC1 is\n\
        swapped: node002 NIC1 is on sw00 port 1; it belongs on sw02 port 2, where node000 NIC0 is\n";
    for text in
        [include_str!("ib/swapped-ibnetdiscover-44.txt"), include_str!("ib/swapped-iblinkinfo-44.txt")]
    {
        // The simulator's ports could all be 12X.
        let said = infiniband(text, "").1;
        let cables: String =
            said.split_inclusive('\n').filter(|line| !line.starts_with("degraded: ")).collect();
        assert_eq!(cables, expected);
    }
    // GUIDs count more than descriptions.
    let (audit, said) = infiniband(DISCOVERED, "node0.nic0=0x61 node1.nic1=0x11");
    assert_eq!((audit.right, audit.wrong.len()), (4, 2), "{said}");
}

#[test]
fn unnamed_infiniband_switches_are_recognised_and_named() {
    for text in
        [include_str!("ib/unnamed-ibnetdiscover-44.txt"), include_str!("ib/unnamed-iblinkinfo-44.txt")]
    {
        let (audit, said) = infiniband(text, "");
        assert!(audit.holds(), "{said}");
        let one =
            "recognised: switch 0x0000002000000002 has no name; it is sw01, where 2 of its 2 cables belong\n";
        assert!(said.contains(one), "{said}");
        let (audit, said) = infiniband(text, "sw0=0x2000000001 sw1=0x2000000002 sw2=0x2000000003");
        assert!(audit.holds() && audit.recognised.is_empty(), "{said}");
        // With its cables on two switches each, nothing is guessed.
        let swapped = text
            .replace("pe000 mlx5_0", "x")
            .replace("pe002 mlx5_1", "pe000 mlx5_0")
            .replace("\"x\"", "\"pe002 mlx5_1\"");
        let (audit, said) = infiniband(&swapped, "");
        assert!(!audit.holds() && said.contains("not recognised: line "), "{said}");
    }
}

#[test]
fn a_cable_between_two_switches_is_a_fault() {
    let text = "sw00:\nlldp.swp9.via=LLDP\nlldp.swp9.chassis.name=sw01\nlldp.swp9.port.ifname=swp9\n";
    let right = three(|pe| format!("node00{pe}:\n"), RIGHT);
    assert!(read(&right).holds());
    let audit = read(&format!("{right}{text}"));
    assert!(!audit.holds() && audit.right == 6, "{audit:?}");
    assert!(
        told(&audit).contains(": sw00 swp9 sees sw01; the design has no cable between them\n"),
        "{}",
        told(&audit)
    );
}

/// NX-OS puts a name of more than 20 characters on a line of its own; others go on in the column.
#[test]
fn wrapped_rows_are_read_in_every_table() {
    let nxos = "sw00# show lldp neighbors\nCapability codes:\n  (R) Router, (B) Bridge\n\
        Device ID            Local Intf      Hold-time  Capability  Port ID  \n\
        core-switch-1.example.org\n                     mgmt0           120        B            Gi1/0/37      \n\
        node000.long-domain.example.org \n                     Eth1/1          120                     eth0   \n\
        node001             Eth1/2          120                     eth0\n\
        Total entries displayed: 3\n";
    // IOS cuts names, so that nothing is between them and the port.
    let ios = "sw01#show lldp neighbors\n\
        Device ID           Local Intf     Hold-time  Capability      Port ID\n\
        node000.long-domain.Gi1/0/1        120        S               eth1\n\
        node002.long-domain.Gi1/0/2        120                        eth0\n\n\
        Total entries displayed: 2\n";
    let cdp = "sw02#show cdp neighbors\n\
        Device ID        Local Intrfce     Holdtme    Capability  Platform  Port ID\n\
        node001.long-domain.example.org\n                 Gig 1/0/1         150              H    Linux     eth1\n\
        node002          Gig 1/0/2         150              H    Linux     eth1\n";
    let audit = read(&[nxos, ios, cdp].concat());
    assert!(audit.holds() && audit.other_port == 0, "{}", told(&audit));
    assert_eq!((audit.strangers.len(), audit.strangers[0].line), (1, 5), "{}", told(&audit));
    // The same, with the name of the switch before every line.
    let prefixed =
        |name: &str, text: &str| text.lines().map(|line| format!("{name}: {line}\n")).collect::<String>();
    let text = prefixed("sw00", nxos) + &prefixed("sw01", ios) + &prefixed("sw02", cdp);
    assert!(read(&text).holds());
    // A name alone on its line before something else is the next node.
    let next = format!("{nxos}node002\n{}", key_value("eth0", "sw01", "swp2"));
    assert_eq!(read(&next).right, 3);
    let boxed = "A:sw00# show system lldp neighbor\n\
        +----------+----------------+----------+\n| Port     | System Name    | Port ID  |\n\
        +==========+================+==========+\n| swp1     | node000.long-d | eth0     |\n\
        |          | omain.example  |          |\n+----------+----------------+----------+\n\
        | swp2     | node001        | eth0     |\n+----------+----------------+----------+\n";
    let boxed = boxed.replace("A:sw00#", "sw00#");
    assert_eq!(read(&boxed).right, 2, "{:?}", read(&boxed));
    let junos = "admin@sw01> show lldp neighbors\n\
        Local Interface    Parent Interface    Chassis Id          Port info          System Name\n\
        xe-0/0/1           -                   0c:00:00:00:00:01   eth1               node000.example.org\n\
        xe-0/0/7           -                   0c:00:00:00:00:07   a port of 18 signs core1\n\
        xe-0/0/8           -                   0c:00:00:00:00:08   1\n\
        xe-0/0/2           -                   0c:00:00:00:00:02   eth0               node002\n";
    let audit = read(&junos.replace("admin@sw01>", "{master:0}\nadmin@sw01>"));
    assert_eq!(audit, read(&format!("\n{junos}")), "a prompt of Junos");
    let audit = read(junos);
    assert_eq!((audit.right, audit.strangers.len()), (2, 2), "{}", told(&audit));
    assert!(told(&audit).contains("xe-0/0/8 sees 0c:00:00:00:00:08\n"), "{}", told(&audit));
    assert!(told(&audit).contains("xe-0/0/7 sees core1\n"), "{}", told(&audit));
}

#[test]
fn all_rows_of_a_table_with_long_names_are_read() {
    let design = table::parse("0: 0\n", 1).unwrap();
    let text = include_str!("lldp/nxos-long-names.txt");
    let audit = audit(&design, &Names::new(1, 1), &[], text).unwrap();
    let mut ports: Vec<(&str, &str)> =
        audit.strangers.iter().map(|one| (&*one.interface, &*one.neighbour)).collect();
    ports.sort_unstable();
    assert_eq!(ports.len(), 15, "{audit:?}");
    assert_eq!(
        ports[..3],
        [("Eth1/1", "r2-services"), ("Eth1/3", "dx1.example.com"), ("Eth1/5", "fw1-client-partner")]
    );
}

/// Tables that were made for other terminals: one space between titles, and descriptions with several spaces.
#[test]
fn titles_and_descriptions_may_have_any_number_of_spaces() {
    let xr = "RP/0/RP0/CPU0:sw00#show lldp neighbors\n\
        Device ID      Local Intf         Hold-time Capability Port ID\n\
        node000        HundredGigE0/0/0/1 120       S          eth0\n\
        node001        HundredGigE0/0/0/2 120                  eth0\n";
    let nxos = "sw01# show cdp neighbors\nCapability Codes: R - Router\n\n\
        Device-ID          Local Intrfce  Hldtme Capability  Platform      Port ID\n\
        node000             Eth1/1         160    H         Linux         eth1\n\
        node002\n                    Eth1/2         160    H         Linux         eth0\n\n\
        Total entries displayed: 2\n";
    let junos = "admin@sw02> show lldp neighbors\n\
        Local Interface Chassis Id        Port info     System Name\n\
        ge-0/0/1        02:00:00:00:00:00 eth1          node001\n\
        ge-0/0/2        02:00:00:00:00:01 eth1          node002\n";
    let audit = read(&[&xr.replace("RP/0/RP0/CPU0:", ""), nxos, junos].concat());
    assert!(audit.holds() && audit.other_port == 0 && audit.warnings.is_empty(), "{}", told(&audit));
    assert!(read(&[xr, nxos, junos].concat()).holds());
    let sonic = "sw00:\n\
        LocalPort    RemoteDevice    RemotePortID       Capability    RemotePortDescr\n\
        -----------  --------------  -----------------  ------------  -------------------------\n\
        Ethernet1    node000         02:00:00:00:00:00  S             Interface   2 as eth0\n\
        Ethernet2    node001         eth0                             Interface   2 as eth0\n";
    let aruba = "sw01# show lldp neighbor-info\n\
        LOCAL-PORT  CHASSIS-ID         PORT-ID                      PORT-DESC                    TTL      SYS-NAME    \n\
        -----------\n\
        1/1/1       02:00:00:00:00:00  02:00:00:00:00:00            Interface   2 as eth1        120      node000  \n\
        1/1/2       02:00:00:00:00:01  eth0                         eth0                         120      node002  \n";
    let audit = read(&[sonic, aruba, junos].concat());
    assert!(audit.holds() && audit.strangers.is_empty(), "{}", told(&audit));
}

#[test]
fn a_node_whose_output_is_not_read_is_named() {
    let strange = "sw00# show lldp nei\nHost | Their port over there | Mine\nnode000 eth0 1\n";
    let faults = audit(&design(), &names(), &[], strange).unwrap_err();
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(
        faults[1].to_string().starts_with("line 3: has no neighbour; give the output of lldpctl"),
        "{faults:?}"
    );
    let text = format!(
        "{}sw00# show lldp nei\n% LLDP is not enabled\n",
        three(|pe| format!("node00{pe}:\n"), RIGHT)
    );
    let audit = read(&text);
    let line = text.lines().count();
    assert_eq!(
        audit.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [format!(
            "line {line}: sw00 reports no neighbour that can be read; its output is \"% LLDP is not enabled\"; give the output of \
             lldpctl or a table of LLDP or CDP neighbours."
        )]
    );
}

/// Launchers, loggers and `grep` write something before each line.
#[test]
fn tags_times_and_names_of_files_before_lines_are_left_out() {
    let parts: Vec<String> = RIGHT
        .iter()
        .map(|nis| {
            (0..).zip(nis).map(|(ni, (switch, port))| key_value(&format!("eth{ni}"), switch, port)).collect()
        })
        .collect();
    let tagged = |before: &dyn Fn(usize) -> String, with_name: bool| -> String {
        let text = |(pe, part): (usize, &String)| {
            let name = if with_name { format!("node00{pe}\n") } else { String::new() };
            (name + part).lines().map(|line| format!("{}{line}\n", before(pe))).collect::<Vec<_>>()
        };
        let texts: Vec<Vec<String>> = parts.iter().enumerate().map(text).collect();
        (0..texts[0].len()).flat_map(|line| texts.iter().map(move |text| text[line].clone())).collect()
    };
    let named: [&dyn Fn(usize) -> String; 3] =
        [&|pe| format!("node00{pe}.txt:"), &|pe| format!("out/lldp_node00{pe}.txt:"), &|pe| {
            format!("node00{pe}.log:12:")
        }];
    for before in named {
        let audit = read(&tagged(before, false));
        assert!(audit.holds(), "{}: {}", before(0), told(&audit));
    }
    let processes: [&dyn Fn(usize) -> String; 4] = [
        &|pe| format!("[1,{pe}]<stdout>:"),
        &|pe| format!(" {pe}: "),
        &|pe| format!("2025-06-01T10:00:0{pe}.123Z {pe}: "),
        &|pe| format!("{pe}: [10:00:0{pe}] "),
    ];
    for before in processes {
        let audit = read(&tagged(before, true));
        assert!(audit.holds(), "{}: {}", before(0), told(&audit));
    }
    let table = "sw00#show lldp neighbors\nDevice ID           Local Intf     Hold-time  Capability      Port ID\n\
        node000-with-a-long-name.example.org\n                    Gi1/0/1        120        S               eth0\n\
        node001             Gi1/0/2        120        S               eth0\n\nTotal entries displayed: 2\n";
    let table = table.replace("node000-with-a-long-name", "node000");
    for before in ["2025-06-01 10:00:", "Jun 01 10:00:", "10:00:"] {
        let text: String =
            table.lines().zip(10..).map(|(line, second)| format!("{before}{second} {line}\n")).collect();
        let audit = read(&text);
        assert_eq!((audit.right, audit.strangers.len()), (2, 0), "{before}: {}", told(&audit));
    }
    // Pagers, with the backspaces that delete their mark or without.
    for mark in [
        " --More-- \x08\x08\x08\x08         \x08\x08\x08",
        " --More--         ",
        "---(more 50%)---\n",
        "\x1b[7m--More--\x1b[27m",
    ] {
        let audit = read(&table.replace("node001 ", &format!("{mark}node001 ")));
        assert_eq!((audit.right, audit.strangers.len()), (2, 0), "{mark:?}: {}", told(&audit));
    }
    for before in ["mgmt01: ", "ib.txt:", "[1,0]<stdout>:", "2025-06-01 10:00:00 ", "0: "] {
        for text in [DISCOVERED, LINKS, include_str!("ib/iblinkinfo-44-l.txt")] {
            let text: String = text.lines().map(|line| format!("{before}{line}\n")).collect();
            assert!(is_infiniband(&text) && infiniband(&text, "").0.holds(), "{before}");
        }
    }
}

#[test]
fn the_neighbours_of_a_document_that_is_cut_off_are_read() {
    let whole = format!("node000\n{}", json(&RIGHT[0]));
    for cut in
        [whole.find("\"eth1\"").unwrap() + 20, whole.find("}, \n").map_or(whole.len() - 8, |at| at + 2)]
    {
        let audit = read(&whole[..cut]);
        assert!(audit.right >= 1 && audit.right as usize + audit.missing.len() == 2, "{audit:?}");
        assert_eq!(
            audit.warnings[0].to_string(),
            "line 2: the JSON document that begins here is cut off; its whole neighbours are read."
        );
    }
}

/// A description of several lines stands in `-f keyvalue` as it is.
#[test]
fn descriptions_with_names_of_nodes_are_no_headings() {
    let text = three(|pe| format!("node00{pe}\n"), RIGHT)
        .replace("on node002=sw01\n", "on node002=sw01\nuplinks: see node002, or ask\n\nInterface: none\n");
    let audit = read(&text);
    assert!(audit.holds() && audit.strangers.is_empty(), "{}", told(&audit));
}

#[test]
fn two_neighbours_on_one_interface_are_ambiguous() {
    let both = |interface: &str, a: (&str, &str), b: (&str, &str)| {
        key_value(interface, a.0, a.1) + &key_value(interface, b.0, b.1)
    };
    // Both outside the design.
    let right = three(|pe| format!("node00{pe}:\n"), RIGHT);
    let text = format!("{right}node000\n{}", both("eno1", ("tor-a", "Eth1/8"), ("tor-b", "Eth2/8")));
    let audit = read(&text);
    let line = right.lines().count() + 2;
    assert!(audit.holds() && audit.strangers.is_empty(), "{audit:?}");
    let said =
        format!("ambiguous: line {line}: node000 eno1 sees tor-a Eth1/8 and tor-b Eth2/8; one report is old");
    assert!(told(&audit).contains(&said), "{}", told(&audit));
    // Two switches of the design: the cable is not judged.
    let mut text = "node000:\n".to_owned() + &both("eth0", ("sw00", "swp1"), ("sw02", "swp3"));
    text += &key_value("eth1", "sw01", "swp1");
    let audit = read(&text);
    assert_eq!(
        (audit.right, audit.ambiguous.len(), audit.extra.len(), audit.missing.len()),
        (1, 1, 0, 0),
        "{audit:?}"
    );
    let cable = Cable { pe: 0, ni: 0, switch: 0, port: 1 };
    assert_eq!((audit.ambiguous[0].cable, audit.holds()), (Some(cable), false));
    assert!(told(&audit).contains("node000 eth0 sees sw00 swp1 and sw02 swp3;"), "{}", told(&audit));
    // The other end knows.
    let audit = read(&format!("{text}sw00:\n{}", key_value("swp1", "node000", "eth0")));
    assert_eq!((audit.right, audit.ambiguous[0].cable), (2, None), "{audit:?}");
    // LLDP and CDP report one neighbour twice; a node and its service processor can share a port.
    let text = "node000:\n".to_owned() + &both("eth0", ("sw00", "swp1"), ("sw00.example.org", "swp1"));
    assert!(read(&text).ambiguous.is_empty());
    let text = "sw00:\n".to_owned() + &both("swp1", ("node000", "eth0"), ("bmc-12", "1"));
    let audit = read(&text);
    assert_eq!((audit.right, audit.ambiguous.len()), (1, 1), "{audit:?}");
    let json = "node000\n{ \"lldp\": { \"interface\": [\n\
        { \"eno1\": { \"rid\": \"1\", \"chassis\": { \"tor-a\": { \"id\": { \"type\": \"mac\", \"value\": \"aa\" } } },\n\
        \"port\": { \"id\": { \"type\": \"ifname\", \"value\": \"Eth1/8\" } } } },\n\
        { \"eno1\": { \"rid\": \"2\", \"chassis\": { \"tor-b\": { \"id\": { \"type\": \"mac\", \"value\": \"bb\" } } },\n\
        \"port\": { \"id\": { \"type\": \"ifname\", \"value\": \"Eth2/8\" } } } }\n] } }\n";
    let text = told(&read(json));
    assert!(text.contains("ambiguous: line 2: node000 eno1 sees tor-a Eth1/8 and tor-b Eth2/8;"), "{text}");
}

/// Copies of the output of `ibnetdiscover` have spaces for tabs, and messages of the tool between.
#[test]
fn infiniband_output_is_read_as_people_have_it() {
    let (_, right) = infiniband(DISCOVERED, "");
    let spaced = DISCOVERED.replace('\t', "  ");
    let warned = format!(
        "src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1 Attr 0x11:0) bad status 110\n{spaced}"
    );
    let ext = spaced
        .replace("[1]  \"H", "[1][ext 4]  \"H")
        .replace("switchguid", "Chassis 1 (guid 0x8f1)\n\n# Line Nodes\nswitchguid");
    for text in [&spaced, &warned, &ext, &format!("{DISCOVERED}{spaced}"), &format!("{LINKS}{DISCOVERED}")] {
        let (audit, said) = infiniband(text, "");
        assert!(audit.holds() && audit.warnings.is_empty() && said.starts_with(&right), "{said}");
    }
    // Of adapters alone, as `iblinkinfo --cas-only` prints them.
    let adapters: String =
        LINKS.split_inclusive('\n').filter(|line| line.starts_with("CA:") || line.contains(" 0x")).collect();
    let adapters = adapters.lines().filter(|line| !line.starts_with("Switch")).collect::<Vec<_>>().join("\n");
    let (audit, said) = infiniband(&adapters, "");
    assert!(audit.holds(), "{said}");
}

#[test]
fn port_reports_of_ibnetdiscover_are_read() {
    let ports = [[(0, 0), (1, 0)], [(0, 1), (2, 0)], [(1, 1), (2, 1)]];
    let mut text = String::new();
    for (switch, ends) in ports.iter().enumerate() {
        for (port, (pe, ni)) in (1..).zip(ends) {
            let (own, other) = (0x0020_0000_0001 + switch, 0x100 + 16 * pe + ni);
            let (lid, names) = (pe + 4, format!("'sw0{switch}' - 'pe00{pe} mlx5_{ni}'"));
            text += &format!(
                "SW     1 {port:2} 0x{own:016x} 4x HDR - CA {lid:5}  1 0x{other:016x} ( {names} )\n"
            );
            let names = format!("'pe00{pe} mlx5_{ni}' - 'sw0{switch}'");
            text += &format!(
                "CA {lid:5}  1 0x{other:016x} 4x HDR - SW     1 {port:2} 0x{own:016x} ( {names} )\n"
            );
        }
        text += &format!("SW     1  9 0x{:016x} 4x SDR 'sw0{switch}'\n", 0x0020_0000_0001 + switch);
    }
    let (audit, said) = infiniband(&text, "");
    assert!(audit.holds() && audit.warnings.is_empty() && is_infiniband(&text), "{said}");
}

#[test]
fn infiniband_links_below_their_width_or_speed_are_degraded() {
    let text = "Switch: 0x0000002000000001 sw00:\n\
        \x20   2    1[  ] ==( 1X          25.78125 Gbps Active/  LinkUp)==>       6    1[  ] \"node000 mlx5_0\" (Could be 4X Could be 53.125 Gbps)\n\
        \x20   2    2[  ] ==( 4X          53.125 Gbps Active/  LinkUp)==>       7    1[  ] \"node001 mlx5_0\" ( )\n\
        CA: node000 mlx5_0:\n\
        \x20     0x0000000000000011      6    1[  ] ==( 1X          25.78125 Gbps Active/  LinkUp)==>       2    1[  ] \"sw00\" (Could be 4X Could be 53.125 Gbps)\n";
    let (audit, said) = infiniband(text, "");
    assert_eq!((audit.right, audit.degraded.len()), (2, 1), "{said}");
    let line =
        "degraded: line 2: the link from sw00 port 1 to node000 mlx5_0 port 1 could have 4X 53.125 Gbps\n";
    assert!(said.contains(line), "{said}");
    let (audit, said) = infiniband(LINKS, "");
    assert_eq!((audit.holds(), audit.degraded.len()), (true, 6), "{said}");
}

#[test]
fn loopback_cables_and_lonely_adapters_are_said() {
    let text = "switchguid=0x2000000001(2000000001)\nSwitch 36 \"S-0000002000000001\" # \"sw00\" base port 0 lid 2 lmc 0\n\
        [1] \"H-0000000000000010\"[1](11) # \"node000 mlx5_0\" lid 5 4xHDR\n\
        [3] \"S-0000002000000001\"[4] # \"sw00\" lid 2 4xHDR\n[4] \"S-0000002000000001\"[3] # \"sw00\" lid 2 4xHDR\n\
        [5] \"S-0000002000000002\"[5] # \"MT54002 Quantum\" lid 3 4xHDR\n";
    let other = "Switch 36 \"S-0000002000000002\" # \"MT54002 Quantum\" base port 0 lid 3 lmc 0\n";
    let (audit, said) = infiniband(&format!("{text}{other}"), "sw1=0x2000000002");
    assert!(said.contains("warning: line 4: ports 3 and 4 of sw00 are cabled to each other.\n"), "{said}");
    assert_eq!((audit.right, audit.warnings.len(), audit.strangers.len()), (1, 1, 0), "{said}");
    assert!(said.contains("sw00 5 sees sw01; the design has no cable between them"), "{said}");
    let lonely = "caguid=0x21\nCa 1 \"H-0000000000000021\"  # \"node001 mlx5_0\"\n";
    let (audit, said) = infiniband(lonely, "");
    assert!(
        said.contains("warning: line 2: the adapter node001 mlx5_0 has no link; check its cable.\n"),
        "{said}"
    );
    assert!(said.contains("missing: node001 NIC0: no neighbour seen;"), "{said}");
    assert_eq!((audit.right, audit.missing.len(), audit.unheard.len()), (0, 1, 5), "{said}");
}

/// A switch of two ports is a cable; in a design with larger switches, two adapters on one cable are a mistake.
#[test]
fn adapters_can_be_back_to_back() {
    let links = "CA: MT25408 ConnectX Mellanox Technologies:\n\
        \x20     0x00000000000000a1      4    1[  ] ==( 4X           5.0 Gbps Active/  LinkUp)==>       3    1[  ] \"kvm mlx4_0\" ( )\n\
        CA: hostname mlx4_0:\n\
        \x20     0x00000000000000b1      3    1[  ] ==( 4X           5.0 Gbps Active/  LinkUp)==>       4    1[  ] \"MT25408 ConnectX Mellanox Technologies\" ( )\n";
    let (audit, said) = infiniband(links, "");
    let line = "warning: line 2: the adapters MT25408 ConnectX Mellanox Technologies and kvm mlx4_0 are cabled to each other, without a switch.\n";
    assert!(audit.right == 0 && said.contains(line) && said.matches("warning").count() == 1, "{said}");
    // Each cable is a subnet, so all have the same addresses.
    let one = |a: &str, b: &str| {
        let end = |own: &str, guid: u32, lids: [u32; 2], other: &str| {
            format!(
                "CA: {own}:\n      0x{guid:016x} {} 1[  ] ==( 4X 53.125 Gbps Active/  LinkUp)==>  {} 1[  ] \"{other}\" ( )\n",
                lids[0], lids[1]
            )
        };
        end(a, 1, [1, 2], b) + &end(b, 2, [2, 1], a)
    };
    let text = one("node000 mlx5_0", "node001 mlx5_0")
        + &one("node000 mlx5_1", "node002 mlx5_0")
        + &one("node001 mlx5_1", "node002 mlx5_1");
    let (audit, said) = infiniband(&text, "");
    assert!(audit.holds() && audit.warnings.is_empty(), "{said}");
    let discovered = "Ca\t1 \"H-0000000000000010\"\t\t# \"node000 mlx5_0\"\n\
        [1](11) \t\"H-0000000000000020\"[1] (21) \t\t# lid 1 lmc 0 \"node001 mlx5_0\" lid 2 4xHDR\n\
        Ca\t1 \"H-0000000000000020\"\t\t# \"node001 mlx5_0\"\n\
        [1](21) \t\"H-0000000000000010\"[1] (11) \t\t# lid 2 lmc 0 \"node000 mlx5_0\" lid 1 4xHDR\n";
    let (audit, said) = infiniband(discovered, "");
    assert_eq!((audit.right, audit.unheard.len(), audit.warnings.len()), (2, 4, 0), "{said}");
    let wide = table::parse("0: 0 1 2\n", 3).unwrap();
    let names = Names::new(3, 1).with(Some(&Interfaces::parse("mlx5_{nic}").unwrap()), None);
    let audit = audit_infiniband(&wide, &names, &Guids::default(), discovered).unwrap();
    assert_eq!(
        (audit.right, audit.missing.len(), audit.unheard.len(), audit.warnings.len()),
        (0, 2, 1, 1),
        "{audit:?}"
    );
}

/// One machine, reported by both tools, alone or together.
#[test]
fn both_infiniband_tools_say_the_same() {
    let table = "0: 0 1 2 3\n";
    let names = Names::new(4, 1).with(Some(&Interfaces::parse("mlx4_{nic}").unwrap()), None);
    let guids = GivenGuids::parse("node3.nic0=0x2fe348247c8ad").unwrap();
    let guids = guids.of(&table::parse(table, 4).unwrap(), &names).unwrap();
    let (links, discovered) =
        (include_str!("ib/iblinkinfo-spaces.txt"), include_str!("ib/ibnetdiscover-spaces.txt"));
    let results = [links.to_owned(), discovered.to_owned(), format!("{links}{discovered}")].map(|text| {
        let audit = audit_infiniband(&table::parse(table, 4).unwrap(), &names, &guids, &text).unwrap();
        (
            audit.right,
            audit.missing.len(),
            audit.strangers.len(),
            audit.warnings.len(),
            audit.recognised[0].fits,
        )
    });
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
}

/// Eight nodes of a real run over sockets, with NCCL 2.28.9.
#[test]
fn both_ends_of_every_connection_of_a_real_log_are_found() {
    let log: &[u8] = include_bytes!("measured/nccl-2.28.log.gz");
    let hops = trace::read(&[("log", log)], None).unwrap().hops;
    let together = table::parse("0: 0 1 2 3 4 5 6 7\n", 8).unwrap();
    let apart = table::parse("0: 0 1 2 3\n1: 4 5 6 7\n", 8).unwrap();
    // The copy has no line that names the devices.
    let nic = |name: &str| (name == "device 0").then_some(0);
    let audit = |design: &Design| audit_hops(&design.nis(), &Names::new(8, 2), nic, &hops);
    let right = audit(&together);
    assert!(right.holds() && right.right == 168, "{right:?}");
    let wrong = audit(&apart);
    let crossing: u64 = wrong.wrong.iter().map(|wrong| wrong.hop.channels).sum();
    let crosses = |hop: &Hop| (hop.from.node.as_str() < "node04") != (hop.to.node.as_str() < "node04");
    assert!(!wrong.holds() && wrong.wrong.iter().all(|wrong| crosses(&wrong.hop)), "{wrong:?}");
    assert_eq!((wrong.right + crossing, hops.halves), (168, 0));
}
