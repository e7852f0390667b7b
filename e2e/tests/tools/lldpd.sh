# usage: sh lldpd.sh NAME FOLDER
# Runs lldpd under that name, with a socket in the folder; it announces interfaces by their names.
set -eu

hostname "$1"
mount -t tmpfs none /run
mkdir -p /run/lldpd
exec lldpd -d -u "$2/$1.socket"
