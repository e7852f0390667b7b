//! The module that the browser loads. Natively it does nothing: `cargo test -p frontend` runs the tests of `state`.

fn main() {
    #[cfg(target_arch = "wasm32")]
    frontend::start();
}
