#!/usr/bin/env bash
# The clock of the tool, under each clock of the kernel: which clock the tool
# uses, and that its times are right.
# tier: core
# covers: base
. "$(dirname "$0")/../lib.sh"

folder=/sys/devices/system/clocksource/clocksource0
others='tsc hpet acpi_pm' # the other clocks that the kernel may use

# kernel_says NAME COMMAND...: runs the command as if NAME were the kernel's
# clock, of $others
kernel_says() {
	local name=$1
	shift
	echo "$name" >"$SCRATCH/current"
	echo "$name $others " >"$SCRATCH/available"
	# shellcheck disable=SC2016 # for the inner shell
	try unshare --mount sh -c '
		mount --bind "$1/current" "$2/current_clocksource" &&
			mount --bind "$1/available" "$2/available_clocksource" &&
			[ "$(cat "$2/current_clocksource")" = "$3" ] || exit 99
		shift 3; exec "$@"' sh "$SCRATCH" "$folder" "$name" "$@"
	[ "$status" != 99 ] || diag <<<"$err"
}

# measure NAME: the times are right under each mechanism; the program knows how
# long its calls took
measure() {
	local name=$1 mechanism took

	for mechanism in auto int3 fast; do
		kernel_says "$name" perftool -q -n -f json -o t.json \
			-e "set mechanism $mechanism" -t work -- \
			"$PROGRAMS/cpu" rest 20 1 1000
		took=$(own passed)
		is "$status $(json 't["clock"]["source"], time("work")["count"],
			entry("work")["mechanism"]')" \
			"0 tsc 20 ${mechanism/auto/fast}" \
			"$name, $mechanism: the tool uses tsc and counts every call"
		ok "$name, $mechanism: the times are right" \
			[ "$(json "abs(time('work')['total_ns'] / 1000 - $took)
				< $took / 10")" = True ]
	done
	like "$(json 't["clock"]["remark"]')" "kernel's own clock is $name\$" \
		"$name: JSON names the kernel's clock"
	kernel_says "$name" perftool -q -n -t work -- "$PROGRAMS/static" 5
	like "$err$out" "Clock = tsc \\(.*clock is $name\\), resolution " \
		"$name: the heading names the kernel's clock"
	kernel_says "$name" perftool -q -n -e 'show clock' "$PROGRAMS/static"
	like "$out" "^clock +tsc \\(.*clock is $name\\), resolution " \
		"$name: show clock names the kernel's clock"
}

measure kvm-clock
measure hpet

# ---- the kernel does not trust the counter ----
others=acpi_pm
for mechanism in auto fast; do
	kernel_says hpet perftool -q -n -f json -o t.json \
		-e "set mechanism $mechanism" -t work -- "$PROGRAMS/static" 500
	is "$status $(json 't["clock"]["source"], time("work")["count"],
		entry("work")["mechanism"]')" '0 monotonic_raw 500 int3' \
		"withdrawn, $mechanism: each node is an int3, and every call counts"
	like "$(json 't["clock"]["remark"], entry("work")["int3_reason"]')" \
		'does not trust .*does not trust' \
		"withdrawn, $mechanism: clock and node say why"
done

# ---- the counter may not be read ----
# The loader of the C library reads the counter. A process that may not read the
# counter can therefore only have forbidden it to itself. The children of such a
# process inherit the prohibition, and only a static program can run with it.
cat >forbid.c <<'END'
#include <stdlib.h>
#include <sys/prctl.h>

__attribute__((constructor)) static void forbid(void)
{
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		abort();
}
END
gcc -shared -fPIC -o forbid.so forbid.c

# forbidden COMMAND...: runs the command without access to the counter. (ASan
# requires its own library to be the first in the process, and this check must
# be off.)
forbidden() {
	try env LD_PRELOAD="$PWD/forbid.so" \
		ASAN_OPTIONS=verify_asan_link_order=0 "$@"
}

for mechanism in auto fast; do
	forbidden perftool -q -n -f json -o t.json \
		-e "set mechanism $mechanism" -t work -- "$PROGRAMS/static" 500
	is "$status $(json 't["clock"]["source"], time("work")["count"]')" \
		'0 monotonic_raw 500' "forbidden, $mechanism: the tool uses monotonic_raw and counts every call"
	is "$(json 'entry("work")["mechanism"]')" int3 \
		"forbidden, $mechanism: the node is an int3"
	like "$(json 'entry("work")["int3_reason"]')" 'PR_SET_TSC. forbids' \
		"forbidden, $mechanism: the node says why"
	like "$(json 't["clock"]["remark"]')" 'PR_SET_TSC. forbids' \
		"forbidden, $mechanism: the clock says why"
done
forbidden perftool -q -n -e 'set mechanism auto' -e 'dyper classmodel name=nothing' \
	-- "$PROGRAMS/static" 5
like "$out" '"candredfine": false.*"refusal": ".*PR_SET_TSC. forbids' \
	'forbidden: CLASSMODEL says that nodes cannot be jumps, and why'
forbidden perftool -q -n -t work -- \
	"$PROGRAMS/static" 5
like "$err$out" 'Clock = monotonic_raw \(.*PR_SET_TSC.*\), resolution ' \
	'forbidden: the heading says why'

# the program must not be able to read the counter either, as is the case
# without the tool
cat >reads.c <<'END'
int main(void)
{
	return __builtin_ia32_rdtsc() == 0;
}
END
gcc -static -o reads reads.c
try perftool -q -n -b -- ./reads
is "$status" 0 'a program that may read the counter reads it'
# Some hypervisors enforce the prohibition never, or only from some switch between
# threads on: then a program that is alone on its CPU reads on, and one that is traced is
# stopped. What the kernel says is the same in any case; where the program is stopped
# alone, it must be stopped under the tool. (A static program has no loader that reads the
# counter. It inherits the prohibition from perftool, and without perftool from env.)
gcc -static -o asks "$ROOT/tests/programs/counter.c"
forbidden env ./asks
alone=$status
forbidden perftool -q -n -b -- ./asks
is "$alone $status" '0 0' 'forbidden: the kernel tells the program the same as without the tool'
forbidden env ./reads
alone=$status
forbidden perftool -q -n -b -- ./reads
ok 'forbidden: the program is stopped if it is without the tool' \
	[ "$alone $status" != '139 0' ]

done_testing
