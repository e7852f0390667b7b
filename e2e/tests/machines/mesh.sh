# usage: sh mesh.sh ORDER [WORD ...]
# A mesh or torus on this machine, from the files in /lab: a namespace is a host or switch, a veth pair a cable. The kernel's own
# 802.1Q interfaces and bridges do what the exported scripts ask for; tables of nftables count frames, and change none.
#   up             connects the cables
#   run ORDER      runs the scripts of all hosts and switches
#   state FOLDER   writes what every node is set to
#   count          starts to count what switches forward, from zero
#   counted        prints a line for each switch and set: SWITCH SET JSON
#   uncount        stops
#   ask            lets each host ask every other; prints pairs without an answer
#   flood HOST INTERFACE
#                  sends one broadcast
set -eu
cd /lab

cables() { tail -n +2 cables.csv; }
nodes() { cables | awk -F, '{ print $1; print $3 }' | sort -u; }
hosts() { nodes | grep '^node'; }
switches() { nodes | grep '^sw'; }
at() {
    node=$1
    shift
    ip netns exec "$node" "$@"
}

up() {
    for node in $(nodes); do
        ip netns add "$node"
        at "$node" sh -c 'for f in /proc/sys/net/ipv6/conf/*/disable_ipv6; do [ ! -e "$f" ] || echo 1 >"$f"; done; ip link set lo up'
    done
    cables | while IFS=, read -r a a_port b b_port; do
        ip link add name "$a_port" netns "$a" type veth peer name "$b_port" netns "$b"
        ip -n "$a" link set "$a_port" up
        ip -n "$b" link set "$b_port" up
    done
}

# Runs a function for every node, on two cores.
halves() {
    nodes | awk 'NR % 2' | while read -r node; do "$@" "$node" </dev/null; done &
    nodes | awk 'NR % 2 == 0' | while read -r node; do "$@" "$node" </dev/null; done
    wait $!
}

run_on() { at "$2" env CROSSPOINT_STATE=/run/lab sh "scripts/$2.sh" "$1" --force >/dev/null; }
run() { halves run_on "$@"; }

state_of() {
    at "$2" sh -c "ip -br link; ip -br -4 address; ip route show table all; ip neighbour show nud permanent
        bridge vlan show; bridge fdb show; nft list tables; grep -rs '' /proc/sys/net/ipv4/conf" >"$1/$2"
}
state() {
    mkdir -p "$1"
    halves state_of "$1"
}

count() {
    for switch in $(switches); do at "$switch" nft -f count.nft; done
}

uncount() {
    for switch in $(switches); do at "$switch" nft delete table bridge lab; done
}

counted() {
    for switch in $(switches); do
        for set in seen vlans; do echo "$switch $set $(at "$switch" nft -j list set bridge lab $set)"; done
    done
}

ask() {
    for host in $(hosts); do
        while read -r address name; do
            [ "$name" = "$host" ] || at "$host" ping -q -c 1 -W 10 "$address" >/dev/null </dev/null || echo "$host $name"
        done <addresses &
    done
    wait
}

flood() {
    # Nobody answers it.
    ! at "$1" ping -q -b -c 1 -W 1 -I "$2" 255.255.255.255
}

"$@"
