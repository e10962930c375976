#!/usr/bin/env bash
# `perftool merge`: the tables of many processes as one table. A loop stands for
# the launcher; where Open MPI is installed, mpirun starts 8 ranks, too.
# tier: core
# covers: merge saved ui base
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/terminal.sh"
ranks=$PROGRAMS/ranks
unset OMPI_COMM_WORLD_RANK PMIX_RANK

# launch COUNT OPTION...: runs a perftool for each rank, all at the same time
launch() {
	local count=$1 rank
	shift
	for ((rank = 0; rank < count; rank++)); do
		PMI_RANK=$rank perftool -q -n "$@" "$ranks" PMI_RANK >"out-$rank" 2>"err-$rank" &
	done
	wait
}

# ---- counts and sums ----
launch 8 -t solve -t exchange -o 'r-%r.json'
for ((rank = 0; rank < 8; rank++)); do
	out=$(cat "out-$rank")
	is "$(json 'one(x["count"] for x in t["legs"] if x["name"] == "solve")' "r-$rank.json") $(<"err-$rank")" \
		"$(own solve) " "rank $rank: the count is the program's"
done
try perftool merge r-?.json -o all.json
is "$status $out$err" '0 ' 'merge writes the file, and says nothing'
is "$(json '[(x["name"], x["count"]) for x in t["legs"]]' all.json)" \
	"('solve', 360) ('exchange', 360)" 'the counts are the sums'
cat >check.py <<'END'
import collections, glob, json, math, sys
whole = json.load(open(sys.argv[1]))
parts = [json.load(open(name)) for name in sys.argv[2:]]
def row(t, name):
    return next(x for x in t["legs"] if x["name"] == name)
def buckets(rows):
    count = collections.Counter()
    for r in rows:
        for low, high, number in r["buckets"]:
            count[(low, high)] += number
    return sorted(count.items())
for name in ("solve", "exchange"):
    legs, all = [row(t, name) for t in parts], row(whole, name)
    for field in ("count", "total_ns", "ignored_from", "ignored_to", "unwound", "discarded", "open"):
        assert all[field] == sum(x[field] for x in legs), field
    assert all["min_ns"] == min(x["min_ns"] for x in legs)
    assert all["max_ns"] == max(x["max_ns"] for x in legs)
    assert buckets(legs) == buckets([all]), name
    # no mean: the times are not above the uncertainty of the cost of int3s
    mean = all["total_ns"] / all["count"]
    assert all["below_resolution"] if all["mean_ns"] is None else math.isclose(all["mean_ns"], mean)
    # of the squares: sum((x - mean)^2) = (n - 1) stddev^2
    squares = sum((x["count"] - 1) * x["stddev_ns"] ** 2 + x["count"] * (x["total_ns"] / x["count"]) ** 2
                  for x in legs)
    n = all["count"]
    wanted = math.sqrt((squares - n * mean ** 2) / (n - 1))
    assert math.isclose(all["stddev_ns"], wanted, rel_tol=1e-6), (all["stddev_ns"], wanted)
for field in ("elapsed_ns", "overhead_ns", "breaks"):
    assert whole["summary"][field] == sum(t["summary"][field] for t in parts), field
assert whole["nodes"][0]["count"] == sum(t["nodes"][0]["count"] for t in parts)
assert whole["started"] == min(t["started"] for t in parts)
assert whole["ended"] == max(t["ended"] for t in parts)
assert whole["rank"] is None and whole["program"]["pid"] is None
assert whole["host"] == parts[0]["host"]
assert whole["merged"]["files"] == len(parts)
assert whole["merged"]["ranks"] == sorted(t["rank"] for t in parts)
END
ok 'sums, extremes, buckets and deviations follow from the parts' \
	/usr/bin/python3 check.py all.json r-?.json

# ---- a merge of merges ----
# same A B: are two files equal? Sums of squares and means of several sums may
# differ in their last digits.
cat >same.py <<'END'
import json, math, sys
def same(a, b, path):
    if isinstance(a, dict):
        assert a.keys() == b.keys(), path
        for key in a:
            same(a[key], b[key], path + "." + key)
    elif isinstance(a, list):
        assert len(a) == len(b), path
        for i, (x, y) in enumerate(zip(a, b)):
            same(x, y, path + "[%d]" % i)
    else:
        assert a == b or math.isclose(a, b, rel_tol=1e-9), (path, a, b)
same(*(json.load(open(name)) for name in sys.argv[1:]), "")
END
# shellcheck disable=SC2317 # `ok` calls it
same() {
	/usr/bin/python3 same.py "$@"
}
perftool merge r-[0-3].json -o low.json 2>err
perftool merge r-[4-7].json -o high.json 2>err
like "$(cat err)" '4 ranks are below 7 missing, the first is rank 0' 'missing ranks are said'
perftool merge low.json high.json -o again.json
ok 'a merge of merges is the merge of all' same all.json again.json
perftool merge all.json -o once.json
ok 'a merge of one merge is the same' same all.json once.json
try perftool merge all.json r-1.json
like "$err" '1 rank is in several files, the first is rank 1' 'a file and a merge of it: that is said'

