#!/usr/bin/env bash
# In the tables, each function that `time' measures has a line of figures. A
# histogram is printed where the user has asked for it.
# tier: core
# covers: report/text session/requests
# again: int3
# shellcheck disable=SC2016 # dollars are the language's
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../terminal.sh
. "$ROOT/tests/terminal.sh"

kin=$PROGRAMS/kin

# figures: compares the figures of leg 0 in t.txt with those in t.json, to three
# digits
figures() {
	/usr/bin/python3 - <<'END'
import json, re

leg = json.load(open("t.json"))["legs"][0]
row = re.search(r"^Distribution of Times\n.*\n.*\n0 +(\S+) +(.*)$",
                open("t.txt").read(), re.M)
units = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
got = [float(a) * units[b] for a, b in
       re.findall(r"([0-9.]+)(ns|us|ms|s)(?= )", row[2] + " ")]
wanted = [leg[name] for name in
          ("min_ns", "p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns")]
print(row[1], len(got), got == sorted(got),
      all(abs(a - b) <= 0.006 * b for a, b in zip(got[:1] + got[2:], wanted)))
END
}

# ---- one line for each function, and the histogram if it is asked for ----
export LC_ALL=C.UTF-8
try perftool -q -n -e 'time AllocVM' -e run -e 'print tables > t.txt' \
	-e 'print histogram leg 0 > h.txt' -e 'save tables s.txt' \
	-e 'set format json' -e 'print tables > t.json' -e 'set format csv' \
	-e 'save tables c.csv' "$SAMPLES/swapper"
is "$status" 0 'commands that print the distribution: status 0'
is "$(figures)" 'AllocVM 7 True True' 'a line of the distribution has seven figures as in JSON'
like "$(<t.txt)" $'\nLeg  Name +Min +p10 +p50 +p90 +p99 +p99.9 +Max +Min \.\. Max\n' \
	'the distribution names its columns'
like "$(<t.txt)" $'\n0 +AllocVM [^\n]*[▁▂▃▄▅▆▇█]\n' 'a line of the distribution ends in a spark line'
unlike "$(<t.txt)" 'Histogram for' 'the tables have no histogram that was not asked for'
is "$(grep -c 'print histogram leg N' t.txt)" 1 'the tables say once how to print a histogram'
like "$(<h.txt)" $'^Histogram for Leg 0\nNumber of References +697\n' \
	'print histogram prints the histogram'
like "$(<s.txt)" $'\nDistribution of Times\n' 'tables that are saved as text have the distribution'
is "$(json 'len(t["histograms"]), t["histograms"][0]["references"]' t.json)" \
	'1 697' 'JSON has the histogram'
is "$(grep -c '^leg,0,' c-histograms.csv)" \
	"$(json 'len(t["histograms"][0]["buckets"])' t.json)" 'CSV has the histogram'

# ---- a locale without the letters of a spark line ----
try env LC_ALL=C perftool -q -n -o t.txt -t AllocVM "$SAMPLES/swapper"
like "$(<t.txt)" $'\n0 +AllocVM [^\n]*[@]' 'in the locale C, the spark line is in ASCII'
unlike "$(<t.txt)" $'[\x80-\xff]' 'in the locale C, the tables have only ASCII characters'

# ---- a histogram that a command asks for ----
try perftool -q -n -o t.txt -b -e 'time AllocVM' -e 'add histogram leg 0 hdr' \
	"$SAMPLES/swapper"
like "$(<t.txt)" $'\nHistogram for Leg 0\nNumber of References +697\n' \
	'the tables have a histogram that add histogram asked for'
unlike "$(<t.txt)" 'Distribution' 'a leg with a histogram of its own has no line in the distribution'
try perftool -q -n -e 'time AllocVM' -e run -e 'add histogram leg 0 hdr' \
	-e 'print tables' "$SAMPLES/swapper"
like "$out" $'\nHistogram for Leg 0\nNumber of References +697\n' \
	'add histogram after the run keeps the values of the run'
try perftool -q -n -e 'time AllocVM' -e run -e 'add histogram leg 0 hdr' \
	-e 'add histogram leg 0 hdr' "$SAMPLES/swapper"
like "$err" 'leg 0 has a histogram of 697 values already' 'a second add histogram for a leg is refused'
try perftool -q -n -e 'time AllocVM' -e run \
	-e 'add histogram leg 0 hdr replace' -e 'print tables' "$SAMPLES/swapper"
like "$out" $'\nHistogram for Leg 0\nNumber of References +0\n' \
	'add histogram replace begins with an empty histogram'
# shellcheck disable=SC2016 # it is perftool's
try perftool -q -n -o t.txt -b -e 'time AllocVM' -e 'add histogram leg 0 log' \
	-e 'add histogram node 1 linear value=$arg1' "$SAMPLES/swapper"
is "$(grep '^Histogram for' t.txt | xargs)" \
	'Histogram for Node 1 Histogram for Leg 0' 'the tables have histograms of other classes and of nodes'

# ---- many legs ----
try perftool -q -n -o t.txt -t 'outer_*' -t 'inner_*' "$kin" race 2
rows=$(sed -n '/^Distribution/,$p' t.txt | grep -c '[▁▂▃▄▅▆▇█]$')
all=$(sed -n '/L E G/,/^$/p' t.txt | grep -c '^[0-9][0-9]*\*')
is "$rows $all" '10 32' 'the distribution has ten lines of many legs'
is "$(sed -n '/^Distribution/,$p' t.txt | awk '/[▁▂▃▄▅▆▇█]$/ { print $2 }')" \
	"$(sed -n '/L E G/,/^$/p' t.txt | awk '/^[0-9]+\*/ { print $2 }' | head -n 10)" \
	'the distribution has the first ten legs of the leg table'
like "$(<t.txt)" $'\n22 legs that took less time are left out here\.\n' \
	'the distribution says how many legs are left out'
try perftool -q -n -o t.txt -t 'outer_*' "$kin" later 2
is "$(sed -n '/^Distribution/,$p' t.txt | awk '/^[0-9]/ { print $2 }' | xargs)" \
	outer_01 'a leg that was not executed has no line in the distribution'
unlike "$(<t.txt)" 'took less time' 'a leg that was not executed is not counted as left out'

# ---- at a terminal of 80 columns, and of fewer ----
for columns in 80 60; do
	new_terminal "stty cols $columns; PATH=$PATH perftool -q -n \
		-t AllocVM $SAMPLES/swapper; exec sleep 60"
	expect 'print histogram leg N' "$columns columns: the tables are printed"
	widest=$(screen | sed -n '/^Distribution/,$p' | wc -L)
	is "$((widest > 40 && widest <= columns))" 1 "$columns columns: the lines of the distribution fit (width $widest)"
done
done_testing
