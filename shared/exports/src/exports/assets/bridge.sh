# usage: sh SCRIPT [apply|undo|check] [--force]
#   apply  sets everything (the default); may be repeated
#   undo   reverts what apply set
#   check  checks that apply can run, and changes nothing
#   --force, or CROSSPOINT_FORCE=1, runs on a machine with another name
#
# The ports join a bridge called crosspoint, or CROSSPOINT_BRIDGE. State for undo is kept in /run/crosspoint, or in the folder
# CROSSPOINT_STATE.

set -eu

ACTION=apply
FORCE=${CROSSPOINT_FORCE:-0}
STATE=${CROSSPOINT_STATE:-/run/crosspoint}/$HOST
BRIDGE=${CROSSPOINT_BRIDGE:-crosspoint}
PATH=$PATH:/usr/sbin:/sbin

say() {
    printf '%s: %s\n' "$HOST" "$*"
}

die() {
    printf '%s: %s\n' "$HOST" "$*" >&2
    exit 1
}

exists() {
    ip link show dev "$1" >/dev/null 2>&1
}

# Checks everything before anything is changed.
check() {
    for program in ip bridge; do
        command -v "$program" >/dev/null || die "the program $program of package iproute2 is missing"
    done
    # BusyBox's own ip cannot create a bridge with VLAN filtering.
    case $(ip -V 2>&1) in
    *iproute2*) ;;
    *) die "the program ip is not that of package iproute2" ;;
    esac
    [ "$(id -u)" = 0 ] || die "only root may set up the network"
    name=$(uname -n)
    [ "$FORCE" = 1 ] || [ "${name%%.*}" = "$HOST" ] ||
        die "this machine is called $name; use --force to run the script here"
    case $BRIDGE in
    '' | *[!A-Za-z0-9_.-]*) die "CROSSPOINT_BRIDGE=$BRIDGE is not the name of an interface" ;;
    esac
    if exists "$BRIDGE"; then
        [ -f "$STATE/bridge" ] || die "there is an interface $BRIDGE already; name another with CROSSPOINT_BRIDGE"
    fi
    for port in $PORTS; do
        exists "$port" || die "there is no port $port"
        master=$(ip -o link show dev "$port" | sed -n 's/.* master \([^ ]*\) .*/\1/p')
        [ -z "$master" ] || [ "$master" = "$BRIDGE" ] || die "port $port is in $master already; take it out first"
    done
}

# Commands of the program bridge.
plan() {
    members | while read -r port vlans; do
        for vlan in $vlans; do
            printf 'vlan add dev %s vid %s\n' "$port" "$vlan"
        done
    done
    hosts | while read -r vlan mac port; do
        printf 'fdb replace %s dev %s vlan %s master static\n' "$mac" "$port" "$vlan"
    done
}

# Keeps the first state of a port for undo.
remember() {
    grep -q "^$1 " "$STATE/ports" && return 0
    case $(ip -o link show dev "$1") in
    *[\<,]UP[,\>]*) was=up ;;
    *) was=down ;;
    esac
    printf '%s %s\n' "$1" "$was" >>"$STATE/ports"
}

apply() {
    check
    mkdir -p "$STATE"
    : >>"$STATE/ports"
    plan >"$STATE/bridge.new"
    # Removes the bridge of an earlier configuration, and everything set on it.
    if exists "$BRIDGE" && ! cmp -s "$STATE/bridge" "$STATE/bridge.new"; then
        ip link del dev "$BRIDGE"
    fi
    mv "$STATE/bridge.new" "$STATE/bridge"
    # Trees have no loops, so the spanning tree protocol is off. Untagged frames are in no VLAN.
    exists "$BRIDGE" ||
        ip link add name "$BRIDGE" type bridge vlan_filtering 1 vlan_default_pvid 0 stp_state 0 mcast_snooping 0 ||
        die "the kernel makes no bridge with VLAN filtering"
    ip link set dev "$BRIDGE" up
    for port in $PORTS; do
        remember "$port"
        ip link set dev "$port" master "$BRIDGE" up
    done
    bridge -batch "$STATE/bridge" || die "some VLANs or nodes could not be set; undo reverts the others"
    say "$(hosts | wc -l) entries for nodes on ports: $PORTS"
}

undo() {
    [ "$(id -u)" = 0 ] || die "only root may set up the network"
    if [ ! -d "$STATE" ]; then
        say "nothing to undo"
        return 0
    fi
    if [ -f "$STATE/bridge" ] && exists "$BRIDGE"; then
        ip link del dev "$BRIDGE"
    fi
    if [ -f "$STATE/ports" ]; then
        while read -r port was; do
            ! exists "$port" || ip link set dev "$port" "$was"
        done <"$STATE/ports"
    fi
    rm -f "$STATE/bridge" "$STATE/bridge.new" "$STATE/ports"
    rmdir "$STATE"
    say "undone"
}
