# The node's address is on the loopback interface, which stays up without cables. Flows are hashed by their ports, so
# flows between two nodes spread over all paths.
set_machine() {
    remember lo
    ip link set dev lo up
    ip address replace "$ADDRESS/32" dev lo
    setting net/ipv4/fib_multipath_hash_policy 1
}

