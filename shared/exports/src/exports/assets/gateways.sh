# A route spreads over its next hops: own NICs, and NICs with the gateway of their switch.
route_lines() {
    routes | while read -r to hops; do
        line=
        # NIC numbers and addresses: nothing to expand.
        for hop in $hops; do
            device "${hop%@*}"
            case $hop in
            *@*) line="$line nexthop via ${hop#*@} dev $dev onlink" ;;
            *) line="$line nexthop dev $dev" ;;
            esac
        done
        printf 'route replace %s%s%s\n' "$to" "${ADDRESS:+ src $ADDRESS}" "$line"
    done
}

undo_machine_lines() {
    routes | while read -r to hops; do
        printf 'route del %s%s\n' "$to" "${ADDRESS:+ src $ADDRESS}"
    done
    [ -z "$ADDRESS" ] || printf 'address del %s/32 dev lo\n' "$ADDRESS"
}
