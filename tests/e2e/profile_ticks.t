#!/usr/bin/env bash
# The ticks of the profiler: when they are on, what stays of them, their three
# listings, and the files that are made of them.
# tier: core full
# covers: sample session/profiling report/listings
. "$(dirname "$0")/../lib.sh"

program=$PROGRAMS/spied
gcc -std=gnu17 -O1 -D_GNU_SOURCE "$ROOT/tests/surroundings/confine.c" \
	-o confine || exit 1

# profile COMMAND... -- [ARG...]: gives the commands for the program with the
# arguments
profile() {
	local options=()

	while [ "$1" != -- ]; do
		options+=(-e "$1")
		shift
	done
	shift
	try perftool -q -n -b "${options[@]}" "$program" "$@"
}

# ticks FILE: how many ticks the listing in the file has
ticks() {
	if grep -q '^No ticks\.$' "$1"; then
		echo 0
	else
		sed -n 's/^\([0-9,]*\) ticks\{0,1\} of .*/\1/p' "$1" | tr -d ,
	fi
}

# listing FILE HEAD: the rows "COUNT PROCEDURE" of one of the three listings
listing() {
	awk -v head="$2" '/^[A-Z].*[a-z]$/ && !/^Count/ {
		here = index($0, head) == 1 }
		here && $1 ~ /^[0-9,]+$/ { gsub(/,/, "", $1); print $1, $3 }' \
		"$1"
}

sum() {
	awk '{ all += $1 } END { print all + 0 }'
}

# ---- on, off, flush, rate ------------------------------------------------------

profile 'profile on' run 'print flat > 1' 'profile off' run 'print flat > 2' \
	'profile on' run 'print flat > 3' 'profile flush' 'print flat > 4' \
	run 'print flat > 5' 'profile off' 'profile flush' \
	'profile rate 10ms' 'profile run' 'print flat > 6' -- shares 300
is "$status" 0 'ticks are turned on and off'
ok 'there are ticks' [ "$(ticks 1)" -gt 0 ]
is "$(ticks 2)" "$(ticks 1)" 'there are none while they are off'
near "$(ticks 3)" $((2 * $(ticks 1))) $(($(ticks 1) / 2)) \
	'on again, they accumulate'
is "$(ticks 4)" 0 'flush forgets them'
near "$(ticks 5)" "$(ticks 1)" $(($(ticks 1) / 2)) 'and they go on'
near "$(ticks 6)" $(($(ticks 1) / 10)) $(($(ticks 1) / 15)) \
	'they have the rate that was asked for, during a command'
like "$(cat 1)" 'Count is the number of ticks' \
	'the first listing of a session says what its columns mean'
unlike "$(cat 2)" 'Count is the number' 'the others do not'

profile 'profile run' run 'print flat > 1' -- shares 100
near "$(ticks 1)" 100 50 'profile COMMAND ends with its command'
profile 'profile source none' -- shares 1
is "$status" 125 'a command that fails fails'
profile 'print flat' -- shares 1
like "$err" 'there are no ticks; .profile on.' 'there are no ticks'
profile 'profile on' 'profile rate 5ms' -- shares 1
like "$err" 'the ticks are on; .profile off. first' 'the rate is fixed'
profile 'profile rate 1ns' -- shares 1
like "$err" 'from 0.1 to 10000 ticks a second' 'the rate has a limit'

# of WORDS: the number in the line of the heading that has these words
of() {
	sed -n "s/^Ticks that $1.*: \([0-9,]*\)\.$/\1/p" f | tr -d , | grep . || echo 0
}

# ---- the three listings ----------------------------------------------------------

profile 'profile on' run 'print flat > f' 'save profile gmon.out' \
	'save profile x.json' 'save profile x.folded' 'save profile x.svg' \
	'save profile callgrind.out.x' -- shares 1000
all=$(listing f 'All ticks' | sum)
is "$all" "$(ticks f)" 'the first listing has all ticks'
is $(($(listing f 'Ticks that were not delayed' | sum) + \
	$(listing f 'Ticks that were delayed' | sum))) "$all" \
	'those that were delayed and those that were not add up to all'
