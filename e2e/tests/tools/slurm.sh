# usage: sh slurm.sh FOLDER
# Runs Slurm's controller on FOLDER/slurm.conf and FOLDER/topology.conf in namespaces of its own. Prints its topology, and the
# answers to jobs; the words of FOLDER/constraint ask for one switch.
set -eu

cd "$1"
# Names are looked up only where an address besides the loopback's is set.
ip link set lo up
ip link add d0 type veth peer name d1
ip link set d0 up
ip address add 192.0.2.1/24 dev d0
mount --bind "$1/names" /etc/hosts
hostname localhost

head -c 64 /dev/urandom >key
chmod 600 key
munged -F -f -S "$1/munge" --key-file="$1/key" --log-file="$1/munge.log" --pid-file="$1/munge.pid" --seed-file="$1/seed" \
    >munge.out 2>&1 &
munge=$!
export SLURM_CONF="$1/slurm.conf"
mkdir state
until [ -S munge ]; do sleep 0.1; done
slurmctld -D -i >controller.log 2>&1 &
controller=$!
trap 'kill $controller $munge' EXIT
tries=0
until scontrol ping 2>/dev/null | grep -q UP; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || { cat controller.log >&2; exit 1; }
    sleep 0.1
done

scontrol show topology >topology
printf '#!/bin/sh\nsleep 1\n' >job
refused() { if sbatch "$@" job >>answers 2>&1; then echo accepted; else echo refused; fi; }
constraint=$(cat constraint)
# Four nodes fit on a switch; five do not. Every node is on several leaves.
{
    sbatch --test-only -N 4 "$constraint" job 2>&1
    refused -N 5 "$constraint"
    # This would start at once.
    sbatch --parsable -N 2 --switches=1 job
    sleep 3
    squeue -h -o %T
    scancel --state=PENDING --user=root
    sbatch -N 4 --exclusive "$constraint" job
    sbatch -N 4 --exclusive "$constraint" job
} >./jobs
tries=0
until [ "$(squeue -h -o %N -t CONFIGURING,RUNNING | grep -c node)" = 2 ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || { squeue >&2; exit 1; }
    sleep 0.1
done
squeue -h -o %N >placed
for nodes in $(cat placed); do
    scontrol show hostnames "$nodes" | tr '\n' ' '
    echo
done >>./jobs
