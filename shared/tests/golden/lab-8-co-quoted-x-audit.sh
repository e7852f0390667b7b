#!/bin/sh
# Checks the cables of Lab <8> & 'co', "quoted" $(x) (8 nodes).
# Addresses, for --arp: 10.S.0.0/16 for switch S; the host part is the node number plus 1.

INTERFACE='eth'

# Node, NIC, switch, port, address of the NIC, its interface, name of the port.
cables() {
    cat <<'END'
node000 0 sw00 1 10.0.0.1 eth0 swp1
node000 1 sw02 1 10.2.0.1 eth1 swp1
node000 2 sw04 1 10.4.0.1 eth2 swp1
node001 0 sw00 2 10.0.0.2 eth0 swp2
node001 1 sw02 2 10.2.0.2 eth1 swp2
node001 2 sw05 1 10.5.0.2 eth2 swp1
node002 0 sw00 3 10.0.0.3 eth0 swp3
node002 1 sw03 1 10.3.0.3 eth1 swp1
node002 2 sw04 2 10.4.0.3 eth2 swp2
node003 0 sw00 4 10.0.0.4 eth0 swp4
node003 1 sw03 2 10.3.0.4 eth1 swp2
node003 2 sw05 2 10.5.0.4 eth2 swp2
node004 0 sw01 1 10.1.0.5 eth0 swp1
node004 1 sw02 3 10.2.0.5 eth1 swp3
node005 0 sw01 2 10.1.0.6 eth0 swp2
node005 1 sw02 4 10.2.0.6 eth1 swp4
node005 2 sw05 3 10.5.0.6 eth2 swp3
node006 0 sw01 3 10.1.0.7 eth0 swp3
node006 1 sw03 3 10.3.0.7 eth1 swp3
node007 0 sw01 4 10.1.0.8 eth0 swp4
node007 1 sw03 4 10.3.0.8 eth1 swp4
node007 2 sw04 3 10.4.0.8 eth2 swp3
END
}

# usage: sh SCRIPT [--lldp|--arp] [--host NAME] [--report LINK]
#   reports the cables of this node that are not where the design says, where they are and where they belong
#   --lldp       by LLDP: needs lldpd here, and best also on the switches; the default if lldpctl is installed
#   --arp        by ARP: needs arping here, and the addresses of the exported scripts on the other nodes
#   --host NAME  checks the cables as if this were the node of that name
#   --report LINK  sends what LLDP sees to a cabling page: the join link of that page, in quotes; needs curl
# Exit code: 0 all cables are in place, 1 some are not, 2 nothing could be checked.
#
# Interfaces are those of the list above, unless CROSSPOINT_NIk names another one for NIC k.

set -u

METHOD=
REPORT=
HOST=$(uname -n)

die() {
    printf '%s: %s\n' "${HOST%%.*}" "$*" >&2
    exit 2
}

while [ $# -gt 0 ]; do
    case $1 in
    --lldp | --arp) METHOD=${1#--} ;;
    --host)
        [ $# -gt 1 ] || die "--host: expected the name of a node"
        HOST=$2
        shift
        ;;
    --report)
        case ${2:-} in
        *"/cabling#key="?*) REPORT=$2 ;;
        *) die "--report: expected the join link of a cabling page, such as 'https://studio.example/d/ID/cabling#key=KEY'" ;;
        esac
        shift
        ;;
    *) die "$1: expected --lldp, --arp, --host NAME or --report LINK" ;;
    esac
    shift
done
HOST=$(printf '%s' "${HOST%%.*}" | tr 'A-Z' 'a-z')

WORK=$(mktemp -d) || die "no temporary folder could be made"
trap 'rm -rf "$WORK"' EXIT
trap 'exit 2' INT TERM HUP

# NICs of this node: number, interface.
own_nis() {
    awk -v host="$HOST" '$1 == host { print $2, $6 }' "$WORK/cables" | while read -r ni dev; do
        eval "dev=\${CROSSPOINT_NI$ni:-$dev}"
        printf '%s %s\n' "$ni" "$dev"
    done
}

# Interface, neighbour and port of each neighbour, from lldpctl's keyvalue output. A port has the name of its interface,
# or its description if the neighbour announces a MAC address instead.
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

