//! The studio in a real browser, one area per file.

mod board;
mod cables;
mod cabling;
mod compare;
mod estimate;
mod exports;
mod faults;
mod first;
mod frame;
mod help;
mod job;
mod labels;
mod large;
mod library;
mod looks;
mod main_path;
mod map;
mod matrix;
mod operator;
mod parts;
mod quick;
mod reload;
mod replay;
mod rights;
mod routes;
mod rules;
mod share;
mod simulate;
mod steps;
mod traffic;
mod truth;
mod views;
mod way_in;

#[test]
fn finds_the_address_in_words() {
    let found = |line| e2e::studio::address_in(line).unwrap_or_default();
    assert_eq!(found("Crosspoint is at http://127.0.0.1:8080."), "http://127.0.0.1:8080");
    assert_eq!(found("http://[::1]:80/ (Ctrl-C ends it)"), "http://[::1]:80");
    assert_eq!(e2e::studio::address_in("starting"), None);
}
