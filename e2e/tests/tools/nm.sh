# usage: sh nm.sh ROOT
# Runs NetworkManager on the files below ROOT/etc, in a network namespace with mounts and a bus of its own.
set -eu

# It finds nothing of this machine, and asks no udev for interfaces.
mount -t tmpfs none /run
mkdir -p /run/dbus
mount -t tmpfs none /etc/NetworkManager
mkdir -p /var/lib/NetworkManager
mount -t tmpfs none /var/lib/NetworkManager
mount -o remount,ro /sys

cp -R "$1/etc/NetworkManager/." /etc/NetworkManager/
chmod 600 /etc/NetworkManager/system-connections/*
/lib/systemd/systemd-sysctl "$1/etc/sysctl.d/90-crosspoint.conf"
dbus-daemon --system --nofork --nopidfile &
bus=$!
while [ ! -S /run/dbus/system_bus_socket ]; do sleep 0.05; done
NetworkManager --no-daemon &
manager=$!
trap 'kill "$manager" "$bus"' EXIT
trap exit TERM
wait "$manager"
