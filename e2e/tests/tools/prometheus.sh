#!/bin/sh
# usage: prometheus.sh FOLDER SCRIPT
# Runs Prometheus on FOLDER/prometheus.yml in namespaces of its own, and the node_exporters of nodes that all have the NICs eth0 and
# eth2, and eth1 without a carrier. The one on 127.0.0.1 has FOLDER/links.prom, the one on 127.0.0.2 is that of the other nodes, as
# FOLDER/names says. Then it runs the script of Python on the folder.
set -eu

cd "$1"
ip link set lo up
for nic in eth0 eth1 eth2; do
    ip link add "$nic" type veth peer name "far-$nic"
    ip link set "$nic" up
    [ "$nic" = eth1 ] || ip link set "far-$nic" up
done
mount -t sysfs sysfs /sys
mount --bind names /etc/hosts
mkdir links nothing
cp links.prom links

exporter() { exec prometheus-node-exporter --web.listen-address="$1:9100" --collector.textfile.directory="$2"; }
exporter 127.0.0.1 links >exporter.log 2>&1 &
first=$!
exporter 127.0.0.2 nothing >other-exporter.log 2>&1 &
other=$!
prometheus --config.file=prometheus.yml --storage.tsdb.path=data --web.listen-address=127.0.0.1:9090 >prometheus.log 2>&1 &
prometheus=$!
trap 'kill $first $other $prometheus; wait' EXIT
python "$2" "$1" || { cat prometheus.log exporter.log other-exporter.log >&2; exit 1; }
