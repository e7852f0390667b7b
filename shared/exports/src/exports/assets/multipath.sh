# Replies may arrive on another NIC than the request left by (rp_filter). NICs without a carrier are left out of routes
# with several NICs (ignore_routes_with_linkdown). Only nodes on the path to others forward packets.
set_interface() {
    setting "net/ipv4/conf/$1/rp_filter" 2
    setting "net/ipv4/conf/$1/ignore_routes_with_linkdown" 1
    [ "$FORWARD" = 0 ] || setting "net/ipv4/conf/$1/forwarding" 1
}

route_lines() {
    routes | while read -r to rest; do
        hop='' onlink=''
        # NIC numbers: nothing to expand.
        set -- $rest
        if [ "$1" = via ]; then
            hop="via $2 " onlink=' onlink'
            shift 2
        fi
        if [ $# = 1 ]; then
            device "$1"
            line="${hop}dev $dev$onlink"
        else
            line=
            for ni in "$@"; do
                device "$ni"
                line="$line nexthop ${hop}dev $dev$onlink"
            done
        fi
        printf 'route replace %s/32 src %s %s\n' "$to" "$ADDRESS" "$line"
    done
}

undo_machine_lines() {
    routes | while read -r to rest; do
        printf 'route del %s/32 src %s\n' "$to" "$ADDRESS"
    done
    printf 'address del %s/32 dev lo\n' "$ADDRESS"
}