# ---- the terminal, and signals ----
# (The first pipe takes more than the half second after which the line appears; the
# second one has no end.)
mkfifo slow pipe
cat >feed.py <<'END'
import time
with open("slow", "w") as slow:
    began = time.monotonic()
    while time.monotonic() - began < 0.6:
        slow.write(" " * 4096)
    slow.write('{"schema": 1, "legs": []}')
with open("pipe", "w") as pipe:
    pipe.write('{"schema": 1, "legs": [')
    while True:
        pipe.write(" " * 4096)
END
echo old >kept.json
/usr/bin/python3 feed.py 2>feed.err & # until nobody reads the pipe any more
new_terminal "bash --norc"
enter "PS1='\$ '; clear; perftool merge -o kept.json r-0.json slow pipe; echo status=\$?"
expect 'merging: 2 of 3 files' 'the terminal sees how far the work has come'
keys C-c
expect $'(^|\n)status=130\n' 'Ctrl-C while it reads a pipe: the status is 130'
unlike "$(screen)" 'merging: ' 'and the line is gone'
wait
cat >interrupted.py <<'END'
import fcntl, os, subprocess, sys
pipe = os.open("pipe", os.O_RDWR)
fcntl.fcntl(pipe, 1031, 4096)  # F_SETPIPE_SZ
merging = subprocess.Popen(["perftool", "merge", "all.json", "-f", "json", "-o", "pipe"])
os.read(pipe, 1)
merging.send_signal(int(sys.argv[1]))
print(merging.wait())
END
for number in 2 15; do
	is "$(/usr/bin/python3 interrupted.py $number 2>&1)" $((128 + number)) \
		"signal $number while nobody reads what it writes: the status, without a word"
done
is "$(cat kept.json; ls .perftool-* 2>/dev/null)" old 'no part of a file is left, and the old one is'

# ---- by rank ----
try perftool merge by=rank r-?.json -f json -o by.json
is "$(json '[[(x["rank"], x["count"]) for x in leg["ranks"]] for leg in t["legs"]][0]' by.json)" \
	'(0, 10) (1, 20) (2, 30) (3, 40) (4, 50) (5, 60) (6, 70) (7, 80)' 'by=rank: counts of each rank'
is "$(json '"ranks" in t["legs"][0]' all.json)" False 'without by=rank legs have no ranks'
cat >check.py <<'END'
import json, sys
by = json.load(open("by.json"))
for leg in by["legs"]:
    for row in leg["ranks"]:
        part = json.load(open("r-%d.json" % row["rank"]))
        own = next(x for x in part["legs"] if x["name"] == leg["name"])
        for field in row:
            assert field in ("rank", "percent", "cpu_mean_ns", "waiting_mean_ns", "mean_ns", "stddev_ns") \
                or row[field] == own[field], (field, row, own)
END
ok 'by=rank: a row has what the file of the rank has' /usr/bin/python3 check.py
try perftool merge by=rank r-?.json
like "$out" 'Merged Files = 8' 'the text says how many files'
like "$out" 'Ranks = 0-7' 'the text says which ranks'
like "$out" 'L E G   T A B L E   B Y   R A N K' 'the text has a table by rank'
like "$out" 'solve +7 .* 80 ' 'the table by rank has a row for each'
unlike "$out" 'print legs|print nodes|print histogram|pending|Calibrated' \
	'the text names no command, because there is no prompt'

# ---- CSV, as it is read elsewhere ----
try perftool merge by=rank r-?.json -o m.csv
is "$status $(echo m*.csv)" '0 m-by.csv m-histograms.csv m-legs.csv m-nodes.csv m-ranks.csv' 'CSV is a file for each table'
wanted=7
is "$(/usr/bin/python3 -c 'import csv; print(max(csv.DictReader(open("m-ranks.csv")), key=lambda row: int(row["count"]))["rank"])')" \
	$wanted 'a line of Python reads CSV'
if /usr/bin/python3 -c 'import pandas' 2>/dev/null; then
	is "$(/usr/bin/python3 -c 'import pandas; print(pandas.read_csv("m-ranks.csv").groupby("rank")["count"].sum().idxmax())')" \
		$wanted 'a line of pandas reads CSV'
else
	pass 'pandas # SKIP python3-pandas is not installed'
fi
if command -v Rscript >/dev/null; then
	is "$(Rscript -e 'with(aggregate(count ~ rank, read.csv("m-ranks.csv"), sum), cat(rank[which.max(count)]))')" \
		$wanted 'a line of R reads CSV'
