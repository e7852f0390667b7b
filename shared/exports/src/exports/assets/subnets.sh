# Subnets bring their routes with them.
route_lines() {
    :
}

undo_machine_lines() {
    :
}
