#!/usr/bin/env bash
# For a program that does not run, `evaluate` prints what `print` of gdb prints:
# static variables with the values in the file, types, and sizes.
# tier: core
# covers: expr/print expr/evaluate debuginfo/variables debuginfo/types debuginfo/elf
. "$(dirname "$0")/../lib.sh"

# same PROGRAM EXPRESSION...: both print the same for these expressions
same() {
	local program=$1 expression our their script=()
	shift
	for expression; do
		script+=(-ex "print $expression")
	done
	gdb -nx -batch "${script[@]}" "$program" 2>&1 </dev/null |
		sed -n 's/^\$[0-9]* = //p' >gdb.out
	for expression; do
		echo "evaluate $expression"
	done | perftool -n -q -x - "$program" >perftool.out 2>errors
	[ -s errors ] && diag <errors
	for expression; do
		IFS= read -r their <&3
		IFS= read -r our <&4
		is "$our" "$their" \
			"$(basename "$program"): $expression is printed as gdb prints it"
	done 3<gdb.out 4<perftool.out
}

same "$PROGRAMS/shapes" limit blank 'first' \
	'&first' second 'limit+1' 'blank[3]' '&limit' main '*main' 'fn_twice' \
	'sizeof(struct node)' 'sizeof(node_t)' 'sizeof(node_t*)' 'first.at' \
	'first.name' 'second.color' '&((struct node*)0)->at' \
	'&((node_t*)0)->corners[2].y' '(long)&((struct node*)0)->title' \
	GREEN 'GREEN + 1' '(enum color)5' '(enum flags)3' READ 'sizeof(count_t)' \
	'*(short(*)[3])&first.corners' 'first.bits' 'first.weights' '1 + 2' \
	'sizeof(int)' "'shapes.c'::blank" 'first.next == &second' \
	'second.id * limit'
same "$PROGRAMS/classes" limit shape::Named::count \
	'sizeof(shape::Shape)' 'sizeof(Figure)' 'shape::Kind::Square' \
	'shape::Green' '(shape::Color)2' '&shape::Named::count' \
	'&((shape::Shape*)0)->points' 'sizeof(shape::Buffer<int, 4>)'
same "$PROGRAMS/casts" number words lonely base '&object' twice \
	'&((Plain*)0)->plain' '(Plain*)&twice.one' 'no_base' '&twice.Twice2::plain'

# refuses NAME REASON EXPRESSION [COMMAND...]: the expression is an error that
# contains REASON
refuses() {
	local name=$1 reason=$2 script=()
	script=(-e "evaluate $3")
	[ $# -gt 3 ] && script=(-e "$4" "${script[@]}")
	perftool -n -q "${script[@]}" "$PROGRAMS/shapes" >out 2>errors
	is $? 125 "not being run: to evaluate $name is an error"
	like "$(cat errors)" "$reason" "not being run: the error about $name has the reason"
}

# shellcheck disable=SC2016
refuses 'a register' 'not being run' '$rax'
# shellcheck disable=SC2016
refuses 'a process' 'not being run' '$pid'
refuses 'a local variable' 'not being run' node
refuses 'an address in memory' 'cannot read memory at 0x10000000.*not being run' \
	'*(int *)0x10000000'
refuses 'a thread-local variable' 'not being run' mine

out=$(perftool -n -q -e run -e 'evaluate limit' -e 'evaluate sizeof(node_t)' \
	"$PROGRAMS/shapes" 2>&1 | tail -2)
is "$out" "30
$(gdb -nx -batch -ex 'output sizeof(node_t)' "$PROGRAMS/shapes")" \
	'after the program has ended, evaluate uses the values in the file'

done_testing
