# What this form sets beside MAC addresses, addresses and neighbours: nothing on the machine as a whole.
set_machine() {
    :
}

# A PE has an address on each of its subnets. It answers for an address on that subnet's NI only (arp_ignore) and
# announces the address of the NI it asks from (arp_announce), or others would learn the wrong path. Loose reverse
# path filtering lets in answers to an address of another of its NIs.
set_interface() {
    setting "net/ipv4/conf/$1/arp_ignore" 1
    setting "net/ipv4/conf/$1/arp_announce" 2
    setting "net/ipv4/conf/$1/rp_filter" 2
}

# Subnets bring their routes with them.
route_lines() {
    :
}

undo_machine_lines() {
    :
}
