#!/bin/sh
# Network of node005 in Lab <8> & 'co', "quoted" $(x) (8 nodes).
# Addresses: one per node, 10.0.0.1 plus the node number.

HOST=node005
ADDRESS=10.0.0.6
FORWARD=0
NIS='0 1 2'
NEIGHBOURS=7
: "${CROSSPOINT_NI0:=eth0}"
: "${CROSSPOINT_NI1:=eth1}"
: "${CROSSPOINT_NI2:=eth2}"

# NIC, address, MAC address.
nis() {
    cat <<'END'
0 10.0.0.6/32 02:0a:00:00:05:05
1 10.0.0.6/32 02:0a:00:00:05:25
2 10.0.0.6/32 02:0a:00:00:05:45
END
}

# Own NIC, address of each reachable node, MAC address to send to: of the reachable node, or of the next node on the path to it.
neighbours() {
    cat <<'END'
1 10.0.0.1 02:0a:00:00:00:20
1 10.0.0.2 02:0a:00:00:01:21
0 10.0.0.3 02:0a:00:00:06:06
2 10.0.0.4 02:0a:00:00:03:43
0 10.0.0.5 02:0a:00:00:04:04
0 10.0.0.7 02:0a:00:00:06:06
0 10.0.0.8 02:0a:00:00:07:07
END
}

# Address of each reachable node, and the own NIC.
routes() {
    cat <<'END'
10.0.0.1 1
10.0.0.2 1
10.0.0.3 0
10.0.0.4 2
10.0.0.5 0
10.0.0.7 0
10.0.0.8 0
END
}

# The node's address is on the loopback interface, which stays up without cables. Flows are hashed by their ports, so
# flows between two nodes spread over all paths.
set_machine() {
    remember lo
    ip link set dev lo up
    ip address replace "$ADDRESS/32" dev lo
    setting net/ipv4/fib_multipath_hash_policy 1
}

# Replies may arrive on another NIC than the request left by (rp_filter). NICs without a carrier are left out of routes
# with several NICs (ignore_routes_with_linkdown). Only nodes on the path to others forward packets.
set_interface() {
    setting "net/ipv4/conf/$1/rp_filter" 2
    setting "net/ipv4/conf/$1/ignore_routes_with_linkdown" 1
    [ "$FORWARD" = 0 ] || setting "net/ipv4/conf/$1/forwarding" 1
}

route_lines() {
    routes | while read -r to rest; do
        hop='' onlink=''
        # NIC numbers: nothing to expand.
        set -- $rest
        if [ "$1" = via ]; then
            hop="via $2 " onlink=' onlink'
            shift 2
        fi
        if [ $# = 1 ]; then
            device "$1"
            line="${hop}dev $dev$onlink"
        else
            line=
            for ni in "$@"; do
                device "$ni"
                line="$line nexthop ${hop}dev $dev$onlink"
            done
        fi
        printf 'route replace %s/32 src %s %s\n' "$to" "$ADDRESS" "$line"
    done
}

undo_machine_lines() {
    routes | while read -r to rest; do
        printf 'route del %s/32 src %s\n' "$to" "$ADDRESS"
    done
    printf 'address del %s/32 dev lo\n' "$ADDRESS"
}

# usage: sh SCRIPT [apply|undo|check] [--force]
#   apply  sets everything (the default); may be repeated
#   undo   reverts what apply set
#   check  checks that apply can run, and changes nothing
#   --force, or CROSSPOINT_FORCE=1, runs on a machine with another name
#
# NIC k is the interface ethk unless CROSSPOINT_NIk names another one, as in
#   CROSSPOINT_NI0=enp3s0 CROSSPOINT_NI1=enp4s0 sh SCRIPT
# State for undo is kept in /run/crosspoint, or in the folder CROSSPOINT_STATE.

set -eu

ACTION=apply
FORCE=${CROSSPOINT_FORCE:-0}
STATE=${CROSSPOINT_STATE:-/run/crosspoint}/$HOST

say() {
    printf '%s: %s\n' "$HOST" "$*"
}

die() {
    printf '%s: %s\n' "$HOST" "$*" >&2
    exit 1
}

# The interface of a NIC, in $dev. A variable, since a subshell for each of thousands of neighbours is slow.
device() {
    eval "dev=\$CROSSPOINT_NI$1"
}

# BusyBox's own ip cannot set neighbour entries, and its shell prefers it to any program.
find_ip() {
    IFS=:
    for dir in $PATH /usr/sbin /sbin /usr/bin /bin; do
        [ -x "$dir/ip" ] || continue
        case $("$dir/ip" -V 2>&1) in
        *iproute2*)
            IP=$dir/ip
            unset IFS
            return 0
            ;;
        esac
    done
    die "the program ip of package iproute2 is missing"
}

ip() {
    "$IP" "$@"
}

# Checks everything before anything is changed.
check() {
    find_ip
    [ "$(id -u)" = 0 ] || die "only root may set up the network"
    name=$(uname -n)
    [ "$FORCE" = 1 ] || [ "${name%%.*}" = "$HOST" ] ||
        die "this machine is called $name; use --force to run the script here"
    seen=' '
    for ni in $NIS; do
        device "$ni"
        case $dev in
        '' | *[!A-Za-z0-9_.-]*) die "CROSSPOINT_NI$ni=$dev is not the name of an interface" ;;
        esac
        case $seen in
        *" $dev "*) die "CROSSPOINT_NI$ni=$dev is used twice; each NIC needs its own interface" ;;
        esac
        seen="$seen$dev "
        [ -e "/sys/class/net/$dev" ] || ip link show dev "$dev" >/dev/null 2>&1 ||
            die "there is no interface $dev for NIC $ni; name it with CROSSPOINT_NI$ni"
        [ -d "/proc/sys/net/ipv4/conf/$dev" ] || die "interface $dev has no IPv4"
        [ -w "/proc/sys/net/ipv4/conf/$dev/arp_ignore" ] || die "/proc/sys cannot be written"
    done
}

