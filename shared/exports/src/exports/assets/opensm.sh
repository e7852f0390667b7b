set -eu

conf=/etc/opensm/crosspoint/$1.conf
guid=$(ibstat -p "$2" | head -n 1)
case $guid in
0x*) exec opensm --config "$conf" --guid "$guid" ;;
*) echo "crosspoint-opensm: $2 has no InfiniBand port; ibstat lists those of this node" >&2; exit 1 ;;
esac
