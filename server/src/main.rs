//! The program `crosspoint`.

fn main() {}