# Commands of ip that revert everything.
plan() {
    undo_machine_lines
    neighbours | while read -r ni address mac; do
        device "$ni"
        printf 'neighbour del %s dev %s\n' "$address" "$dev"
    done
    nis | while read -r ni address mac; do
        device "$ni"
        [ "$address" = - ] || printf 'address del %s dev %s\n' "$address" "$dev"
    done
}

# Commands of ip once addresses are set: neighbours, then routes.
entries() {
    neighbours | while read -r ni address mac; do
        device "$ni"
        printf 'neighbour replace %s lladdr %s nud permanent dev %s\n' "$address" "$mac" "$dev"
    done
    route_lines
}

# Writes a kernel setting and keeps its first value for undo.
setting() {
    old=$(cat "/proc/sys/$1")
    [ "$old" != "$2" ] || return 0
    grep -q "^$1 " "$STATE/settings" || printf '%s %s\n' "$1" "$old" >>"$STATE/settings"
    printf '%s\n' "$2" >"/proc/sys/$1"
}

# Raises a limit of the neighbour table. Inside a network namespace the limits of the machine apply.
raise() {
    file=/proc/sys/net/ipv4/neigh/default/$1
    [ -w "$file" ] || return 0
    [ "$(cat "$file")" -ge "$2" ] || setting "net/ipv4/neigh/default/$1" "$2"
}

# The MAC address of an interface, in lower case.
current_mac() {
    ip -o link show dev "$1" | sed -n 's/.* link\/[^ ]* \([0-9a-fA-F:]*\).*/\1/p' | tr 'A-F' 'a-f'
}

# Sets a MAC address, on the running interface if its driver can, else with a short interruption.
set_mac() {
    ip link set dev "$1" address "$2" 2>/dev/null && return 0
    ip link set dev "$1" down
    ip link set dev "$1" address "$2" || return 1
    ip link set dev "$1" up
}

# Keeps the first state of an interface for undo.
remember() {
    grep -q "^$1 " "$STATE/interfaces" && return 0
    case $(ip -o link show dev "$1") in
    *[\<,]UP[,\>]*) was=up ;;
    *) was=down ;;
    esac
    printf '%s %s %s\n' "$1" "$(current_mac "$1")" "$was" >>"$STATE/interfaces"
}

set_ni() {
    ni=$1 address=$2 mac=$3
    device "$ni"
    remember "$dev"
    set_interface "$dev"
    [ "$(current_mac "$dev")" = "$mac" ] || set_mac "$dev" "$mac" || die "$dev does not take the MAC address $mac"
    ip link set dev "$dev" up
    [ "$address" = - ] || ip address replace "$address" dev "$dev"
}

apply() {
    check
    mkdir -p "$STATE"
    : >>"$STATE/settings"
    : >>"$STATE/interfaces"
    plan >"$STATE/undo.new"
    # Removes addresses and neighbours of an earlier design.
    if [ -f "$STATE/undo" ] && [ "$(cat "$STATE/undo")" != "$(cat "$STATE/undo.new")" ]; then
        ip -force -batch "$STATE/undo" >/dev/null 2>&1 || :
    fi
    mv "$STATE/undo.new" "$STATE/undo"
    # By default the kernel's neighbour table starts dropping entries at 128 and ends at 1,024.
    if [ "$NEIGHBOURS" -gt 256 ]; then
        raise gc_thresh3 $((NEIGHBOURS * 4))
        raise gc_thresh2 $((NEIGHBOURS * 2))
        raise gc_thresh1 $((NEIGHBOURS + 256))
    fi
    set_machine
    nis | while read -r ni address mac; do
        set_ni "$ni" "$address" "$mac"
    done
    entries >"$STATE/batch"
    ip -batch "$STATE/batch" || die "some neighbours or routes could not be set; undo reverts the others"
    rm -f "$STATE/batch"
    say "$NEIGHBOURS neighbours over NICs: $NIS"
}

undo() {
    find_ip
    [ "$(id -u)" = 0 ] || die "only root may set up the network"
    if [ ! -d "$STATE" ]; then
        say "nothing to undo"
        return 0
    fi
    [ ! -f "$STATE/undo" ] || ip -force -batch "$STATE/undo" >/dev/null 2>&1 || :
    if [ -f "$STATE/interfaces" ]; then
        while read -r dev mac was; do
            ip link show dev "$dev" >/dev/null 2>&1 || continue
            [ "$(current_mac "$dev")" = "$mac" ] || set_mac "$dev" "$mac" || :
            ip link set dev "$dev" "$was"
            # The kernel added this address when the interface came up.
            [ "$dev $was" != 'lo down' ] || ip address del 127.0.0.1/8 dev lo 2>/dev/null || :
        done <"$STATE/interfaces"
    fi
    if [ -f "$STATE/settings" ]; then
        while read -r path value; do
            [ ! -w "/proc/sys/$path" ] || printf '%s\n' "$value" >"/proc/sys/$path" || :
        done <"$STATE/settings"
    fi
    rm -f "$STATE/undo" "$STATE/undo.new" "$STATE/batch" "$STATE/interfaces" "$STATE/settings"
    rmdir "$STATE"
    say "undone"
}

for word in "$@"; do
    case $word in
    apply | undo | check) ACTION=$word ;;
    --force) FORCE=1 ;;
    *) die "$word: expected apply, undo, check or --force" ;;
    esac
done

case $ACTION in
apply) apply ;;
undo) undo ;;
check) check && say "ready" ;;
esac