# Where a processor is taken away from the program, ticks are missing, or they are
# delayed and count for the caller, which may be another function. The listing says how
# many these are.
uncertain=$(($(of 'fell due and were not taken') +
	$(listing f 'Ticks that were delayed' | sum)))
for name in sixty thirty; do
	share=$(sed -n "s/.*\\b$name \\([0-9]*\\).*/\\1/p" <<<"$out")
	ours=$(listing f 'All ticks' | awk -v name=$name '$2 == name {
		print $1 }')
	near $((100 * ours / all)) "$share" $((6 + 100 * uncertain / all)) \
		"$name has its share"
done

near "$(gprof -b -p "$program" gmon.out | awk '$NF == "sixty" {
	printf "%.0f", $3 * 1000 }')" \
	"$(/usr/bin/python3 - <<-'END'
		import json
		print(sum(s["weight"] for s in json.load(open("x.json"))["samples"]
		          if s["stack"] and s["stack"][0]["function"] == "sixty"))
	END
	)" 5 'gprof has the ticks that were found in a function'
is "$(awk '{ all += $NF } END { print all }' x.folded)" "$all" \
	'so have the folded stacks'
like "$(head -n 5 callgrind.out.x)" 'callgrind|version' 'callgrind.out'
like "$(cat x.svg)" '<svg.*sixty' 'and the flame graph'
profile 'profile on' run 'save profile x.txt' -- shares 1
is "$status" 125 'a name that tells no format is refused'
like "$err" 'gmon.out, callgrind.out\*, \*.folded' 'and the names are listed'
profile 'profile on' run 'save profile /dev/full format=json' -- shares 1
is "$status" 125 'a full disk is an error'
like "$err" 'cannot write /dev/full: No space left on device' 'and is named'
profile 'profile on' 'spy on' run 'save profile later.json' \
	'save profile a.json from=profile' 'save profile b.json from=spy' \
	'spy flush' -- shares 100
is "$(grep -oh '"kind": *"[a-z]*"' later.json a.json b.json | tr -d ' ' |
	paste -sd' ')" '"kind":"spy" "kind":"profile" "kind":"spy"' \
	'from= chooses whose samples a file has'
profile 'save profile x.json' -- shares 1
like "$err" 'there is no profile; .profile on. takes ticks' \
	'there is nothing to save'

try perftool -n -b -e 'profile on' -e run -e 'print flat > told.txt' \
	"$program" shares 1
like "$err" "takes 1000 ticks a second of each thread's CPU time" \
	'profile on says what is recorded'

# (the tier core ends here)
in_full || done_testing

# ---- while calls are counted -----------------------------------------------------

# Most ticks are in code of the tool then, where no stack can be unwound. That
# is no reason to stop the thread at each tick.
cat >often.c <<'END'
static volatile unsigned long count;
__attribute__((noinline, noclone)) void often(void) { count++; }
int main(void) { while (count < 20000000) often(); return 0; }
END
gcc -O1 -g often.c -o often || exit 1
awk 'BEGIN { srand(1); for (i = 0; i < 150000; i++) print rand(), rand() }' \
	>lines
cat >delays.py <<'END'
# delays.py FILE COMMAND...: for how many ms the command was ready and had no CPU,
# and for how many the machine's hypervisor had the CPUs meanwhile, go to the file.
import os, signal, sys

def stolen():
    with open("/proc/stat") as stat:
        ticks = int(stat.readline().split()[8])
    return 1000 * ticks / os.sysconf("SC_CLK_TCK")

before = stolen()
pid = os.spawnvp(os.P_NOWAIT, sys.argv[2], sys.argv[2:])
signal.signal(signal.SIGTERM, lambda number, frame: os.kill(pid, number))
os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
with open(f"/proc/{pid}/schedstat") as schedstat:
    waited = int(schedstat.read().split()[1]) / 1e6
with open(sys.argv[1], "w") as file:
    file.write(f"{round(waited + stolen() - before)}\n")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
# (With int3s alone, sort would take minutes.)
try /usr/bin/python3 delays.py delay perftool -q -n -b --for 10s -e 'profile calls' \
	-e 'profile on' -e run -e 'print flat > f' -- sort lines -o sorted
