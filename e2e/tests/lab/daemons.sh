# usage: sh daemons.sh ROOT
# Runs systemd-networkd on the files below ROOT/etc and ROOT/run, in a network namespace with mounts of its own.
set -eu

# It finds nothing of this machine: neither its settings, nor its bus, nor what its udev knows of interfaces.
mount -t tmpfs none /run
mkdir -p /run/systemd/network /run/systemd/netif/links /run/systemd/netif/leases /run/systemd/netif/lldp
mount -t tmpfs none /etc/systemd
mount -o remount,ro /sys

[ ! -d "$1/etc/systemd/network" ] || cp -R "$1/etc/systemd/network" /etc/systemd/
[ ! -d "$1/run/systemd/network" ] || cp -R "$1/run/systemd/network" /run/systemd/
# The daemon gives up being root.
chmod -R a+rX /etc/systemd /run/systemd
chown -R systemd-network /run/systemd/netif

/lib/systemd/systemd-sysctl "$1/etc/sysctl.d/90-crosspoint.conf"
exec /lib/systemd/systemd-networkd
