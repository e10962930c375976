#!/usr/bin/env bash
# The samples and their scripts: perftool finds the figures that the samples
# print.
# tier: core
# covers: command measure report/text
# again: int3
. "$(dirname "$0")/../lib.sh"

# sample NAME: runs the sample's script on the sample
sample() {
	try perftool -q -n -b -x "$ROOT/samples/$1.pt" "$SAMPLES/$1"
	is "$status" 0 "$1: perftool ends with status 0"
}

# histogram OWNER: prints the rows "Value Count" of a histogram, without the
# empty rows at its end
histogram() {
	sed -n "/^Histogram for $1\$/,/^\$/p" <<<"$out" |
		awk '/^[0-9,]+ +[0-9,]+( |$)/ { gsub(",", ""); print $1 ":" $2 }'
}

# ---- the memo's session ----
sample swapper
is "$(histogram 'Node 1' | head -n 8 | paste -sd' ')" \
	'0:0 1:3 2:190 3:76 4:297 5:131 6:0 7:0' \
	"swapper: the memo's histogram of pages, number for number"
like "$out" 'Number of References +697' 'swapper: the histogram has 697 references'
like "$out" 'Sum of Values +2,454' 'swapper: the histogram has the sum of its values'
like "$out" 'Average Value +3'$'\n' 'swapper: the histogram has the average value'
like "$out" 'Total number of Perf Breaks handled = 1,394' \
	"swapper: the memo's number of breaks"
like "$out" $'\n1\\* .* 697 .*Swapper|\n1\\* .* 697 ' 'swapper: node 1 counts 697'
like "$out" $'\n2 .* 697 ' 'swapper: node 2 counts 697'
like "$out" $'\n0\\*  *1 -> 2 .* 697 ' 'swapper: leg 0 counts 697'
for line in 'Total Elapsed Time of Measurements = ' \
	'Elapsed Time less PerfMonitor Overhead = ' \
	'Total Overhead of PerfMonitor Breaks = ' \
	'Average Overhead per Perf Break = ' \
	'% of Total Time spent in PerfMonitor = ' \
	'- - - - - - N O D E   T A B L E   C O N T E N T S - - - - - - - - - -' \
	'- - - - - - - L E G   T A B L E   C O N T E N T S - - - - - - - - -' \
	'Histogram for Leg 0'; do
	if grep -qF -- "$line" <<<"$out"; then
		pass "swapper: the tables have the line: $line"
	else
		fail "swapper: the tables have the line: $line" "$out"
	fi
done

# ---- the others ----
sample recursion
like "$out" '3,540' 'recursion: every call is counted'
like "$out" $'\n[0-9]+\\*? +[^\n]* 1 -> 2 +20~?' 'recursion: only outermost calls are in the leg'
sample queue
like "$out" $'\n0\\*? +[^\n]* 1 -> 2 +400 ' 'queue: every request is counted'
sample commands
like "$out" $'\nLeg 0 \\([^\n]*\\) by name\n.*\nget +300 +50.00 .*\nLeg 1 \\([^\n]*\\) by name\n.*\nkeys +30 +5.00 ' \
	'commands: legs are split by the name of the command'
sample sort
inserted=$(sed -n 's/.* insertion_sort of \([0-9]*\) numbers.*/\1/p' <<<"$out")
runs=$(sed -n 's/.* \([0-9]*\) insertion_sort of .*/\1/p' <<<"$out")
is "$(histogram 'Node 5' | awk -F: '{ n += $2; sum += $1 * $2 }
	END { print n ":" sum }')" "$runs:$inserted" \
	'sort: the histogram has all runs and the sum of their lengths'
done_testing
