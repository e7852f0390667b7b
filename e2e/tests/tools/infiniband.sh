#!/bin/sh
# usage: infiniband.sh FOLDER TAKEN
# Simulates the subnet of each FOLDER/topo/NAME, runs its two managers of FOLDER/opensm, and writes what the tools of InfiniBand see
# into FOLDER/seen: ibnetdiscover, iblinkinfo, and the manager as sminfo shows it. The master of the switch TAKEN (a name) then dies,
# and sminfo shows its successor.
set -eu
taken=$2
cd "$1"
mkdir -p seen var
# Sockets have short names.
sockets=$(mktemp -d)
daemons=""
# shellcheck disable=SC2086 # a word a process
trap 'kill -KILL $daemons 2>/dev/null || true; rm -rf "$sockets"' EXIT INT TERM
library=$(find /usr/lib -name libumad2sim.so | head -n 1)

# sim NODE COMMAND: runs a command on the first port of a simulated node.
sim() {
    node=$1
    shift
    SIM_HOST=$node LD_PRELOAD=$library "$@"
}

# The simulated node of a manager's configuration. Ports have the GUID of their node and one more.
node() { printf 'H-%016x' $(($(sed -n 's/^guid //p' "$1") - 1)); }

# wait_for TIMES COMMAND: tries twice a second.
wait_for() {
    left=$1
    shift
    until "$@"; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || { echo "$name: no success of: $*" >&2; return 1; }
        sleep 0.5
    done
}

# has_master CONF MASTER FILE: true once the manager of the configuration MASTER is the master that the node of CONF sees.
has_master() {
    sim "$(node "$1")" sminfo >"seen/$name.$3" 2>/dev/null && grep -q SMINFO_MASTER "seen/$name.$3" &&
        grep -q "guid 0x$(sed -n 's/^guid 0x0*//p' "$2")," "seen/$name.$3"
}

# manager PRIORITY: the configuration of that manager of the subnet.
manager() { grep -l "^sm_priority $1\$" opensm/*/etc/opensm/crosspoint/"$name.conf"; }

# start CONF: runs a manager whose files are in var.
start() {
    host=$(echo "$1" | cut -d/ -f2)
    own=$PWD/var/$host
    mkdir -p "$own-log" "$own-cache/opensm-$name"
    sed "s,/var/log,$own-log,; s,/var/cache,$own-cache," "$1" >"$own-$name.conf"
    (
        SIM_HOST=$(node "$1")
        export SIM_HOST LD_PRELOAD="$library" OSM_CACHE_DIR="$own-cache/opensm-$name"
        exec opensm --config "$own-$name.conf" >"$own-$name.out" 2>&1
    ) &
    daemons="$daemons $!"
}

is_ready() { sim "$(node "$1")" ibstat -p >/dev/null 2>&1; }

for topology in topo/*; do
    name=$(basename "$topology" .topo)
    export IBSIM_SOCKNAME="$sockets/$name"
    mkfifo "$sockets/$name.in"
    ibsim -s "$topology" <"$sockets/$name.in" >"var/$name.ibsim" 2>&1 &
    daemons="$daemons $!"
    exec 3>"$sockets/$name.in"
    first=$(manager 14)
    second=$(manager 13)
    wait_for 20 is_ready "$first"
    start "$first"
    master=$!
    wait_for 60 has_master "$first" "$first" sminfo
    start "$second"
    sim "$(node "$first")" ibnetdiscover >"seen/$name.ibnetdiscover" 2>"var/$name.err"
    sim "$(node "$first")" iblinkinfo >"seen/$name.iblinkinfo" 2>>"var/$name.err"
    if [ "$name" = "$taken" ]; then
        kill -KILL "$master"
        wait_for 120 has_master "$second" "$second" successor
    fi
done
