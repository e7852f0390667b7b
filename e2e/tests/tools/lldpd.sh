# usage: sh lldpd.sh NAME FOLDER
# Runs lldpd under that name, with a socket in the folder; it announces interfaces by their names.
set -eu

hostname "$1"
mount -t tmpfs none /run
mkdir -p /run/lldpd
mount -t tmpfs none /etc/lldpd.d
echo 'configure lldp tx-interval 1' >/etc/lldpd.d/interval.conf
exec lldpd -d -u "$2/$1.socket"