else
	pass 'R # SKIP r-base-core is not installed'
fi

# ---- lists of names ----
printf '%s\n' r-?.json >list
for how in '@list' '@-'; do
	try perftool merge "$how" -f json <list
	cp "$SCRATCH/out" listed.json
	ok "the names in $how" cmp all.json listed.json
done
printf '%s\0' r-?.json | perftool merge @- -o zeros.json
ok 'names that end in a null byte' cmp all.json zeros.json
perftool merge - -o piped.json <all.json
ok 'a file from standard input' same all.json piped.json
mkdir many
/usr/bin/python3 - <<'END'
text = open("r-7.json").read()
pid = '"pid": '
at = text.index(pid) + len(pid)
end = text.index(",", at)
for i in range(500):
    open("many/%03d.json" % i, "w").write(text[:at] + str(100000 + i) + text[end:])
END
find many -name '*.json' | sort | perftool merge -q @- -o many.json
is "$(json 't["legs"][0]["count"], t["merged"]["files"]' many.json)" '40000 500' '500 files'

# ---- histograms that commands have made ----
launch 3 -b -e 'time solve' -e 'add histogram leg 0 linear buckets=50 scale=5 replace' \
	-e 'break entry solve if step >= 0' -e 'add histogram node 3 log value=step' -o 'h-%r.json'
perftool merge h-?.json -o h.json
cat >check.py <<'END'
import json
parts = [json.load(open("h-%d.json" % i))["histograms"] for i in range(3)]
whole = json.load(open("h.json"))["histograms"]
assert len(whole) == 2, whole
for i in whole:
    of = [next(x for x in part if (x["of"], x["class"]) == (i["of"], i["class"])) for part in parts]
    assert i["references"] == 60
    for field in ("references", "sum", "underflow", "overflow"):
        assert i[field] == sum(x[field] for x in of), (field, i)
    counts = [sum(column) for column in zip(*([b["count"] for b in x["buckets"]] for x in of))]
    assert [b["count"] for b in i["buckets"]] == counts
    assert sum(counts) + i["underflow"] + i["overflow"] == 60
END
ok 'linear and log histograms are added bucket by bucket' /usr/bin/python3 check.py
PMI_RANK=3 perftool -q -n -b -e 'time solve' -e 'add histogram leg 0 linear buckets=51 scale=5 replace' \
	-o h-3.json "$ranks" PMI_RANK >/dev/null
try perftool merge h-?.json -o h.json
like "$err" 'the histogram of solve is left out, because' 'histograms with other buckets are not added, and that is said'

# ---- rows of `by` and of processes ----
mkdir rows
for rank in 0 1 2; do
	perftool -q -n -b -e 'time merge@sort by=length' -o "rows/p-$rank.json" \
		sh -c "$SAMPLES/sort first; $SAMPLES/sort second" >/dev/null
done
perftool merge rows/p-?.json -o rows/all.json
cat >check.py <<'END'
import json
parts = [json.load(open("rows/p-%d.json" % i))["legs"][0] for i in range(3)]
whole = json.load(open("rows/all.json"))["legs"][0]
def rows(leg):
    return {x["value"]: x for x in leg["by"]["values"]}
def processes(leg):
    return {x["command"].split()[-1]: x for x in leg["processes"]}
for of, count in ((rows, None), (processes, 2)):
    all = of(whole)
    assert len(all) == (count or len(rows(parts[0]))), all
    for key, row in all.items():
        for field in ("count", "total_ns", "interrupted"):
            assert row[field] == sum(of(x)[key][field] for x in parts), (key, field)
        assert row["max_ns"] == max(of(x)[key]["max_ns"] for x in parts)
    assert sum(x["count"] for x in all.values()) == whole["count"] == 6 * 511
assert all["first"]["pid"] is None
END
ok 'rows of by and of processes are added up' /usr/bin/python3 check.py
perftool merge rows/p-?.json -o rows/x.csv
is "$(cd rows && echo x-*.csv)" 'x-by.csv x-histograms.csv x-legs.csv x-nodes.csv x-processes.csv' \
	'CSV has both'

