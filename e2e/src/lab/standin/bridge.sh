#!/bin/sh
# Stands in for `bridge -batch FILE` with members of VLANs and entries for hosts: see ip.sh.
set -eu
[ "$1" = -batch ]
file=$2

while read -r line; do
    # Words of bridge's, which hold nothing to expand.
    set -- $line
    case $line in
    "vlan add dev "*" vid "*)
        for vlan in $(seq "${6%-*}" "${6#*-}"); do
            printf 'add element bridge crosspoint members { %s . "%s" }\n' "$vlan" "$4"
        done
        ;;
    "fdb replace "*" dev "*" vlan "*" master static")
        printf 'add element bridge crosspoint hosts { %s . %s . "%s" }\n' "$7" "$3" "$5"
        ;;
    *)
        echo "no stand-in for: $line" >&2
        exit 1
        ;;
    esac
done <"$file" >"$file.nft"
nft -f "$file.nft"
rm "$file.nft"
