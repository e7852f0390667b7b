#!/bin/sh
# Nodes of Lab <8> & 'co', "quoted" $(x) (8 nodes).
# Addresses: 10.S.0.0/16 for switch S; the host part is the node number plus 1.
# NICs without a permanent MAC address in the setting `macs` have a computed MAC address.
# usage: PROFILE=admin sh FILE add    adds subnets and machines that MAAS does not have; commission the machines then
# usage: PROFILE=admin sh FILE link   gives the NICs of commissioned machines their names and addresses
# Needs maas, logged in as $PROFILE, and jq. Set ARCHITECTURE (default amd64/generic) and POWER (default power_type=manual) for all machines.
set -eu
MTU=9000

# Name and network of each switch.
subnets() {
    cat <<'END'
sw00 10.0.0.0/16
sw01 10.1.0.0/16
sw02 10.2.0.0/16
sw03 10.3.0.0/16
sw04 10.4.0.0/16
sw05 10.5.0.0/16
END
}

# Each node with the MAC addresses of its NICs.
machines() {
    cat <<'END'
node000 02:0a:00:00:00:00 02:0a:00:00:00:20 02:0a:00:00:00:40
node001 02:0a:00:00:01:01 02:0a:00:00:01:21 02:0a:00:00:01:41
node002 02:0a:00:00:02:02 02:0a:00:00:02:22 02:0a:00:00:02:42
node003 02:0a:00:00:03:03 02:0a:00:00:03:23 02:0a:00:00:03:43
node004 02:0a:00:00:04:04 02:0a:00:00:04:24
node005 02:0a:00:00:05:05 02:0a:00:00:05:25 02:0a:00:00:05:45
node006 02:0a:00:00:06:06 02:0a:00:00:06:26
node007 02:0a:00:00:07:07 02:0a:00:00:07:27 02:0a:00:00:07:47
END
}

# Node, NIC, MAC address, network and address.
nics() {
    cat <<'END'
node000 eth0 02:0a:00:00:00:00 10.0.0.0/16 10.0.0.1
node000 eth1 02:0a:00:00:00:20 10.2.0.0/16 10.2.0.1
node000 eth2 02:0a:00:00:00:40 10.4.0.0/16 10.4.0.1
node001 eth0 02:0a:00:00:01:01 10.0.0.0/16 10.0.0.2
node001 eth1 02:0a:00:00:01:21 10.2.0.0/16 10.2.0.2
node001 eth2 02:0a:00:00:01:41 10.5.0.0/16 10.5.0.2
node002 eth0 02:0a:00:00:02:02 10.0.0.0/16 10.0.0.3
node002 eth1 02:0a:00:00:02:22 10.3.0.0/16 10.3.0.3
node002 eth2 02:0a:00:00:02:42 10.4.0.0/16 10.4.0.3
node003 eth0 02:0a:00:00:03:03 10.0.0.0/16 10.0.0.4
node003 eth1 02:0a:00:00:03:23 10.3.0.0/16 10.3.0.4
node003 eth2 02:0a:00:00:03:43 10.5.0.0/16 10.5.0.4
node004 eth0 02:0a:00:00:04:04 10.1.0.0/16 10.1.0.5
node004 eth1 02:0a:00:00:04:24 10.2.0.0/16 10.2.0.5
node005 eth0 02:0a:00:00:05:05 10.1.0.0/16 10.1.0.6
node005 eth1 02:0a:00:00:05:25 10.2.0.0/16 10.2.0.6
node005 eth2 02:0a:00:00:05:45 10.5.0.0/16 10.5.0.6
node006 eth0 02:0a:00:00:06:06 10.1.0.0/16 10.1.0.7
node006 eth1 02:0a:00:00:06:26 10.3.0.0/16 10.3.0.7
node007 eth0 02:0a:00:00:07:07 10.1.0.0/16 10.1.0.8
node007 eth1 02:0a:00:00:07:27 10.3.0.0/16 10.3.0.8
node007 eth2 02:0a:00:00:07:47 10.4.0.0/16 10.4.0.8
END
}

usage() {
    sed -n 's/^# usage: //p' "$0" >&2
    exit 2
}

: "${PROFILE:=admin}" "${ARCHITECTURE:=amd64/generic}" "${POWER:=power_type=manual}"

ask() { maas "$PROFILE" "$@" </dev/null; }

# The part of an answer of MAAS that a jq filter selects; $value in it is the second argument.
first() { jq -r --arg value "$2" "first($1)"; }

add_subnets() {
    known=$(ask subnets read)
    subnets | while read -r name cidr; do
        [ -z "$(printf '%s' "$known" | first '.[] | select(.cidr == $value) | .id' "$cidr")" ] || continue
        vlan=$(ask fabrics create "name=$name" | first '.vlans[].id' '')
        ask subnets create "name=$name" "cidr=$cidr" "vlan=$vlan" >/dev/null
        echo "added subnet $name, $cidr"
    done
}

add_machines() {
    known=$(ask machines read)
    machines | while read -r host macs; do
        [ -z "$(printf '%s' "$known" | first '.[] | select(.hostname == $value) | .system_id' "$host")" ] || continue
        set --
        for mac in $macs; do set -- "$@" "mac_addresses=$mac"; done
        # POWER may be several settings.
        # shellcheck disable=SC2086
        ask machines create "hostname=$host" "architecture=$ARCHITECTURE" $POWER "$@" >/dev/null
        echo "added machine $host"
    done
}

link_interfaces() {
    all_machines=$(ask machines read)
    all_subnets=$(ask subnets read)
    nics | while read -r host nic mac cidr address; do
        machine=$(printf '%s' "$all_machines" | first '.[] | select(.hostname == $value) | .system_id' "$host")
        subnet=$(printf '%s' "$all_subnets" | first '.[] | select(.cidr == $value) | .id' "$cidr")
        vlan=$(printf '%s' "$all_subnets" | first '.[] | select(.cidr == $value) | .vlan.id' "$cidr")
        own=$(ask interfaces read "$machine" | first '.[] | select(.mac_address == $value) | .id' "$mac")
        if [ -z "$machine" ] || [ -z "$subnet" ] || [ -z "$own" ]; then
            echo "$0: MAAS has no machine $host, no NIC $mac of it, or no subnet $cidr" >&2
            exit 1
        fi
        ask interface disconnect "$machine" "$own" >/dev/null
        ask interface update "$machine" "$own" "name=$nic" "mtu=$MTU" "vlan=$vlan" >/dev/null
        ask interface link-subnet "$machine" "$own" mode=STATIC "subnet=$subnet" "ip_address=$address" >/dev/null
        echo "$host $nic has $address"
    done
}

case ${1-} in
add)
    add_subnets
    add_machines
    ;;
link) link_interfaces ;;
*) usage ;;
esac
