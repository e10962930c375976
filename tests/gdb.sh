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

# The same of ours; one that was not found has none.
reached() { # PROGRAM LOC...
	local program=$1 loc
	local -a commands=()
	shift
	for loc; do
		commands+=(-e "break $loc if 1")
	done
	perftool -n -q -b --pending -f json -o report.json -e 'monitor on' \
		"${commands[@]}" "$program" >/dev/null 2>log
	/usr/bin/python3 -c 'import json, sys
nodes = {n["id"]: n for n in json.load(open("report.json"))["nodes"]}
for i in range(1, int(sys.argv[1]) + 1):
    n = nodes.get(i, {"addresses": [], "count": 0})
    print(len(n["addresses"]), n["count"])' $# 2>&1
	rm -f report.json
}
