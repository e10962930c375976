#!/usr/bin/env bash
# `perftool compare` of very many legs: time and memory grow with the legs and not
# faster, the text says which legs it shows, a terminal sees how far the work has
# come, and Ctrl-C ends it.
# tier: full
# covers: compare saved report/comparisons ui/terminal
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/terminal.sh"

# many FILE LEGS SCALE [NAME]: makes a file of legs with 16 buckets each; if NAME is
# given, all have this one. Leg number i has i + 1 times the total of the first.
many() {
	/usr/bin/python3 - "$@" <<-'END'
		import sys
		path, legs, scale, name = (sys.argv[1:] + [""])[:4]
		scale = int(scale)
		with open(path, "w") as out:
		    out.write('{"schema": 1, "perftool": "0", "nodes": [], "legs": [')
		    for i in range(int(legs)):
		        low = [scale * (1000 + 20 * j) for j in range(16)]
		        buckets = ", ".join("[%d, %d, %d]" % (x, x + 8, 1 + j % 5) for j, x in enumerate(low))
		        out.write('%s\n{"id": %d, "name": "%s", "from_place": "f", "to_place": "return f", '
		                  '"owner": "thread", "match": "nested", "count": 46, "total_ns": %d, '
		                  '"mean_ns": %d, "min_ns": %d, "max_ns": %d, "p50_ns": %d, "p99_ns": %d, '
		                  '"resolution_ns": 1, "counted": "program", "buckets": [%s]}' % (
		                      "," if i else "", i, name or "leg %d" % i, 46 * scale * (i + 1),
		                      scale * 1160, low[0], low[15], low[8], low[15], buckets))
		    out.write(']}\n')
	END
}

for size in 2000 20000; do
	many "before-$size.json" "$size" 10
	many "after-$size.json" "$size" 11
done

# ---- time and memory ----

# cost OPTION... FILE FILE: prints the CPU time in ms, and the largest memory in kB
cat >cost.py <<'END'
import os, resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print(round(1000 * (use.ru_utime + use.ru_stime)), use.ru_maxrss)
END
cost() {
	/usr/bin/python3 cost.py perftool compare "$@"
}

read -r few few_memory < <(cost before-2000.json after-2000.json)
read -r all all_memory < <(cost before-20000.json after-20000.json)
ok "ten times the legs take no more than 20 times the CPU time ($few ms, $all ms)" \
	test $((all)) -le $((20 * few + 100))
# The address sanitizer keeps what is freed for a while, so that memory says nothing.
if ! nm "$BUILD/perftool" | grep -q __asan_init; then
	size=$(stat -c %s before-20000.json)
	ok 'the memory grows by less than a third of what the two files do' \
		test $(((all_memory - few_memory) * 1024)) -lt $((size * 6 / 10))
	read -r _ csv_memory < <(cost -f csv before-2000.json after-2000.json)
	read -r _ json_memory < <(cost -f json before-2000.json after-2000.json)
	for memory in "$csv_memory" "$json_memory"; do
		ok 'CSV and JSON are written in pieces, and take no more memory than text' \
			test "$memory" -lt $((few_memory + 2048))
	done
fi
many same.json 20000 10 f
read -r same _ < <(cost same.json same.json)
ok "legs of one name are matched as fast as others ($same ms)" \
	test "$same" -le $((3 * all + 100))

# ---- what is shown ----

try perftool compare before-2000.json after-2000.json
is "$status" 0 'many legs: the status is 0'
is "$(grep -c ' p99 ' <<<"$out")" 200 'text has 200 legs'
is "$(awk '$NF && / count / {print $2}' <<<"$out" | head -n 3 | tr '\n' ' ')" '1999 1998 1997 ' \
	'those with the largest totals come first'
like "$out" 'These are the 200 legs with the largest totals, of 2000, the largest first;' \
	'text says which legs it has, and how many there are'
try perftool compare -f csv before-2000.json after-2000.json
is "$(wc -l <"$SCRATCH/out")" 10001 'CSV has all'
try perftool compare -f json before-2000.json after-2000.json
is "$(/usr/bin/python3 -c 'import json, sys
legs = json.load(sys.stdin)["comparisons"][0]["legs"]
print(len(legs), legs[7]["name"], {leg["figures"]["mean"]["verdict"] for leg in legs})' \
	<"$SCRATCH/out")" "2000 leg 7 {'slower'}" 'JSON has all, in the order of the file'
try perftool compare --fail-if 'mean > 5%' before-2000.json after-2000.json
is "$status" 1 'a condition that holds of many legs holds'
is "$(grep -c holds "$SCRATCH/err")" 200 'so many legs are named'
like "$err" 'conditions hold of 1800 legs more' 'and how many there are more'
try perftool compare --fail-if 'mean > 50%' before-2000.json after-2000.json
is "$status" 0 'a condition that holds of no leg does not hold'

# ---- the terminal, and Ctrl-C ----

# (the pipe stays open, so that there is no end of the work)
mkfifo pipe
cat >interrupted.py <<'END'
import signal, subprocess, sys
comparing = subprocess.Popen(["perftool", "compare", "-o", "c.json", "pipe", "pipe"])
with open("pipe", "w") as pipe:
    pipe.write('{"schema": 1, "legs": [' + " " * 200000)
    pipe.flush()
    comparing.send_signal(signal.SIGINT)
    print(comparing.wait())
END
is "$(/usr/bin/python3 interrupted.py 2>&1) $(ls c.json* .c.json* 2>/dev/null)" '130 ' \
	'SIGINT ends a comparison that reads, without a word and without a file'
new_terminal "bash --norc"
enter "PS1='\$ '; perftool compare -f json before-20000.json after-20000.json -o c.json; echo status=\$?"
expect '(reading file [12] of 2: |comparing: )[0-9,]+ of [0-9,]+ (MB|legs)' \
	'the terminal sees how far the work has come'
keys C-c
expect 'status=130' 'Ctrl-C: the status is 130, also while it compares'
is "$(ls c.json* .c.json* 2>/dev/null)" '' 'no part of a file is left'

done_testing
