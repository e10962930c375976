#!/usr/bin/env bash
# `perftool merge` of very many legs, and of many ranks: what it writes is not made
# in memory, and what ranks have of legs takes few bytes.
# tier: full
# covers: merge saved report/records
. "$(dirname "$0")/../lib.sh"

# ranks FOLDER RANKS LEGS: makes a file for each rank, with 16 buckets in each leg
ranks() {
	/usr/bin/python3 - "$@" <<-'END'
		import os, sys
		folder, ranks, legs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
		os.makedirs(folder)
		for rank in range(ranks):
		    with open("%s/%d.json" % (folder, rank), "w") as out:
		        out.write('{"schema": 1, "perftool": "0", "rank": %d, "nodes": [], "legs": [' % rank)
		        for i in range(legs):
		            low = [1024 + 16 * ((rank + i) % 40 + j) for j in range(16)]
		            buckets = ", ".join("[%d, %d, %d]" % (x, x + 16, 1 + j % 5) for j, x in enumerate(low))
		            out.write('%s\n{"id": %d, "name": "leg %d", "from_place": "f", "to_place": "return f", '
		                      '"owner": "thread", "match": "nested", "count": 46, "total_ns": %d, '
		                      '"mean_ns": %d, "min_ns": %d, "max_ns": %d, "p50_ns": %d, "p99_ns": %d, '
		                      '"resolution_ns": 1, "counted": "program", "buckets": [%s]}' % (
		                          "," if i else "", i, i, 46 * low[8], low[8], low[0], low[15], low[8],
		                          low[15], buckets))
		        out.write(']}\n')
	END
	find "$1" -name '*.json' | sort >"$1.names"
}
ranks few-legs 1 1000
ranks many-legs 1 21000
ranks few-ranks 20 100
ranks many-ranks 220 100

# memory OPTION... FILE: prints the largest memory of a merge, in kB
cat >memory.py <<'END'
import resource, subprocess, sys
subprocess.run(["perftool", "merge"] + sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
memory() {
	/usr/bin/python3 memory.py "$@"
}

# The address sanitizer keeps what is freed for a while, so that memory says nothing.
if ! nm "$BUILD/perftool" | grep -q __asan_init; then
	# (a leg has 2,900 bytes of JSON, and was there twice)
	few=$(memory -f json -o few.json few-legs/0.json)
	many=$(memory -f json -o many.json many-legs/0.json)
	ok "20,000 legs more, as JSON, take less than 3.5 kB each ($few kB, $many kB)" \
		test $((many - few)) -lt 70000
	# (the histogram of a leg took 2 kB for each rank)
	for format in json csv; do
		few=$(memory by=rank -f $format -o few.$format @few-ranks.names)
		many=$(memory by=rank -f $format -o many.$format @many-ranks.names)
		ok "$format: 200 ranks more take less than 0.4 kB for each of 100 legs ($few kB, $many kB)" \
			test $((many - few)) -lt 8000
	done
fi
try perftool merge by=rank -f json -o all.json @many-ranks.names
is "$(json 'len(t["legs"]), {len(leg["ranks"]) for leg in t["legs"]}' all.json)" '100 {220}' \
	'each leg has all ranks'
is "$(json '[r["rank"] for r in t["legs"][7]["ranks"]] == list(range(220))' all.json)" True \
	'in the order of their numbers'
is "$(json '[(r["total_ns"], r["min_ns"], r["max_ns"]) for r in t["legs"][7]["ranks"]][50]' all.json)" \
	"$((46 * (1024 + 16 * (17 + 8)))) $((1024 + 16 * 17)) $((1024 + 16 * 32))" \
	'with the figures of its file'

# ---- a signal while it writes ----

# The report is longer than a pipe holds, so that the merge still writes to it.
mkfifo pipe
cat >interrupted.py <<'END'
import signal, subprocess, sys
merging = subprocess.Popen(["perftool", "merge", "by=rank", "-f", "json", "-o", "pipe", "@many-ranks.names"])
with open("pipe", "rb") as pipe:
    pipe.read(100000)
    merging.send_signal(int(sys.argv[1]))
    print(merging.wait())
END
for number in 2 15; do
	is "$(/usr/bin/python3 interrupted.py $number 2>&1)" $((128 + number)) \
		"signal $number while it writes ends it, without a word"
done
done_testing
