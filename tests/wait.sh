# wait.sh - waiting for a condition, in bash
#
# shellcheck shell=bash

# wait_for SECONDS COMMAND...: until it succeeds; fails when it never does
wait_for() {
	local end=$((SECONDS + $1)) pause=0.02
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep $pause
	done
}
