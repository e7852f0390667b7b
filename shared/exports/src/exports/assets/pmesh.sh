# Nothing is set on the machine as a whole.
set_machine() {
    :
}

# A node answers for an address only on that address's NIC (arp_ignore) and announces the address of the sending NIC
# (arp_announce), since switches of several rows join several subnets. Both directions may go through different nodes
# (rp_filter). All nodes forward packets (forwarding).
set_interface() {
    setting "net/ipv4/conf/$1/arp_ignore" 1
    setting "net/ipv4/conf/$1/arp_announce" 2
    setting "net/ipv4/conf/$1/rp_filter" 2
    setting "net/ipv4/conf/$1/forwarding" 1
}

# The own address is that in the last dimension, so replies also take dimension order.
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
