#!/bin/sh
# Installs what the browser tests and the network laboratory need: a Chromium, pdftoppm and pdfinfo to look at printed
# pages, ip, bridge, nft, ping and arping, nats-server, openssl and Open MPI. Uses sudo only where it is not root; says what it does.
set -eu

say() { echo "e2e: $*" >&2; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else
        say "needs root, so with sudo: $*"
        sudo "$@"
    fi
}

# A program may be outside a user's path, as ip often is.
has() { PATH="$PATH:/usr/sbin:/sbin" command -v "$1" >/dev/null 2>&1; }

has_chromium() { [ -n "${CHROME:-}" ] || has chromium || has chromium-browser || has google-chrome; }

missing=""
# Where no font is installed, pages would be printed without text.
has_chromium || missing="$missing chromium fonts-dejavu-core"
has pdftoppm || missing="$missing poppler-utils"
{ has ip && has bridge; } || missing="$missing iproute2"
has nft || missing="$missing nftables"
has ping || missing="$missing iputils-ping"
has arping || missing="$missing iputils-arping"
has nats-server || missing="$missing nats-server"
has openssl || missing="$missing openssl"
{ has mpicc && has mpirun; } || missing="$missing openmpi-bin libopenmpi-dev"
[ -n "$missing" ] || exit 0

if ! has apt-get; then
    say "missing:$missing. Please install them; only apt-get is known here"
    exit 1
fi
say "installing$missing"
as_root apt-get update -qq || say "apt-get update failed; trying with the lists there are"
# shellcheck disable=SC2086 # one word a package
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
