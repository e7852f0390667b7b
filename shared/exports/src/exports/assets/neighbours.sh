# This form sets nothing on the machine as a whole.
set_machine() {
    :
}

# A node has an address on each of its subnets. It answers for an address only on that subnet's NIC (arp_ignore) and
# announces the address of the sending NIC (arp_announce), or others would learn the wrong path. Loose reverse path
# filtering accepts replies to the address of another NIC.
set_interface() {
    setting "net/ipv4/conf/$1/arp_ignore" 1
    setting "net/ipv4/conf/$1/arp_announce" 2
    setting "net/ipv4/conf/$1/rp_filter" 2
}

