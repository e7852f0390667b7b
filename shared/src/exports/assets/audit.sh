# usage: sh SCRIPT [--lldp|--arp] [--host NAME]
#   says which cables of this PE are not where the design says, where they are and where they belong
#   --lldp       by LLDP, which takes lldpd here and, best, on the switches; what is done where lldpctl is there
#   --arp        by ARP, which takes the addresses of the exported scripts on the other PEs, and arping here
#   --host NAME  looks at the cables as if this were the PE of that name
# Exit code: 0 all cables are in their place, 1 some are not, 2 nothing could be looked at.
#
# NI k is the interface that INTERFACE above and k name, unless CROSSPOINT_NIk names another one.

set -u

METHOD=
HOST=$(uname -n)

die() {
    printf '%s: %s\n' "${HOST%%.*}" "$*" >&2
    exit 2
}

while [ $# -gt 0 ]; do
    case $1 in
    --lldp | --arp) METHOD=${1#--} ;;
    --host)
        [ $# -gt 1 ] || die "--host: expected the name of a PE"
        HOST=$2
        shift
        ;;
    *) die "$1: expected --lldp, --arp or --host NAME" ;;
    esac
    shift
done
HOST=$(printf '%s' "${HOST%%.*}" | tr 'A-Z' 'a-z')

WORK=$(mktemp -d) || die "no temporary folder could be made"
trap 'rm -rf "$WORK"' EXIT
trap 'exit 2' INT TERM HUP

# This PE's NIs: number, interface.
own_nis() {
    awk -v host="$HOST" '$1 == host { print $2 }' "$WORK/cables" | while read -r ni; do
        eval "dev=\${CROSSPOINT_NI$ni:-$INTERFACE$ni}"
        printf '%s %s\n' "$ni" "$dev"
    done
}

# Interface, neighbour and port of each neighbour, from lldpctl's keyvalue output. A port is called by its interface's
# name; where the neighbour announces a MAC address instead, by its description.
neighbours() {
    awk '
        function close_one() {
            if (dev != "") print dev, (name == "" ? "-" : name), (port == "" ? (descr == "" ? "-" : descr) : port)
            dev = name = port = descr = ""
        }
        /^lldp\./ {
            path = substr($0, 6)
            at = index(path, "=")
            value = substr(path, at + 1)
            path = substr(path, 1, at - 1)
            gsub(/[ \t]/, "_", value)
            if (path ~ /\.via$/) {
                close_one()
                dev = substr(path, 1, length(path) - 4)
            } else if (path ~ /\.chassis\.name$/) {
                name = tolower(value)
                sub(/\..*/, "", name)
            } else if (path ~ /\.port\.(ifname|local)$/) {
                port = value
            } else if (path ~ /\.port\.descr$/) {
                descr = value
            }
        }
        END { close_one() }
    '
}

