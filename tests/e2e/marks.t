#!/usr/bin/env bash
# Static probes: marks of perftool/mark.h, which tests/programs/marked.c has, and
# the probes of python3 and libstdc++.
# tier: core
# covers: debuginfo/elf expr/bind probe/site session/names
# again: int3
# shellcheck disable=SC2016 # $arg1 is for perftool
. "$(dirname "$0")/../lib.sh"

marked=$PROGRAMS/marked

# node N: how often node N was reached, in t.json
node() {
	json "[n['count'] for n in t['nodes'] if n['id'] == $1][0]"
}

# ---- marks ----
try perftool -n -q -e 'list probes' -e 'list probes beg*' -e 'list probes shop:s*' "$marked"
is "$status" 0 'list probes'
is "$(grep -c 'marked  probe:shop:begin' <<<"$out")" 2 'it lists all, or those of a pattern'
is "$(grep -c 'probe:shop:seventh$' <<<"$out")" 4 'a mark in two places has two lines'
like "$out" 'probe:shop:end  -4@[^ ]+ -8@[^ ]+ -8@[^ ]+ 8@[^ ]+' \
	'it tells where the arguments are'
for mechanism in auto int3; do
	try perftool -n -q -b -f json -o t.json -e "set mechanism $mechanism" \
		-e 'break probe:shop:begin if 1' \
		-e 'break probe:shop:end if $arg1 % 2 == 0' \
		-e 'break probe:shop:end if $arg2 == -$arg3 && $arg2 > 100' \
		-e 'break probe:shop:end if (char *)$arg4 == "odd"' \
		-e 'break probe:shop:seventh if 1' \
		-e 'break probe:*:seventh@marked if 1' \
		-e 'add leg probe:shop:begin 2' "$marked" 1400
	is "$status $err" '0 ' "$mechanism: marks are nodes"
	is "$(node 1) $(node 2)" '1400 700' "$mechanism: \$arg1 is the first argument"
	# the sum is above 100 from the call with the number 24 on
	is "$(node 3)" 1375 "$mechanism: \$arg2 and \$arg3 are long"
	is "$(node 4)" 700 "$mechanism: \$arg4 is a pointer"
	is "$(node 5) $(node 6)" '200 200' "$mechanism: a mark in two places; a pattern"
	# the leg ends at a node, with its condition
	is "$(json '[l["count"] for l in t["legs"]]')" 700 \
		"$mechanism: marks are the ends of legs"
	is "$(own calls)" 1400 "$mechanism: the program ends as ever"
done
is "$(json 't["nodes"][0]["kind"], t["nodes"][0]["location"]')" \
	"probe probe:shop:begin" 'JSON has the kind and the place'
# while the program is stopped at a mark, too
perftool -n -q -b -e 'break probe:shop:end if $arg1 == 3' -e run -e 'evaluate $arg1' \
	-e 'evaluate $arg2 + $arg3' -e 'evaluate (char *)$arg4' "$marked" 10 >stopped.txt 2>&1
like "$(cat stopped.txt)" $'^3\n0\n0x[0-9a-f]+ "odd"' \
	'at a stop, $arg1 and the others are those of the mark'
try perftool -n -q -b -e 'break probe:shop:begin' -e run -e 'evaluate $arg2' "$marked" 10
like "$err" 'the probe shop:begin has 1 argument$' 'and no others'
# SHOWSTACK names a function without a symbol as tables do
strip -o stripped "$marked"
try perftool -n -q -b -e 'break probe:shop:begin' -e run -e 'dyper showstack > stack.json' \
	./stripped 10
is "$(/usr/bin/python3 -c 'import json
print(json.load(open("stack.json"))["thread"][0]["stack"][0]["method"])')" \
	"stripped+0x$(nm "$marked" | sed -n 's/^0*\(.*\) T main$/\1/p')" \
	'a function of a stripped program has its address in a stack'
fails_with 125 "no static probe shop:bgin in marked" 'a mark that does not exist' \
	perftool -n -q -b -e 'break probe:shop:bgin if 1' "$marked" 1
fails_with 125 'is named probe:PROVIDER:NAME; .list probes' 'a place that is no mark' \
	perftool -n -q -b -e 'break probe:shop' "$marked" 1
try perftool -n -q -b -e 'break probe:shop:end if $arg5' "$marked" 1
like "$err" "'\\\$arg5': the probe shop:end has 4 arguments" 'an argument that does not exist'
try perftool -n -q -e 'list probes shop:*' "$PROGRAMS/ends"
is "$status" 125 'a program without marks'
like "$err" 'no static probe is named shop:' 'has a message'