# Compares "$WORK/seen" (interface, neighbour, port) with the cables. Neighbours that are nodes stand for the switch that
# most of them belong on.
judge() {
    awk -v host="$HOST" '
        # A direct cable has the NIC at its other end in place of a port.
        function place(pe, ni, port) {
            port = port_of[pe, ni]
            return switch_of[pe, ni] (port ~ /^[0-9]+$/ ? " port " : " to ") port
        }
        FNR == 1 { part++ }
        part == 1 {
            switch_of[$1, $2] = $3
            port_of[$1, $2] = $4
            at[$3, $4] = $1 " NIC" $2
            port_named[$3, $7] = $4
            ni_named[$1, $6] = $2
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
                if (($2, port) in port_named) port = port_named[$2, port]
                else if (match(port, /[0-9]+$/)) port = substr(port, RSTART) + 0
                if ($2 == switch_of[host, ni] || !(ni in found)) {
                    found[ni] = $2
                    found_port[ni] = port == "-" ? "" : port
                }
            } else if ($2 in is_pe) {
                if (($2, $3) in ni_named) {
                    there = switch_of[$2, ni_named[$2, $3]]
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
                what = host ": NIC" ni " (" dev_of[ni] ")"
                is = (ni in found) ? found[ni] : ((ni in winner) ? winner[ni] : "")
                if (is == switch_of[host, ni]) {
                    right++
                    continue
                }
                if (is == "") {
                    whom = (ni in stranger) ? "sees " stranger[ni] ", which is not in the design" : "has no neighbour"
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

# Asks for an address on an interface without an own address: nodes of any subnet reply.
asks() {
    arping -D -c 2 -w 2 -I "$1" "$2" 2>&1 | grep -qi 'reply from' && printf '%s %s -\n' "$1" "$3" >>"$WORK/seen"
}

# Asks up to four nodes per switch on one interface, 64 at a time. Reads switches from standard input.
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
    command -v arping >/dev/null || die "--arp needs the program arping of the package iputils-arping"
    [ "$(id -u)" = 0 ] || die "--arp needs root"
    : >"$WORK/seen"
    while read -r ni dev; do
        [ -e "/sys/class/net/$dev" ] || continue
        own=$(awk -v host="$HOST" -v ni="$ni" '$1 == host && $2 == ni { print $3 }' "$WORK/cables")
        printf '%s\n' "$own" | ask_all "$dev"
        grep -q "^$dev " "$WORK/seen" && continue
        awk -v own="$own" '$3 != own && !seen[$3]++ { print $3 }' "$WORK/cables" | ask_all "$dev"
    done <"$WORK/nis"
    # ARP does not show ports: one line per switch.
    sort -u "$WORK/seen" >"$WORK/sorted"
    mv "$WORK/sorted" "$WORK/seen"
}

# Sends the output of lldpctl as JSON. The key is in a file, so that other users do not see it among the processes.
report() {
    address=$(printf '%s\n' "${REPORT%%#*}" | sed 's|/d/\([^/]*\)/cabling$|/api/designs/\1/cabling/audit|')
    {
        printf '{"host":"%s","interface":"%s","neighbours":"' "$HOST" "$INTERFACE"
        tr '\t' ' ' <"$WORK/lldp" | tr -d '\000-\010\013-\037' | sed 's/\\/\\\\/g; s/"/\\"/g' | awk '{ printf "%s\\n", $0 }'
        printf '"}'
    } >"$WORK/report"
    printf 'x-crosspoint-edit: %s\n' "${REPORT#*"#key="}" >"$WORK/key"
    status=$(curl -sS -m 30 -o "$WORK/answer" -w '%{http_code}' -H 'Content-Type: application/json' -H "@$WORK/key" \
        --data-binary "@$WORK/report" "$address") || die "--report: the studio cannot be reached"
    [ "$status" = 200 ] || die "--report: the studio answered $status: $(cat "$WORK/answer")"
    printf '%s: reported to the cabling page\n' "$HOST"
}

cables >"$WORK/cables"
own_nis >"$WORK/nis"
[ -s "$WORK/nis" ] || die "the design has no node of this name with a cable; name it with --host NAME"
if [ -z "$METHOD" ]; then
    METHOD=arp
    command -v lldpctl >/dev/null && METHOD=lldp
fi
if [ -n "$REPORT" ]; then
    [ "$METHOD" = lldp ] || die "--report needs --lldp"
    command -v curl >/dev/null || die "--report needs the program curl"
fi
case $METHOD in
lldp)
    command -v lldpctl >/dev/null || die "--lldp needs the program lldpctl of the package lldpd"
    lldpctl -f keyvalue >"$WORK/lldp" || die "lldpctl does not answer: check that lldpd is running"
    neighbours <"$WORK/lldp" >"$WORK/seen"
    ;;
arp) by_arp ;;
esac
# An empty file would not count as the third.
[ -s "$WORK/seen" ] || printf -- '- - -\n' >"$WORK/seen"
judge
code=$?
[ -z "$REPORT" ] || report
exit "$code"
