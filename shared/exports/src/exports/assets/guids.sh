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
