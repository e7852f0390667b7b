#!/bin/sh
# Port GUIDs of a node of Lab <8> & 'co', "quoted" $(x), as the setting `guids` takes them: pdsh -N -a sh guids.sh > guids.txt
# Needs ibstat.
set -eu
DEVICES='mlx5_0 mlx5_1 mlx5_2'

# Name of each node and its number of NICs.
nodes() {
    cat <<'END'
node000 3
node001 3
node002 3
node003 3
node004 2
node005 3
node006 2
node007 3
END
}

host=$(uname -n)
nodes | while read -r name nics; do
    [ "$name" = "${host%%.*}" ] || continue
    ni=0
    for device in $DEVICES; do
        [ "$ni" -lt "$nics" ] || break
        guid=$(ibstat -p "$device" | head -n 1)
        case $guid in
        0x*) echo "$name.ni$ni=$guid" ;;
        *) echo "guids.sh: $name has no InfiniBand port on $device" >&2 ;;
        esac
        ni=$((ni + 1))
    done
done
