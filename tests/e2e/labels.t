#!/usr/bin/env bash
# The labels of the rows of a split: a label is what `evaluate` prints for the
# value. And values that cannot be a condition, a key, or a row.
# tier: core
# covers: expr/label expr/print
. "$(dirname "$0")/../lib.sh"

program=$PROGRAMS/labels

# rows EXPRESSION: prints the labels and counts of node 1 split by the
# expression, the most frequent first
rows() {
	perftool -b -n -q -e 'break entry work if 1' -e 'collect nodes' \
		-e "split node 1 'by=$1'" -e 'monitor on' -e run \
		-e 'print split' "$program" 2>&1 </dev/null
}

split_by() { # EXPRESSION FREQUENT RARE
	rows "$1" >out
	like "$(cat out)" " 20 .*$2|$2.* 20 " "by=$1: a row is labelled $2"
	like "$(cat out)" " 10 .*$3|$3.* 10 " "by=$1: a row is labelled $3"
}

split_by 'kind->call' '<fn_one>' '<fn_two>'
split_by 'kind->truth' 'true' 'false'
split_by 'kind->letter' "65 'A'" "10 '\\\\n'"
split_by 'kind->ratio' '1.10000002' '2.5'
split_by 'kind->wide' '1267650600228229401496703205376' '-3'
split_by 'kind->count' '7' '8'
split_by 'kind->wide << 1' '2535301200456458802993406410752' '-6'
# shellcheck disable=SC2016
rows '$pc' >out
like "$(cat out)" '<work>' "by=\$pc: the label is the function"

refuses() { # NAME REASON COMMAND...
	local name=$1 reason=$2 script=()
	shift 2
	for command; do
		script+=(-e "$command")
	done
	perftool -b -n -q "${script[@]}" "$program" >out 2>&1 </dev/null
	is $? 125 "$name is an error"
	like "$(cat out)" "$reason" "$name: the error has the reason"
}

refuses 'by= of a structure' 'is not a number; use one of its members' \
	'time work by=*kind'
# hits CONDITION: prints how often work() is reached with this condition
hits() {
	perftool -b -n -q -e "break work if $1" -e 'collect nodes' \
		-e 'monitor on' -e run -e 'set format json' -e 'print tables' \
		"$program" 2>/dev/null </dev/null |
		sed -n '/^{/,$p' | /usr/bin/python3 -c 'import json, sys
node = json.load(sys.stdin)["nodes"][0]
print(node["count"], node["errors"])'
}

is "$(hits 'kind->wide < 0')" '10 0' 'a condition compares an integer of 128 bits'
is "$(hits 'kind->wide >> 100 == 1')" '20 0' 'a condition computes with an integer of 128 bits'
is "$(hits '(long)kind->wide == -3')" '10 0' 'a condition casts an integer of 128 bits'
is "$(hits 'sizeof(kind_t) == 48')" '30 0' 'a condition uses the size of a type'
is "$(hits 'kind->count * sizeof(kind_t) == 336')" '20 0' \
	'a condition multiplies the size of a type by a variable'

done_testing