# ---- what cannot be merged: nothing is written ----
refused() { # STATUS REGEX NAME WORD...
	local wanted=$1 regex=$2 name=$3
	shift 3
	echo before >kept.json
	try perftool merge "$@" -o kept.json
	if [ "$status" = "$wanted" ] && [[ $err =~ $regex ]] && [ "$(<kept.json)" = before ]; then
		pass "$name: refused, and nothing is written"
	else
		fail "$name: refused, and nothing is written" "status $status" "$err" "wanted $regex" "$(head -c 100 kept.json)"
	fi
}
head -c 900 r-1.json >cut.json
: >empty.json
echo '{"a": 1}' >other.json
sed 's/"schema": 1/"schema": 99/' r-1.json >newer.json
sed 's/"interval": null/"interval": {"from_ns": 1, "to_ns": 2}/' r-1.json >part.json
cp r-1.json copy.json
refused 125 'cut.json is cut off' 'a file that is cut off' r-0.json cut.json r-2.json
refused 125 'empty.json is empty' 'an empty file' r-0.json empty.json
refused 125 'other.json is JSON, but not' 'another JSON' r-0.json other.json
refused 125 'newer.json.*99' 'tables of another version of the form' r-0.json newer.json
refused 125 'part.json: its last tables are about a part' 'tables of a part of the time' r-0.json part.json
refused 125 'nosuch.json: No such file' 'a file that is not there' r-0.json nosuch.json
refused 125 'cut.json.*nosuch.json.*nothing was merged' 'two files that cannot be read: both are named' cut.json nosuch.json
refused 125 'given already, as r-0.json' 'a file twice' r-0.json ./r-0.json
refused 125 'copy.json: a copy of this file' 'a copy' r-1.json copy.json
refused 125 'cannot read nolist' 'a list that is not there' @nolist
refused 125 'can be read once only' 'standard input twice' - -
refused 125 'by=rank needs a rank' 'by=rank of a merge' by=rank all.json
refused 125 'is not by=rank' 'by=host' by=host r-0.json
refused 125 'measures nothing' 'an option that measures' -t solve r-0.json
try perftool merge r-?.json -o r-3.json
like "$status $err" '125 .*r-3.json is among the files' 'the output among the files: refused'
is "$(json 't["rank"]' r-3.json)" 3 'and it is as before'
fails_with 125 'no file was named; usage' 'no file' perftool merge
fails_with 125 'cannot write .*No space' 'a full disk' perftool merge r-0.json -o /dev/full
try sh -c 'perftool merge r-0.json >/dev/full'
like "$status $err" '125 .*No space' 'a full standard output'

# ---- files that differ ----
sed 's,"path": "[^"]*","path": "/else/where",' r-5.json >else.json
try perftool merge r-0.json r-1.json r-2.json r-3.json r-4.json else.json r-6.json r-7.json
like "$err" 'the files are of 2 programs (.*/else/where.*): what has the same name is added up' \
	'files of two programs: that is said'
try perftool merge -q r-0.json else.json
is "$status $err" '0 ' '-q: nothing is said'

# ---- bounds of totals ----
# bounded FILE COUNT TOTAL BOUND: a file of a leg that is shorter than its hits cost
bounded() {
	printf '{"schema": 1, "legs": [{"id": 0, "name": "f", "count": %s, "total_ns": %s,
		"resolution_ns": 30, "below_resolution": true, "total_bound_ns": %s}]}' \
		"$2" "$3" "$4" >"$1"
}
bounded low.json 10 -200 300
bounded lower.json 20 100 600
bounded known.json 10 290 null
perftool merge low.json lower.json -o both.json
is "$(json '[(x["total_ns"], x["total_bound_ns"]) for x in t["legs"]]' both.json)" '(-100, 900)' \
	'bounds of totals are added up'
like "$(perftool merge low.json lower.json)" '< 0\.90us|< 900' 'the text has the sum of the bounds'
perftool merge low.json known.json -o both.json
is "$(json '[(x["total_ns"], x["total_bound_ns"]) for x in t["legs"]]' both.json)" '(90, None)' \
	'a part whose total is known: there is no bound'

# ---- Open MPI ----
if command -v mpicc >/dev/null && command -v mpirun >/dev/null; then
	mpicc -g -O1 -o app "$ROOT/tests/e2e/merge_mpi.c"
	unset PMI_RANK
	as_root=()
	[ "$(id -u)" != 0 ] || as_root=(--allow-run-as-root)
	LIMIT=120 try mpirun -n 8 --oversubscribe "${as_root[@]}" \
		perftool -q -n -t solve -o 'mpi-%r.json' ./app
	is "$status" 0 'Open MPI: 8 ranks end well'
	is "$(for ((rank = 0; rank < 8; rank++)); do
		echo "rank $rank solve $(json 't["legs"][0]["count"]' "mpi-$rank.json")"
	done)" "$(grep '^rank' <<<"$out")" 'Open MPI: the counts of 8 ranks are those of the program'
	perftool merge mpi-?.json by=rank -o mpi.json
	is "$(json 't["legs"][0]["count"], [x["count"] for x in t["legs"][0]["ranks"]]' mpi.json)" \
		'360 [10, 20, 30, 40, 50, 60, 70, 80]' 'Open MPI: the merge'
else
	pass 'Open MPI # SKIP openmpi-bin and libopenmpi-dev are not installed'
fi
done_testing
