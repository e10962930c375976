# shellcheck shell=bash
# Sourced by tests that ask gdb for a second opinion.

# How many addresses gdb's breakpoints have, and how often they are reached: a
# line each.
gdb_reached() { # PROGRAM LOC...
	local program=$1 loc
	local -a commands=()
	shift
	for loc; do
		commands+=(-ex "break $loc")
	done
	gdb -nx -batch -ex 'set breakpoint pending on' "${commands[@]}" \
		-ex 'python
for b in gdb.breakpoints(): b.ignore_count = 1000000' -ex run -ex 'python
for b in gdb.breakpoints(): print("REACHED", len(b.locations), b.hit_count)' \
		"$program" 2>gdb.log | sed -n 's/^REACHED //p'
}
