#!/bin/sh
# The client's script: keeps what a server offered in the file $ANSWER.
[ "$1" != bound ] || env | grep -E '^(ip|mask|router|boot_file|hostname)=' | sort >"$ANSWER"
