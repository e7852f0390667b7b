//! The module that the browser loads. Natively there is nothing to start: `cargo test -p frontend` runs the state's tests.

fn main() {
    #[cfg(target_arch = "wasm32")]
    frontend::start();
}
