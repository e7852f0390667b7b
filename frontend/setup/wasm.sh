#!/bin/sh
# Makes sure that Rust can compile to WebAssembly, and prints how: `rustup` or `debian`. Messages go to stderr.
# If nothing is missing, it takes a tenth of a second.
#
# rustup's target comes first. If rustup cannot download it, Debian's packages provide a compiler and the sources of its
# standard library, which is built once, into a sysroot in the project's target folder: `--sysroot target/web/sysroot`.
# CROSSPOINT_WASM=rustup|debian forces one way.
set -eu
cd "$(dirname "$0")/../.."

target=wasm32-unknown-unknown
patience=${CROSSPOINT_WASM_PATIENCE:-90} # time limit of the download by rustup, in seconds

say() { echo "wasm: $*" >&2; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@" >&2; else
        say "needs root, so with sudo: $*"
        sudo "$@" >&2
    fi
}

rustup_has_it() { ls "$(rustc --print target-libdir --target $target 2>/dev/null)"/libstd-*.rlib >/dev/null 2>&1; }

by_rustup() {
    rustup_has_it && return 0
    command -v rustup >/dev/null || return 1
    say "installing the target with rustup (at most $patience s)"
    timeout "$patience" rustup target add $target >&2 </dev/null && rustup_has_it
}

debian_rustc=/usr/bin/rustc
sysroot=${CARGO_TARGET_DIR:-target}/web/sysroot/lib/rustlib

# The compiler's own description names the standard library it needs.
stamp() { env -u RUSTUP_TOOLCHAIN $debian_rustc -vV | sha256sum | cut -c1-16; }

debian_packages() {
    dpkg -s rustc-web rust-web-src cargo-web >/dev/null 2>&1 && return 0
    say "installing Debian's rustc-web, rust-web-src and cargo-web"
    as_root apt-get update -qq || say "apt-get update failed; trying with the lists there are"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        rustc-web rust-web-src cargo-web
}

# Debian ships no linker for WebAssembly; every rustup toolchain does.
debian_linker() {
    host=$(env -u RUSTUP_TOOLCHAIN $debian_rustc -vV | sed -n 's/^host: //p')
    [ -x "$sysroot/$host/bin/rust-lld" ] && return 0
    ours=$(rustc --print sysroot)/lib/rustlib/$host/bin/rust-lld
    [ -x "$ours" ] || { say "no rust-lld at $ours"; return 1; }
    mkdir -p "$sysroot/$host/bin" && ln -sfn "$ours" "$sysroot/$host/bin/rust-lld"
}

debian_std() {
    [ "$(cat "$sysroot/$target/stamp" 2>/dev/null)" = "$(stamp)" ] && return 0
    say "building the standard library once (about 90 s)"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    # One chain: the shell's -e does not apply inside a condition. The stamp comes last, so it marks a complete library.
    compile_std && rm -rf "${sysroot:?}/$target" && mkdir -p "$sysroot/$target/lib" &&
        cp "$work/target/$target"/release/deps/*.rlib "$sysroot/$target/lib/" &&
        stamp >"$sysroot/$target/stamp"
}

compile_std() (
    cd "$work" && env -u RUSTUP_TOOLCHAIN -u CARGO_TARGET_DIR -u CARGO_ENCODED_RUSTFLAGS \
        RUSTC_BOOTSTRAP=1 RUSTC=$debian_rustc RUSTFLAGS="-Zforce-unstable-if-unmarked -Cembed-bitcode=yes" \
        /usr/bin/cargo build -q --locked --release --target $target --target-dir "$work/target" \
        --no-default-features --features compiler-builtins-mem \
        --manifest-path /usr/lib/rustlib/src/rust/library/sysroot/Cargo.toml >&2
)

by_debian() {
    command -v dpkg >/dev/null || { say "this is not a Debian system"; return 1; }
    debian_packages && debian_linker && debian_std
}

case "${CROSSPOINT_WASM:-}" in
    rustup) by_rustup && echo rustup ;;
    debian) by_debian && echo debian ;;
    "")
        if by_rustup; then echo rustup
        elif say "rustup failed; trying Debian's packages" && by_debian; then echo debian
        else
            say "no way to compile to WebAssembly. Try: rustup target add $target"
            exit 1
        fi
        ;;
    *)
        say "CROSSPOINT_WASM must be rustup, debian or empty (got '$CROSSPOINT_WASM')"
        exit 2
        ;;
esac
