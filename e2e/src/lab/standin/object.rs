//! Two small BPF programs for `tc`, as the object file that a compiler would make of them: no compiler is needed to run a
//! laboratory.
//!
//! `push` runs where frames of a VLAN's interface come out of its pair: it tags them with the VLAN that the number of the
//! pair's end tells, and sends them out of the NI. `pop` runs where frames come in at the NI: it takes the tag off and
//! sends them into the pair of that VLAN. Frames without a tag go on.

/// An instruction: operation, registers, offset, number.
type Instruction = (u8, u8, u8, i16, i32);

/// Registers are set, loaded from the frame's context, compared, and handed to the kernel's functions.
const SET: u8 = 0xb7;
const COPY: u8 = 0xbf;
const ADD: u8 = 0x07;
const AND: u8 = 0x57;
const LOAD: u8 = 0x61;
const SKIP_IF: u8 = 0x15;
const CALL: u8 = 0x85;
const EXIT: u8 = 0x95;

/// Of the kernel's `struct __sk_buff`.
const VLAN_PRESENT: i16 = 20;
const VLAN_TCI: i16 = 24;
const IFINDEX: i16 = 40;

/// Of the kernel's functions.
const VLAN_PUSH: i32 = 18;
const VLAN_POP: i32 = 19;
const REDIRECT: i32 = 23;

/// 0x8100, as it is on the wire.
const VLAN_PROTOCOL: i32 = 0x0081;

fn push(ni: u32, tags: u32) -> Vec<Instruction> {
    vec![
        (LOAD, 3, 1, IFINDEX, 0),
        (ADD, 3, 0, 0, -(tags as i32)),
        (SET, 2, 0, 0, VLAN_PROTOCOL),
        (CALL, 0, 0, 0, VLAN_PUSH),
        (SET, 1, 0, 0, ni as i32),
        (SET, 2, 0, 0, 0),
        (CALL, 0, 0, 0, REDIRECT),
        (EXIT, 0, 0, 0, 0),
    ]
}

fn pop(tags: u32) -> Vec<Instruction> {
    vec![
        (COPY, 6, 1, 0, 0),
        (LOAD, 0, 6, VLAN_PRESENT, 0),
        // Without a tag: the result is 0, which lets the frame go on.
        (SKIP_IF, 0, 0, 8, 0),
        (LOAD, 7, 6, VLAN_TCI, 0),
        (AND, 7, 0, 0, 0xfff),
        (COPY, 1, 6, 0, 0),
        (CALL, 0, 0, 0, VLAN_POP),
        (ADD, 7, 0, 0, tags as i32),
        (COPY, 1, 7, 0, 0),
        (SET, 2, 0, 0, 0),
        (CALL, 0, 0, 0, REDIRECT),
        (EXIT, 0, 0, 0, 0),
    ]
}

fn code(program: &[Instruction]) -> Vec<u8> {
    let bytes = |&(operation, to, from, offset, number): &Instruction| {
        let mut bytes = vec![operation, to | from << 4];
        bytes.extend(offset.to_le_bytes());
        bytes.extend(number.to_le_bytes());
        bytes
    };
    program.iter().flat_map(bytes).collect()
}

/// A section of an object file: kind, flags, content; the section that its names are in, one that it says more of,
/// and the size of an item, where it has items.
struct Section {
    kind: u32,
    flags: u64,
    content: Vec<u8>,
    link: u32,
    info: u32,
    item: u64,
}

impl Section {
    fn program(content: Vec<u8>) -> Section {
        Section { kind: 1, flags: 6, content, link: 0, info: 0, item: 0 }
    }
}

/// Names one after the other, each ended by a zero, and where each begins.
fn strings(names: &[&str]) -> (Vec<u8>, Vec<u32>) {
    let mut bytes = vec![0];
    let mut begins = Vec::new();
    for name in names {
        begins.push(bytes.len() as u32);
        bytes.extend(name.as_bytes());
        bytes.push(0);
    }
    (bytes, begins)
}

/// The object file (ELF, 64 bits, little-endian) with sections `push` and `pop`.
pub fn object(ni: u32, tags: u32) -> Vec<u8> {
    let (push, pop) = (code(&push(ni, tags)), code(&pop(tags)));
    let names = ["push", "pop", "license", ".symtab", ".strtab"];
    let (text, begins) = strings(&names);
    // The empty symbol, and a global function for each program, in sections 1 and 2.
    let mut symbols = vec![0; 24];
    for (section, program) in [(1u16, &push), (2, &pop)] {
        symbols.extend(begins[usize::from(section) - 1].to_le_bytes());
        symbols.extend([0x12, 0]);
        symbols.extend(section.to_le_bytes());
        symbols.extend(0u64.to_le_bytes());
        symbols.extend((program.len() as u64).to_le_bytes());
    }
    let sections = [
        Section::program(push),
        Section::program(pop),
        Section { kind: 1, flags: 3, content: b"GPL\0".to_vec(), link: 0, info: 0, item: 0 },
        Section { kind: 2, flags: 0, content: symbols, link: 5, info: 1, item: 24 },
        Section { kind: 3, flags: 0, content: text, link: 0, info: 0, item: 0 },
    ];
    assemble(&sections, &begins)
}

fn assemble(sections: &[Section], names: &[u32]) -> Vec<u8> {
    const HEADER: usize = 64;
    let mut content = Vec::new();
    let mut table = vec![0; 64];
    for (section, name) in sections.iter().zip(names) {
        content.resize(content.len().next_multiple_of(8), 0);
        table.extend(name.to_le_bytes());
        table.extend(section.kind.to_le_bytes());
        table.extend(section.flags.to_le_bytes());
        table.extend(0u64.to_le_bytes());
        table.extend(((HEADER + content.len()) as u64).to_le_bytes());
        table.extend((section.content.len() as u64).to_le_bytes());
        table.extend(section.link.to_le_bytes());
        table.extend(section.info.to_le_bytes());
        table.extend(8u64.to_le_bytes());
        table.extend(section.item.to_le_bytes());
        content.extend(&section.content);
    }
    content.resize(content.len().next_multiple_of(8), 0);
    let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    // Relocatable, for BPF.
    file.extend(1u16.to_le_bytes());
    file.extend(247u16.to_le_bytes());
    file.extend(1u32.to_le_bytes());
    file.extend([0; 16]);
    file.extend(((HEADER + content.len()) as u64).to_le_bytes());
    file.extend(0u32.to_le_bytes());
    for number in [64, 0, 0, 64, sections.len() as u16 + 1, sections.len() as u16] {
        file.extend(number.to_le_bytes());
    }
    file.extend(content);
    file.extend(table);
    file
}