# the macro in C and C++, with optimisation and without
cat >all.c <<'END'
#include <perftool/mark.h>
enum kind { FIRST, SECOND };
static char text[] = "text";
volatile signed char small = -3;
volatile unsigned short word = 65535;
volatile unsigned long wide = 0xfedcba9876543210ul;
int main(int argc, char **argv)
{
	for (int i = 0; i < 10; i++) {
		PERFTOOL_MARK(all, none);
		PERFTOOL_MARK(all, types, small, word, wide, text, argv, SECOND);
		PERFTOOL_MARK(all, twelve, i, i + 1, i + 2, i + 3, i + 4, i + 5,
			      i + 6, i + 7, i + 8, i + 9, 10, argc);
	}
	return 0;
}
END
for compile in 'gcc -O0' 'gcc -O2 -Wall -Wextra -Werror -pedantic' 'g++ -O2 -x c++' \
	'gcc -O2 -fPIC -pie' 'gcc -O1 -no-pie'; do
	# shellcheck disable=SC2086 # the words of the command
	try $compile -I"$ROOT/include" all.c -o all
	is "$status" 0 "$compile: the macro compiles"
	try perftool -n -q -b -f json -o t.json -e 'break probe:all:none if 1' \
		-e 'break probe:all:types if $arg1 == -3 && $arg2 == 65535' \
		-e 'break probe:all:types if $arg3 == 0xfedcba9876543210' \
		-e 'break probe:all:types if (char *)$arg4 == "text" && $arg5 && $arg6 == 1' \
		-e 'break probe:all:twelve if $arg1 + 9 == $arg10 && $arg11 == 10 && $arg12 == 1' \
		./all
	is "$status $err" '0 ' "$compile: its program is measured"
	is "$(json '[n["count"] for n in t["nodes"]]')" '10 10 10 10 10' \
		"$compile: the arguments have their values"
done

# What the note cannot describe is an error of the compiler: its bits would be
# taken for an integer.
cat >double.c <<'END'
#include <perftool/mark.h>
int main(int argc, char **argv)
{
	TYPE number = (TYPE)argc;
	(void)argv;
	PERFTOOL_MARK(all, number, number);
	return 0;
}
END
for compiler in gcc g++ clang clang++; do
	command -v "$compiler" >/dev/null || continue
	case $compiler in *++) language=c++ ;; *) language=c ;; esac
	for type in short double float; do
		try "$compiler" -DTYPE=$type -I"$ROOT/include" -x $language double.c -o double
		[ $type = short ] && wanted=0 || wanted=1
		is "$status" "$wanted" "$compiler: a mark with a $type"
	done
	like "$err" 'takes.integers,?.enumerations.and.pointers' "$compiler: the message says what it takes"
done
cat >null.cc <<'END'
#include <perftool/mark.h>
int main()
{
	PERFTOOL_MARK(all, null, nullptr);
}
END
try g++ -I"$ROOT/include" null.cc -o null
is "$status" 0 'nullptr is a pointer'

# ---- floating point ----
# sys/sdt.h writes 8f@%xmm0; its older versions write 8@%xmm0.
cat >floats.c <<'END'
#define PROBE(name, operands, ...)                                             \
	__asm__ __volatile__("990: nop\n"                                      \
			     ".pushsection .note.stapsdt,\"?\",\"note\"\n"     \
			     ".balign 4\n.4byte 992f-991f, 994f-993f, 3\n"     \
			     "991: .asciz \"stapsdt\"\n992: .balign 4\n"      \
			     "993: .8byte 990b, 0, 0\n"                        \
			     ".asciz \"float\"\n.asciz \"" name "\"\n"        \
			     ".asciz \"" operands "\"\n994: .balign 4\n"      \
			     ".popsection\n" ::__VA_ARGS__)
volatile double wide = -1.5;
volatile float narrow = 0.25f;
int main(void)
{
	for (int i = 0; i < 20; i++) {
		double twice = wide * 2, half = i / 2.0;
		float more = narrow + (float)i;
		PROBE("all", "8f@%[a] 4f@%[b] 8f@%[c] -4@%[d] 8@%[e]",
		      [a] "x"(twice), [b] "x"(more), [c] "m"(wide), [d] "r"(i),
		      [e] "x"(half));
		register double last __asm__("xmm15") = half;
		PROBE("last", "8f@%[a]", [a] "x"(last));
	}
	return 0;
}
END
gcc -O2 floats.c -o floats
like "$(perftool -n -q -e 'list probes float:all' ./floats)" 'float:all  8f@%xmm[0-9]* 4f@%xmm' \
	'arguments are in vector registers'
