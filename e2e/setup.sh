#!/bin/sh
# usage: setup.sh [--machines]
# Installs what the browser tests, the network laboratory and the tests with other programs need: Chromium, Firefox and WebKit, pdftoppm
# and pdfinfo to look at printed pages, ip, bridge, nft, ping and arping, curl, jq, nats-server, openssl and Open MPI; the programs that exported
# files are for; Python packages in target/e2e/python; and packages of npm (axe, Lighthouse) in target/e2e/node. With --machines, also what boots machines, and FRR in target/e2e/frr.
# Uses sudo only where it is not root; says what it does.
set -eu
cd "$(dirname "$0")/.."

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
{ has firefox-esr || has firefox; } || missing="$missing firefox-esr"
{ has WebKitWebDriver && has Xvfb; } || missing="$missing webkit2gtk-driver xvfb"
has npm || missing="$missing npm"
has pdftoppm || missing="$missing poppler-utils"
{ has ip && has bridge; } || missing="$missing iproute2"
has nft || missing="$missing nftables"
has ping || missing="$missing iputils-ping"
has arping || missing="$missing iputils-arping"
has nats-server || missing="$missing nats-server"
{ has curl && has jq; } || missing="$missing curl jq"
has openssl || missing="$missing openssl"
{ has mpicc && has mpirun; } || missing="$missing openmpi-bin libopenmpi-dev"

# Programs that read exported files.
has busybox || missing="$missing busybox"
has cloud-init || missing="$missing cloud-init"
has dnsmasq || missing="$missing dnsmasq-base"
has dot || missing="$missing graphviz"
has ignition-validate || missing="$missing ignition"
{ has ibsim && has ibnetdiscover && has opensm; } || missing="$missing ibsim-utils infiniband-diags opensm"
has kea-dhcp4 || missing="$missing kea-dhcp4-server"
has lldpd || missing="$missing lldpd"
has named-checkzone || missing="$missing bind9-utils"
has netplan || missing="$missing netplan.io"
{ has NetworkManager && has dbus-daemon; } || missing="$missing network-manager dbus-daemon"
has promtool || missing="$missing prometheus"
has prometheus-node-exporter || missing="$missing prometheus-node-exporter"
has shellcheck || missing="$missing shellcheck"
has soffice || missing="$missing libreoffice-calc-nogui"
has systemd-analyze || missing="$missing systemd"
has sysctl || missing="$missing procps"
{ has slurmctld && has munged && has squeue; } || missing="$missing slurmctld munge slurm-client"
has zbarimg || missing="$missing zbar-tools"
has yanglint || missing="$missing libyang2-tools"
if [ "${1:-}" = --machines ]; then
    has qemu-system-x86_64 || missing="$missing qemu-system-x86"
    has mmdebstrap || missing="$missing mmdebstrap"
    has cpio || missing="$missing cpio"
fi
{ has python3 && python3 -c 'import ensurepip, venv' 2>/dev/null; } || missing="$missing python3-venv"

if [ -n "$missing" ]; then
    if ! has apt-get; then
        say "missing:$missing. Please install them; only apt-get is known here"
        exit 1
    fi
    say "installing$missing"
    as_root apt-get update -qq || say "apt-get update failed; trying with the lists there are"
    # It would take over the network of this machine.
    case $missing in
    *" network-manager"*) [ ! -d /run/systemd/system ] || as_root systemctl mask --quiet NetworkManager ;;
    esac
    # shellcheck disable=SC2086 # one word a package
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
    # Tests start these themselves, in namespaces.
    case $missing in
    # It would set up this machine at the next boot.
    *" cloud-init"*) as_root touch /etc/cloud/cloud-init.disabled ;;
    esac
    for service in kea-dhcp4-server lldpd munge opensm prometheus prometheus-node-exporter slurmctld; do
        case $missing in
        *" $service"*) [ ! -d /run/systemd/system ] || as_root systemctl disable --now --quiet "$service" ;;
        esac
    done
fi

python=${CARGO_TARGET_DIR:-target}/e2e/python
packages=e2e/tests/tools/requirements.txt
if ! cmp -s "$packages" "$python/requirements.txt"; then
    say "installing the packages of $packages in $python"
    rm -rf "$python"
    python3 -m venv "$python"
    "$python/bin/pip" install --quiet --disable-pip-version-check --requirement "$packages"
    cp "$packages" "$python/requirements.txt"
fi

node=${CARGO_TARGET_DIR:-target}/e2e/node
if ! cmp -s e2e/package.json "$node/package.json"; then
    say "installing the packages of e2e/package.json in $node"
    rm -rf "$node"
    mkdir -p "$node"
    cp e2e/package.json "$node/"
    if ! (cd "$node" && npm install --silent --no-audit --no-fund --no-save --no-package-lock --ignore-scripts >&2); then
        rm "$node/package.json"
        exit 1
    fi
fi

# FRR of Debian 13: that of Debian 12 does not watch static routes.
frr=${CARGO_TARGET_DIR:-target}/e2e/frr
if [ "${1:-}" = --machines ] && [ ! -e "$frr" ]; then
    say "installing FRR in a Debian 13 of its own in $frr"
    as_root rm -rf "$frr.part"
    as_root mmdebstrap --quiet --variant=minbase --include=frr,procps trixie "$frr.part"
    as_root mv "$frr.part" "$frr"
fi
