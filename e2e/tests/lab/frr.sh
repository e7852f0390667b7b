# usage: sh frr.sh ROOT FILES
# Runs FRR of the Debian in ROOT on the files below FILES. Takes a network namespace with mounts and processes of its own.
set -eu

mount -t proc none "$1/proc"
mount --rbind /dev "$1/dev"
mount -t tmpfs none "$1/run"
mount -t tmpfs none "$1/var/tmp"
mount --bind "$2" "$1/mnt"
for file in daemons frr.conf; do
    mount --bind "$2/etc/frr/$file" "$1/etc/frr/$file"
done
exec chroot "$1" sh -eu -c '
    sysctl --quiet --load /mnt/etc/sysctl.d/90-crosspoint.conf
    vtysh --dryrun --inputfile /etc/frr/frr.conf
    /usr/lib/frr/frrinit.sh start
    exec sleep infinity'
