# wait.sh - waiting for a condition, in bash
#
# shellcheck shell=bash

# wait_for SECONDS COMMAND...: until it succeeds; fails when it never does
#
# Between two tries it waits 10 ms at first and 100 ms at the end. No process is
# started for that: on some machines a `sleep` costs more than what is waited for.
# The wait is a read from a FIFO into which nobody writes.
wait_for() {
	local end=$((SECONDS + $1)) fifo=${SCRATCH:-$(mktemp -d)}/never pause=10
	shift
	[ -p "$fifo" ] || mkfifo "$fifo" || return
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		read -r -t "0.0$pause" _ <>"$fifo"
		[ $pause -ge 90 ] || pause=$((pause + pause / 4))
	done
}
