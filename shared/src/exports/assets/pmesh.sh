# Nothing is set on the machine as a whole.
set_machine() {
    :
}

# A host answers for an address on that address's NI only (arp_ignore) and announces the address of the NI it asks from
# (arp_announce), since switches of several rows join several subnets. What goes and what comes back may go through different
# hosts (rp_filter). All hosts hand packets on (forwarding).
set_interface() {
    setting "net/ipv4/conf/$1/arp_ignore" 1
    setting "net/ipv4/conf/$1/arp_announce" 2
    setting "net/ipv4/conf/$1/rp_filter" 2
    setting "net/ipv4/conf/$1/forwarding" 1
}

# The own address is the one in the last dimension, so that answers come back in dimension order, too.
route_lines() {
    routes | while read -r net next ni how; do
        device "$ni"
        printf 'route replace %s via %s dev %s src %s %s\n' "$net" "$next" "$dev" "$ADDRESS" "$how"
    done
}

undo_machine_lines() {
    routes | while read -r net next ni how; do
        device "$ni"
        printf 'route del %s via %s dev %s\n' "$net" "$next" "$dev"
    done
}
