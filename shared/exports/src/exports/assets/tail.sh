for word in "$@"; do
    case $word in
    apply | undo | check) ACTION=$word ;;
    --force) FORCE=1 ;;
    *) die "$word: expected apply, undo, check or --force" ;;
    esac
done

case $ACTION in
apply) apply ;;
undo) undo ;;
check) check && say "ready" ;;
esac
