# wait.sh - waiting for a condition, in bash
#
# shellcheck shell=bash

PROCESSORS='' # how many there are; set by the first wait

# wait_for SECONDS COMMAND...: until it succeeds; fails when it never does
#
# Between two tries it waits 10 ms at first and 100 ms at the end. No process is
# started for that: on some machines a `sleep` costs more than what is waited for.
# The wait is a read from a FIFO into which nobody writes.
#
# A second lasts longer while more threads want to run than there are processors, as
# tests/programs/within.c says.
wait_for() {
	local left=$(($1 * 1000000)) fifo=${SCRATCH:-$(mktemp -d)}/never pause=10
	local before=${EPOCHREALTIME//[!0-9]/} after running
	shift
	[ -p "$fifo" ] || mkfifo "$fifo" || return
	: "${PROCESSORS:=$(nproc)}"
	until "$@"; do
		[ "$left" -gt 0 ] || return 1
		read -r -t "0.0$pause" _ <>"$fifo"
		[ $pause -ge 90 ] || pause=$((pause + pause / 4))
		read -r _ _ _ running _ </proc/loadavg
		running=${running%/*}
		running=$((running > PROCESSORS ? running : PROCESSORS))
		running=$((running < 10 * PROCESSORS ? running : 10 * PROCESSORS))
		after=${EPOCHREALTIME//[!0-9]/}
		left=$((left - (after - before) * PROCESSORS / running))
		before=$after
	done
}
