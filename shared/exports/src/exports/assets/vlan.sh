# An interface for each VLAN on the only NIC, created before anything else. An existing one must be from an earlier run,
# which remembered it.
set_machine() {
    device 0
    for vlan in $VLANS; do
        if ip link show dev "vlan$vlan" >/dev/null 2>&1; then
            grep -q "^vlan$vlan " "$STATE/interfaces" ||
                die "there is an interface vlan$vlan already; remove it, or choose another first VLAN"
            continue
        fi
        ip link add link "$dev" name "vlan$vlan" address "$MAC" type vlan id "$vlan" ||
            die "$dev takes no VLAN $vlan; has the kernel 802.1Q (the module 8021q)?"
    done
}

# Replies may arrive in another VLAN than requests left in.
set_interface() {
    setting "net/ipv4/conf/$1/rp_filter" 2
}

route_lines() {
    neighbours | while read -r ni address mac; do
        device "$ni"
        printf 'route replace %s/32 dev %s src %s\n' "$address" "$dev" "$ADDRESS"
    done
}

# Addresses, neighbours and routes are removed with their interfaces.
undo_machine_lines() {
    for vlan in $VLANS; do
        printf 'link del vlan%s\n' "$vlan"
    done
}
