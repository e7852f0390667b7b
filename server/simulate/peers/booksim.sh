#!/bin/sh
# Builds BookSim 2 from a checkout with Crosspoint's patch, simulates the same networks with both and prints the figures.
#
#   server/simulate/peers/booksim.sh CHECKOUT [CROSSPOINT]
#
# CHECKOUT is a git checkout of BookSim 2 (tried: commit 28f4329); it stays as it is. BookSim needs flex, bison and a C++
# compiler. CROSSPOINT is the command to compare, by default target/release/crosspoint.
set -eu
checkout=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../../.." && pwd)
crosspoint=${2:-$root/target/release/crosspoint}
work=$root/target/peers/booksim
rm -rf "$work"
mkdir -p "$work"
git clone --quiet "$checkout" "$work/booksim2"
git -C "$work/booksim2" apply "$root/server/simulate/peers/booksim2.patch"
make --silent -C "$work/booksim2/src" -j 2 >"$work/build.log" 2>&1 || { tail "$work/build.log"; exit 1; }
cd "$work"

cat >spec.toml <<'SPEC'
pes = 24
nis_per_pe = 3
[[switch]]
ports = 12
count = 8
[[pattern]]
kind = "torus"
dims = [4, 6]
SPEC
"$crosspoint" search spec.toml --seconds 60 --threads 1 -o wiring.txt 2>search.log || { cat search.log; exit 1; }

# Accepted load and mean latency of both: compare LABEL LOAD ARGUMENT...
compare() {
	label=$1 load=$2
	shift 2
	# Few frames are sent at a low load, so it runs longer.
	cycles=$((${load%.*} ? 40000 : 1000000))
	set -- "$@" --load "$load" --cycles $cycles --ignored $((cycles / 5))
	"$crosspoint" simulate "$@" --booksim case.cfg 2>/dev/null
	"$crosspoint" simulate "$@" --json 2>/dev/null >ours.json || true
	# BookSim's exit code says nothing; a run without figures is a fault.
	booksim2/src/booksim case.cfg >booksim.log 2>&1 || true
	grep -q '^Accepted flit rate average = ' booksim.log || { tail booksim.log; exit 1; }
	if grep -q '"deadlock": {' ours.json; then
		echo "| $label | $load | deadlock | | | | |"
		return
	fi
	ours=$(tr -d ' \n' <ours.json | sed 's/.*"accepted":\([0-9.e-]*\).*"mean":\([0-9.e-]*\).*/\1 \2/')
	nodes=$(sed -n 's/.*average \* \([0-9]*\) nodes.*/\1/p' case.cfg)
	senders=$(sed -n 's/.* nodes \/ \([0-9]*\) senders.*/\1/p' case.cfg)
	flits=$(sed -n 's/^Accepted flit rate average = \([0-9.e-]*\).*/\1/p' booksim.log | tail -n 1)
	latency=$(sed -n 's/^Packet latency average = \([0-9.e-]*\).*/\1/p' booksim.log | tail -n 1)
	echo "$label|$load|$ours|$flits $latency $nodes $senders" | awk -F '[| ]' '{
		accepted = $(NF - 3) * $(NF - 1) / $NF
		printf "| %s | %s | %.4f | %.4f | %+.1f %% | %.0f | %.0f |\n", label, load, $(NF - 5), accepted,
			100 * ($(NF - 5) / accepted - 1), $(NF - 4), $(NF - 2)
	}' label="$label" load="$load"
}

echo "| network, traffic | load | accepted, Crosspoint | accepted, BookSim | difference | latency, Crosspoint | latency, BookSim |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
for load in 0.1 1; do
	compare "one switch, 8 hosts" $load --fabric switch:8 --traffic uniform
	compare "mesh 4x4" $load --fabric mesh:4x4 --traffic uniform
	compare "mesh 4x4, dimension order, transpose" $load --fabric mesh:4x4 --routing dor --traffic transpose
	compare "tree of 64 hosts, 4 roots" $load --fabric tree:64,16,4,4 --traffic uniform --paths random
	compare "fat-tree:64,8,3" $load --fabric fat-tree:64,8,3 --traffic uniform
	compare "fat-tree:64,8,3, ECMP by frame" $load --fabric fat-tree:64,8,3 --routing ecmp --paths random --traffic uniform
	compare "rail-clos:8,4,8,2" $load --fabric rail-clos:8,4,8,2 --traffic uniform
	compare "wiring, 24 nodes of 3 NICs, its demand" $load spec.toml wiring.txt --traffic demand
	compare "mesh 4x4, hot spot" $load --fabric mesh:4x4 --traffic hot-spot:0,0.1
	compare "mesh 8x8" $load --fabric mesh:8x8 --traffic uniform
	for network in torus:8x8 mesh:8x8 fat-tree:64,8,3; do
		compare "$network, 2 virtual channels" $load --fabric $network --traffic uniform --virtual-channels 2
	done
done
