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
#
# (The command is called by name, and would see a local variable instead of one of the
# test that has the same name. The names here are therefore long.)
wait_for() {
	local wait_left=$(($1 * 1000000)) wait_fifo=${SCRATCH:-$(mktemp -d)}/never
	local wait_pause=10 wait_before=${EPOCHREALTIME//[!0-9]/} wait_after wait_running
	shift
	[ -p "$wait_fifo" ] || mkfifo "$wait_fifo" || return
	: "${PROCESSORS:=$(nproc)}"
	until "$@"; do
		[ "$wait_left" -gt 0 ] || return 1
		read -r -t "0.0$wait_pause" _ <>"$wait_fifo"
		[ $wait_pause -ge 90 ] || wait_pause=$((wait_pause + wait_pause / 4))
		read -r _ _ _ wait_running _ </proc/loadavg
		# This shell is one of those that run.
		wait_running=$((${wait_running%/*} - 1))
		((wait_running >= PROCESSORS)) || wait_running=$PROCESSORS
		((wait_running <= 10 * PROCESSORS)) || wait_running=$((10 * PROCESSORS))
		wait_after=${EPOCHREALTIME//[!0-9]/}
		((wait_left -= (wait_after - wait_before) * PROCESSORS / wait_running))
		wait_before=$wait_after
	done
}