# Holds "$WORK/seen" (interface, neighbour, port) against the cables. Neighbours that are PEs stand for the switch that
# most of them belong on.
judge() {
    awk -v host="$HOST" -v prefix="$INTERFACE" '
        function place(pe, ni) { return switch_of[pe, ni] " port " port_of[pe, ni] }
        FNR == 1 { part++ }
        part == 1 {
            switch_of[$1, $2] = $3
            port_of[$1, $2] = $4
            at[$3, $4] = $1 " NI" $2
            is_switch[$3] = is_pe[$1] = 1
            next
        }
        part == 2 {
            dev_of[$1] = $2
            ni_of[$2] = $1
            order[count++] = $1
            next
        }
        ($1 in ni_of) {
            ni = ni_of[$1]
            if ($2 in is_switch) {
                port = $3
                if (match(port, /[0-9]+$/)) port = substr(port, RSTART) + 0
                if ($2 == switch_of[host, ni] || !(ni in found)) {
                    found[ni] = $2
                    found_port[ni] = port == "-" ? "" : port
                }
            } else if ($2 in is_pe) {
                theirs = $3
                if (index(theirs, prefix) == 1) theirs = substr(theirs, length(prefix) + 1)
                if (($2, theirs) in switch_of) {
                    there = switch_of[$2, theirs]
                    votes[ni, there]++
                    most = (ni in winner) ? votes[ni, winner[ni]] : 0
                    if (votes[ni, there] > most || (votes[ni, there] == most && there == switch_of[host, ni]))
                        winner[ni] = there
                }
            } else {
                stranger[ni] = $2
            }
        }
        END {
            for (i = 0; i < count; i++) {
                ni = order[i]
                what = host ": NI" ni " (" dev_of[ni] ")"
                is = (ni in found) ? found[ni] : ((ni in winner) ? winner[ni] : "")
                if (is == switch_of[host, ni]) {
                    right++
                    continue
                }
                if (is == "") {
                    whom = (ni in stranger) ? "sees " stranger[ni] ", which is not of the design" : "sees nobody"
                    print what " " whom "; it belongs on " place(host, ni)
                    continue
                }
                told = (ni in found) && found_port[ni] != ""
                where = told ? is " port " found_port[ni] : is
                line = what " is on " where "; it belongs on " place(host, ni)
                if (told && (is, found_port[ni]) in at)
                    line = line "; on " where " belongs " at[is, found_port[ni]]
                print line
            }
            print host ": " right + 0 " of " count " cables are where the design says"
            exit (right + 0 == count) ? 0 : 1
        }
    ' "$WORK/cables" "$WORK/nis" "$WORK/seen"
}

# Asks for an address on an interface, as one does who has no address yet: hosts answer that whatever subnet they are on.
asks() {
    arping -D -c 2 -w 2 -I "$1" "$2" 2>&1 | grep -qi 'reply from' && printf '%s %s -\n' "$1" "$3" >>"$WORK/seen"
}

# Asks up to four PEs of each of some switches, on one interface, 64 at a time. Switches come on standard input.
ask_all() {
    awk -v host="$HOST" '
        NR == FNR { wanted[$1] = 1; next }
        ($3 in wanted) && $1 != host && asked[$3]++ < 4 { print $3, $5 }
    ' - "$WORK/cables" >"$WORK/ask"
    jobs=0
    while read -r switch address; do
        asks "$1" "$address" "$switch" &
        jobs=$((jobs + 1))
        [ $((jobs % 64)) -ne 0 ] || wait
    done <"$WORK/ask"
    wait
}

by_arp() {
    command -v arping >/dev/null || die "--arp takes the program arping, of the package iputils-arping"
    [ "$(id -u)" = 0 ] || die "--arp takes root"
    : >"$WORK/seen"
    while read -r ni dev; do
        [ -e "/sys/class/net/$dev" ] || continue
        own=$(awk -v host="$HOST" -v ni="$ni" '$1 == host && $2 == ni { print $3 }' "$WORK/cables")
        printf '%s\n' "$own" | ask_all "$dev"
        grep -q "^$dev " "$WORK/seen" && continue
        awk -v own="$own" '$3 != own && !seen[$3]++ { print $3 }' "$WORK/cables" | ask_all "$dev"
    done <"$WORK/nis"
    # A switch has no port to tell here, and is told of once.
    sort -u "$WORK/seen" >"$WORK/sorted"
    mv "$WORK/sorted" "$WORK/seen"
}

cables >"$WORK/cables"
own_nis >"$WORK/nis"
[ -s "$WORK/nis" ] || die "the design has no PE of this name with a cable; --host NAME says which one this is"
if [ -z "$METHOD" ]; then
    METHOD=arp
    command -v lldpctl >/dev/null && METHOD=lldp
fi
case $METHOD in
lldp)
    command -v lldpctl >/dev/null || die "--lldp takes the program lldpctl, of the package lldpd"
    lldpctl -f keyvalue >"$WORK/lldp" || die "lldpctl does not answer; is lldpd running?"
    neighbours <"$WORK/lldp" >"$WORK/seen"
    ;;
arp) by_arp ;;
esac
# An empty file would not count as the third.
[ -s "$WORK/seen" ] || printf -- '- - -\n' >"$WORK/seen"
judge
