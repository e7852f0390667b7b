#!/bin/sh
# Dependencies, formatting, and lints with warnings denied: every package natively, and the front end for the browser as well.
set -eu
cd "$(dirname "$0")/../.."

# A minimal rustup leaves these two out.
for tool in rustfmt clippy; do
    cargo "$(echo $tool | sed s/rust//)" --version >/dev/null 2>&1 || timeout 90 rustup component add "$tool" </dev/null
done

# Licences and sources of dependencies, and their known vulnerabilities where the list of those can be fetched.
cargo deny --version >/dev/null 2>&1 || cargo install --locked --quiet --debug cargo-deny --version '^0.20' </dev/null
cargo deny check licenses bans sources
if timeout 60 cargo deny fetch db </dev/null; then
    cargo deny --offline check advisories
else
    # Thousands of lines follow, so the last one says it as well.
    skipped="SKIPPED: known vulnerabilities were not checked, since their list cannot be fetched"
    echo "$skipped" >&2
    trap 'echo "$skipped" >&2' EXIT
fi

cargo fmt --all --check
cargo clippy --locked --workspace --all-targets -- --deny warnings

# Debian's packages have no clippy: there the compiler's own warnings are denied.
way=$(frontend/setup/wasm.sh)
target="--target wasm32-unknown-unknown --target-dir ${CARGO_TARGET_DIR:-target}/web/$way"
# shellcheck disable=SC2086 # several arguments
case $way in
    # The profile of the bundle, so that both use the same macros.
    rustup) cargo clippy --locked --profile web --package frontend $target -- --deny warnings ;;
    debian)
        for part in "--lib" "--bin frontend"; do
            env -u RUSTUP_TOOLCHAIN RUSTC=/usr/bin/rustc RUSTFLAGS="--sysroot $(realpath "${CARGO_TARGET_DIR:-target}")/web/sysroot" \
                /usr/bin/cargo rustc --locked --package frontend $target \
                --profile check $part -- --deny warnings
        done
        ;;
esac
