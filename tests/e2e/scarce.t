#!/usr/bin/env bash
# Functions whose jumps have little room, or none: they are jumps wherever the
# kernel has placed the heap; what threads count at an int3 comes to an end; and
# a tick at an int3 finds the stack of the place that has the int3.
# tier: full
# covers: probe/fast probe/rings sample
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/profiled.sh"

# calls FUNCTION: how often it was called, as the table says
calls() {
	/usr/bin/python3 - "$1" <<-'END'
		import json, sys
		print(sum(row["calls"] for row in json.load(open("f.json"))["functions"]
		          if row["function"] == sys.argv[1]))
	END
}

scarce=$PROGRAMS/scarce

# ---- room for jumps -----------------------------------------------------------

# With addresses that are not random, the heap begins behind the program, and
# all five functions can lead only to where it may grow.
for wrap in '' 'setarch -R'; do
	name=${wrap:-random addresses}
	# shellcheck disable=SC2086 # words of a command, or none
	if [ "$wrap" ] && ! $wrap true 2>/dev/null; then
		pass "$name # SKIP this system does not allow it"
		continue
	fi
	WRAP="$PROGRAMS/within 60 $wrap" SETTINGS='set mechanism auto' profiled 'room_*' -- "$scarce" 10000
	is "$status" 0 "$name: the program ends as it should"
	for room in room_08 room_18 room_28 room_38 room_48; do
		is "$(calls $room)" 10000 "$name: all calls of $room are counted"
	done
	# One of the five windows may be next to the heap.
	[ "$wrap" ] && most=1000 || most=11000
	ok "$name: few calls stop the program ($(own waits) stops)" \
		[ "$(own waits)" -lt "$most" ]
done

# ---- an int3 at which threads count -------------------------------------------

# On the stack of a signal handler the tool makes the hits, and the thread must
# not be sent to the trampoline again.
WRAP="$PROGRAMS/within 60" SETTINGS='set mechanism auto' profiled none -- "$scarce" 100 stack
is "$status" 0 'an int3 on a signal stack: the program ends'
is "$(calls none)" 100 'an int3 on a signal stack: all calls are counted'

# ---- ticks at int3s -----------------------------------------------------------

# The int3 leaves the pc behind the push, where the frame is another one.
try perftool -q -n -b -e 'set mechanism int3' -e 'profile on' \
	-e 'profile functions none' -e run -e 'save profile p.json' \
	-e 'save functions f.json' -- "$scarce" 20000 stack
is "$status" 0 'ticks at int3s: the program ends'
is "$(calls none)" 20000 'ticks at int3s: all calls are counted'
found() {
	/usr/bin/python3 - "$1" <<-'END'
		import json, sys
		p = json.load(open("p.json"))
		names = {f["id"]: f["name"] for f in p["functions"]}
		stacks = [[names.get(f["function"], f["function"]) for f in s["stack"]]
		          for s in p["samples"]]
		at = [s for s in stacks if s and s[0] == "none"]
		print(eval(sys.argv[1]))
	END
}
diag < <(found 'len(stacks), len(at), p["measurement"]["broken"]')
is "$(found 'sum("[no file]" in s for s in stacks if "none" in s or "on_signal" in s)')" 0 \
	'ticks at int3s: no frame is in no file'
is "$(found 'sum(s[1:2] != ["on_signal"] for s in at)')" 0 \
	'ticks at int3s: the caller is the one that the program has'

done_testing
