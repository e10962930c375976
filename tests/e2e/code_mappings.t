#!/usr/bin/env bash
# Stacks with code that belongs to no module: code that is made at run time, and
# code of the program that it has mapped a second time.
# tier: core
# covers: sample probe/process
. "$(dirname "$0")/../lib.sh"

try perftool -q -n -b -e 'spy watch breaks' -e 'spy break mark' -e 'spy on' \
	-e run -e 'spy display > d.txt' -e 'save profile x.json' \
	"$PROGRAMS/mapped"
is "$out" 'marks 2' 'the program works'

# the stacks, as far as they are the program's own
stacks=$(/usr/bin/python3 -c '
import json
for sample in json.load(open("x.json"))["samples"]:
	names = [frame["function"] for frame in sample["stack"]]
	print(" ".join(names[:names.index("main")] if "main" in names else names))
' | sort)
is "$(head -n 1 <<<"$stacks")" 'mark [no file] [no file] call_made' \
	'code that is made at run time has callers, by its frame pointers'
is "$(tail -n 1 <<<"$stacks")" 'mark again call_again' \
	'code that is mapped a second time has its names and call frame information'
is "$(/usr/bin/python3 -c 'import json
print(json.load(open("x.json"))["measurement"]["broken"])')" 0 \
	'no stack is broken'
done_testing
