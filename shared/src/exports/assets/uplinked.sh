# The node's address is on the loopback interface, which stays up without cables. Flows are hashed by their ports, so
# flows between two nodes spread over all paths.
set_machine() {
    remember lo
    ip link set dev lo up
    ip address replace "$ADDRESS/32" dev lo
    setting net/ipv4/fib_multipath_hash_policy 1
}

# Replies may arrive on another NIC than the request left by (rp_filter). NICs without a carrier are left out of routes
# with several NICs (ignore_routes_with_linkdown). A NIC asks for its gateway with its address in the gateway's subnet
# (arp_announce). Nodes forward nothing.
set_interface() {
    setting "net/ipv4/conf/$1/rp_filter" 2
    setting "net/ipv4/conf/$1/ignore_routes_with_linkdown" 1
    setting "net/ipv4/conf/$1/arp_announce" 2
}

