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
