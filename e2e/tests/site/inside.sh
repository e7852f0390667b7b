#!/bin/sh
# usage: inside.sh ROOT FOLDER COMMAND... - in namespaces of its own (`unshare --mount --net --pid --fork --kill-child`):
# enters the Debian in ROOT with FOLDER as /mnt, starts PostgreSQL and Redis, and runs the command there. They end with it.
set -eu
root=$1 folder=$2
shift 2
# One database server at a time.
exec 9>"$root/lock"
flock 9
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/dev/shm"
mount --bind "$folder" "$root/mnt"
exec chroot "$root" sh -eu -c '
    ip link set lo up
    # A run that was killed leaves its pid.
    rm -f /var/lib/postgresql/*/main/postmaster.pid
    # The data lasts for one test.
    for main in /etc/postgresql/*/main; do echo "fsync = off" >"$main/conf.d/test.conf"; done
    service postgresql start >/dev/null
    redis-server --save "" --daemonize yes >/dev/null
    "$@"
    service postgresql stop >/dev/null' sh "$@"