listed=$(sed -n 's/^\([0-9,]*\) ticks of .*/\1/p' f | tr -d ,)
ok 'most ticks are in code of the tool' \
	[ "$(of 'found a thread in perftool')" -gt "${listed:-1000000}" ]
ok 'and they do not keep the tool from taking the others' \
	[ $((10 * $(of 'fell due and were not taken'))) -lt "$(of 'found a thread in perftool')" ]
# The log has room for the ticks of some 100 ms. While the tool waits longer for a CPU,
# each of the two threads loses a tick in each ms.
ok 'the tool reads them before their log is full' \
	[ "$(of 'were lost')" -le $((2 * $(<delay))) ]
diag <<<"# $(of 'were lost') ticks lost; the tool waited $(<delay) ms for a CPU"
try perftool -q -n -b -e 'profile calls often' -e 'profile on' -e run \
	-e 'print flat > f' -e 'print graph > g' -e 'print graph > again' -- ./often
is "$(grep -c 'found a thread in perftool' f g again | tr '\n' ' ')" 'f:1 g:0 again:1 ' \
	'flat profile and call graph together say once how ticks were taken'
like "$(cat f)" 'Calls were counted meanwhile. That took [0-9]+ % of the CPU time' \
	'the listing says that counting has changed the shares'
unlike "$(cat 1)" 'Calls were counted' 'else it does not'

# ---- elsewhere ---------------------------------------------------------------------

try perftool --profile "$program" shares 200
is "$status" 0 'perftool --profile'
for part in 'All ticks' 'Call graph' 'Flat profile' 'Percent .* Function'; do
	like "$out$err" "$part" "--profile prints: $part"
done
try ./confine perf perftool -q -n -b -e 'profile on' -e run \
	-e 'print flat > f' "$program" shares 300
like "$(cat f)" 'The tool stopped threads for ticks: .*perf_event_open' \
	'without the kernel, the tool takes the ticks and says so'
[ "$(ticks f)" -gt 10 ] || diag <f
near "$(listing f 'All ticks' | sum)" "$(ticks f)" 0 'and all are listed'
try ./confine perf perftool top --for 50s "$program" shares 300
like "$out" 'The tool stopped threads for ticks: .*perf_event_open' \
	'and so does top'
for mechanism in int3 auto; do
	profile "set mechanism $mechanism" 'time sixty' 'profile on' run \
		'print flat > f' -- shares 300
	like "$(cat f)" 'sixty' "$mechanism: ticks beside breakpoints"
done

# ---- beside the calls of a module with many functions ------------------------------

# Most ticks find a thread in the code that counts, which is the tool's and is in
# no file. They are left out, and are in no row.
statement='create table t(a, b);
	with recursive c(x) as (select 1 union all select x + 1 from c
	where x < 20000) insert into t select x, x % 1000 from c;
	select sum(a) from t group by b;'
for mechanism in int3 auto; do
	rows='where x < 20000'
	[ $mechanism = auto ] || rows='where x < 200'
	try perftool -q -n -b -e "set mechanism $mechanism" \
		-e "profile functions '*@libsqlite3.so.0'" -e 'profile on' \
		-e run -e 'print flat > f' -e 'print functions > functions' \
		sqlite3 :memory: "${statement/where x < 20000/$rows}"
	is "$status" 0 "$mechanism: ticks while all calls of SQLite are counted"
	ok "$mechanism: many functions are called" \
		[ "$(grep -c sqlite3 functions)" -ge 100 ]
	ours=$(sed -n 's/^Ticks .* perftool.s code, .*: \([0-9,]*\)\.$/\1/p' f |
		tr -d ,)
	ok "$mechanism: ticks in the code that counts are told" \
		[ "${ours:-0}" -ge 20 ]
	# (Resolvers of indirect functions run before the tool knows their file.)
	nowhere=$(listing f 'All ticks' | awk '/ \[no$/ { sum += $1 }
		END { print sum + 0 }')
	ok "$mechanism: no procedure has these ticks" \
		[ "$nowhere" -le $((ours / 10)) ]
done

done_testing
