# Replies may arrive on another NIC than the request left by (rp_filter). NICs without a carrier are left out of routes
# with several NICs (ignore_routes_with_linkdown). A NIC asks for its gateway with its address in the gateway's subnet
# (arp_announce). Nodes forward nothing.
set_interface() {
    setting "net/ipv4/conf/$1/rp_filter" 2
    setting "net/ipv4/conf/$1/ignore_routes_with_linkdown" 1
    setting "net/ipv4/conf/$1/arp_announce" 2
}

