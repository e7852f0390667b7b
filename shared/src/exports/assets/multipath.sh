# The PE's own address is on the loopback interface, which no cable takes down. Flows are told apart by their ports, so
# that several of them between two PEs take several paths.
set_machine() {
    remember lo
    ip link set dev lo up
    ip address replace "$ADDRESS/32" dev lo
    setting net/ipv4/fib_multipath_hash_policy 1
}

# Answers may come in over another NI than questions went out (rp_filter). An NI without a carrier is left out of routes
# that have others (ignore_routes_with_linkdown). Only a PE that others are reached through hands packets on.
set_interface() {
    setting "net/ipv4/conf/$1/rp_filter" 2
    setting "net/ipv4/conf/$1/ignore_routes_with_linkdown" 1
    [ "$FORWARD" = 0 ] || setting "net/ipv4/conf/$1/forwarding" 1
}

route_lines() {
    routes | while read -r to rest; do
        hop= onlink=
        # Numbers of NIs, which hold nothing to expand.
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
