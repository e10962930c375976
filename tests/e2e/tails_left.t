#!/usr/bin/env bash
# Functions that go on in another function by a tail jump: when the nodes of the
# first function are disabled or deleted, the others have their own code again,
# although the nodes of some other function are still in.
# tier: full
# covers: probe/arrival
# again: int3
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"
export XDG_RUNTIME_DIR=$SCRATCH/run
mkdir -m 700 "$XDG_RUNTIME_DIR"

# changed FUNCTION...: prints those of which the code in the memory of the
# program is not that of its file
changed() {
	/usr/bin/python3 - "$pid" "$PROGRAMS/tails" "$@" <<-'END'
		import subprocess, sys
		pid, path, *names = sys.argv[1:]
		symbols = {}
		for line in subprocess.check_output(["nm", "-S", path], text=True).split("\n"):
		    words = line.split()
		    if len(words) == 4:
		        symbols[words[3]] = int(words[0], 16), int(words[1], 16)
		maps = [line.split() for line in open("/proc/%s/maps" % pid)]
		base = min(int(m[0].split("-")[0], 16) for m in maps if m[-1] == path)
		code = {}
		for line in subprocess.check_output(["readelf", "-lW", path], text=True).split("\n"):
		    words = line.split()
		    if words[:1] == ["LOAD"]:
		        code[int(words[2], 16)] = int(words[1], 16), int(words[4], 16)
		for name in names:
		    address, size = symbols[name]
		    at = max(a for a in code if a <= address)
		    with open(path, "rb") as file:
		        file.seek(code[at][0] + address - at)
		        own = file.read(size)
		    with open("/proc/%s/mem" % pid, "rb", 0) as memory:
		        memory.seek(base + address)
		        if memory.read(size) != own:
		            print(name)
	END
}
# count LEG: prints how many executions there are
count() {
	perftool ctl "$pid" print legs columns=id,count |
		awk -v leg="$1" '$1 ~ "^" leg "[*]?$" { gsub("[^0-9]", "", $2); print $2 }'
}
grows() { # LEG COUNT
	[ "$(count "$1")" -gt "$2" ]
}
has_child() {
	pgrep -P "$started" >/dev/null
}

for mechanism in int3 auto; do
	start perftool serve -q -n -e "set mechanism $mechanism" \
		"$PROGRAMS/tails" 100000000
	wait_for 20 has_child || fail 'no program was started'
	pid=$(pgrep -P "$started")
	wait_for 20 test -S "$XDG_RUNTIME_DIR/perftool/$pid.sock" ||
		fail 'there is no socket'
	is "$(changed first second third even odd)" '' "$mechanism: nothing is in the program"
	ok "$mechanism: a function is timed" perftool ctl "$pid" time even
	ok "$mechanism: and one that two others go on for" \
		perftool ctl "$pid" time first
	ok "$mechanism: it counts" wait_for 20 grows 1 0
	is "$(changed first second third | tr '\n' ' ')" 'first second third ' \
		"$mechanism: the ends of its frames are watched in the others"
	perftool ctl "$pid" disable 3 4 >/dev/null
	is "$(changed first second third)" '' \
		"$mechanism: when it is disabled, nothing is left in them"
	before=$(count 1)
	ok "$mechanism: the other function still counts" \
		wait_for 20 grows 0 "$(count 0)"
	is "$(count 1)" "$before" "$mechanism: and the disabled one does not"
	perftool ctl "$pid" enable 3 4 >/dev/null
	ok "$mechanism: when it is enabled, it counts again" \
		wait_for 20 grows 1 "$before"
	is "$(changed first second third | tr '\n' ' ')" 'first second third ' \
		"$mechanism: and its frames are followed again"
	perftool ctl "$pid" delete break 3 4 >/dev/null
	is "$(changed first second third)" '' \
		"$mechanism: nor is anything left when it is deleted"
	kill "$pid"
	wait "$started"
done
done_testing
