#!/bin/sh
# Stands in for `ip` in a laboratory whose kernel has neither 802.1Q interfaces nor bridges that filter VLANs.
#
# An interface of a VLAN becomes one end of a veth pair. What leaves it gets the tag at the other end and goes out of the NI; what
# comes in at the NI with a tag loses it and goes to the pair of that VLAN (tag.o, whose pairs have numbers that tell the VLAN).
# A bridge that filters VLANs becomes a plain one, which floods, and a table of nftables that lets through what the members of
# VLANs and the entries for hosts allow, and keeps what it let through. Everything else is ip's own work.
set -eu
here=$(dirname "$0")
PATH=${PATH#"$here":}

case "$*" in
"link add link "*" type vlan id "*)
    dev=$4 name=$6 mac=$8 vlan=${12}
    ip link add name "$name" index $((20000 + vlan)) address "$mac" type veth \
        peer name "tag$vlan" index $((10000 + vlan))
    ip link set dev "tag$vlan" up
    tc qdisc add dev "tag$vlan" clsact
    tc filter add dev "tag$vlan" ingress bpf da obj "$here/tag.o" sec push
    tc qdisc show dev "$dev" | grep -q clsact || {
        tc qdisc add dev "$dev" clsact
        tc filter add dev "$dev" ingress bpf da obj "$here/tag.o" sec pop
    }
    ;;
"link add name "*" type bridge vlan_filtering 1 vlan_default_pvid 0 stp_state 0 mcast_snooping 0")
    ip link add name "$4" type bridge stp_state 0 mcast_snooping 0
    nft -f "$here/vlans.nft"
    ;;
"link set dev "*" master "*" up")
    ip "$@"
    bridge link set dev "$4" learning off flood on
    ;;
"link del dev "*)
    ip "$@"
    ! nft list table bridge crosspoint >/dev/null 2>&1 || nft delete table bridge crosspoint
    ;;
*) exec ip "$@" ;;
esac
