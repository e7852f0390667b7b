#!/bin/sh
# Port GUIDs of a node of Lab <8> & 'co', "quoted" $(x), as the setting `guids` takes them: pdsh -N -a sh guids.sh > guids.txt
# Needs ibstat.
set -eu
DEVICES='mlx5_0 mlx5_1 mlx5_2'

# Name, number and NICs of each node.
nodes() {
    cat <<'END'
pe000 0 3
pe001 1 3
pe002 2 3
pe003 3 3
pe004 4 2
pe005 5 3
pe006 6 2
pe007 7 3
END
}

host=$(uname -n)
nodes | while read -r name pe nics; do
    [ "$name" = "${host%%.*}" ] || continue
    ni=0
    for device in $DEVICES; do
        [ "$ni" -lt "$nics" ] || break
        guid=$(ibstat -p "$device" | head -n 1)
        case $guid in
        0x*) echo "pe$pe.ni$ni=$guid" ;;
        *) echo "guids.sh: $name has no InfiniBand port on $device" >&2 ;;
        esac
        ni=$((ni + 1))
    done
done
