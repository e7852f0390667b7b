#!/bin/sh
# Switch sw05 of Lab <8> & 'co', "quoted" $(x).
# Unused ports are shut down.
# To use these port names in all files, set `port` under [names] in the spec.
# RDMA traffic: DSCP 26, priority 3. Tune buffers and ECN thresholds for your site.

set -eu

hostname sw05
[ -e /sys/class/net/br0 ] || ip link add br0 type bridge stp_state 0
# Port, and both ends of its cable.
port() {
    ip link set dev "$1" alias "$2"
    ip link set dev "$1" mtu 9000 master br0 up
    dcb pfc set dev "$1" prio-pfc all:off 3:on
    dcb app replace dev "$1" dscp-prio 26:3
}
port swp1 'sw05 swp1 to node001 eth2'
port swp2 'sw05 swp2 to node003 eth2'
port swp3 'sw05 swp3 to node005 eth2'
ip link set dev swp4 down
ip link set dev swp5 down
ip link set dev br0 mtu 9000 up