for mechanism in auto int3; do
	try perftool -n -q -b -f json -o t.json -e "set mechanism $mechanism" \
		-e 'break probe:float:all if $arg1 == -3 && $arg3 == -1.5' \
		-e 'break probe:float:all if $arg2 == $arg4 + 0.25' \
		-e 'break probe:float:all if $arg5 > 4 && $arg5 * 2 == $arg4' \
		-e 'break probe:float:last if $arg1 == 9.5' \
		-e 'add leg 1 probe:float:last' -e 'split leg 0 by=$arg2' ./floats
	is "$status $err" '0 ' "$mechanism: arguments of floating point are read"
	is "$(json '[n["count"] for n in t["nodes"]][:4]')" '20 20 11 1' \
		"$mechanism: they have their values"
	is "$(json 'sorted(float(v["value"]) for v in t["legs"][0]["by"]["values"])[:3]')" 19.25 \
		"$mechanism: they split legs"
done

# ---- semaphores: python3 ----
python=$(readlink -f /usr/bin/python3)
if perftool -n -q -e 'list probes python:gc__start' "$python" >probes.txt 2>&1; then
	like "$(cat probes.txt)" 'probe:python:gc__start.*\(semaphore\)' \
		'python3 has probes with semaphores'
	cat >collect.py <<'END'
import gc
found = [0, 0]
def note(phase, info):
    found[0] += phase == "start"
    found[1] += phase == "start" and info["generation"] == 2
gc.callbacks.append(note)
print("begin", flush=True)
for i in range(5):
    gc.collect()
    gc.collect(0)
gc.disable()
print("all", found[0], flush=True)
END
	try perftool -n -q -b -f json -o t.json -e 'break probe:python:gc__start if $arg1 == 2' \
		-e 'break probe:python:gc__done if 1' "$python" collect.py
	is "$status $err" '0 ' 'the probes of python3 are nodes'
	is "$(json 't["nodes"][0]["count"] >= 5, t["nodes"][1]["count"] >= 10')" 'True True' \
		'they are passed, because their semaphores are raised'
	# The addresses are those that gdb shows.
	if command -v gdb >/dev/null; then
		gdb -batch -nx -ex 'info probes stap python' "$python" 2>/dev/null |
			sed -n 's/^stap *python *\([^ ]*\) *0x0*\([^ ]*\).*/\2 \1/p' | sort >gdb.txt
		perftool -n -q -e 'list probes python:*' "$python" |
			sed -n 's/^ *0x\([0-9a-f]*\) .*probe:python:\([^ ]*\).*/\1 \2/p' | sort >ours.txt
		is "$(cat ours.txt)" "$(cat gdb.txt)" 'gdb shows the same probes'
	fi
	# semaphores are lowered again
	cat >count.py <<'END'
import ctypes, sys, time
word = ctypes.c_ushort.from_address(int(sys.argv[1], 16))
print("ready", flush=True)
last = None
while True:
    if word.value != last:
        last = word.value
        print("value", last, flush=True)
    if last == 7:
        break
    time.sleep(0.001)
END
	semaphore=$(readelf -n "$python" | grep -A1 'Name: gc__start' | tail -1 |
		sed -n 's/.*Semaphore: \(0x[0-9a-f]*\)/\1/p')
	type=$(readelf -h "$python" | sed -n 's/ *Type: *\([A-Z]*\).*/\1/p')
	if [ "$type" = EXEC ]; then
		start "$python" count.py "$semaphore" >values.txt
		wait_for 20 grep -q 'value 0' values.txt
			try perftool -n -q -p "$started" -e 'break probe:python:gc__start if 1' \
			-e 'break probe:python:gc__start if $arg1 == 0' -e 'monitor on' \
			-e 'continue for 100ms' -e 'delete break 1' -e 'continue for 100ms' \
			-e 'disable 2' -e 'continue for 100ms' -e 'enable 2' \
			-e 'continue for 100ms' -e 'detach'
		is "$status $err" '0 ' 'nodes on a probe come and go'
		is "$(grep -c value values.txt) $(sed -n 's/value //p' values.txt | xargs)" \
			'5 0 1 0 1 0' \
			'the semaphore is 1 while a node is there, and 0 when perftool has gone'
	fi
fi

# ---- libstdc++ ----
try perftool -n -q -e 'list probes libstdcxx:*' "$PROGRAMS/exceptions"
is "$status" 0 'before the program runs, the probes of its libraries are listed'
like "$out" 'libstdc\+\+.so.6  probe:libstdcxx:throw' 'with the name of the library'
cat >throws.cc <<'END'
#include <stdexcept>
#include <cstdio>
int main()
{
	int caught = 0;
	for (int i = 0; i < 21; i++)
		try {
			throw std::runtime_error("x");
		} catch (const std::exception &) {
			caught++;
		}
	std::printf("caught %d\n", caught);
}
END
g++ -O1 -g throws.cc -o throws
try perftool -n -q -b -f json -o t.json -e 'break probe:libstdcxx:throw if 1' \
	-e 'break probe:libstdcxx:catch if 1' ./throws
is "$status $err" '0 ' 'the probes of libstdc++ are nodes'
is "$(json '[n["count"] for n in t["nodes"]]')" '21 21' 'each exception passes them'
done_testing
