#!/usr/bin/env bash
# `time` and libraries that the program loads while it runs: patterns and
# overloaded names in these libraries, and names that look like patterns.
# tier: full
# covers: session/requests probe/request
# again: int3
. "$(dirname "$0")/../lib.sh"
PENDING=yes # the functions may come with a library

cat >plug.cc <<'END'
static volatile int sink;

#define OUT __attribute__((noinline))

OUT int part_of(int n) { sink += n; return n; }
OUT int part_of(const char *text) { sink += *text; return 1; }
OUT int part_of(char **texts) { sink += **texts; return 2; }
OUT int part_end(int n) { sink -= n; return n; }

extern "C" int plug(int n)
{
	char text[] = "x", *texts[] = {text};
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += part_of(i) + part_of(text);
	return sum + part_of(texts) + part_end(3);
}
END
cat >host.c <<'END'
#include <dlfcn.h>
#include <stdio.h>

__attribute__((noinline)) int part_first(int n)
{
	return printf("%d\n", n);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);
		int (*plug)(int) = (int (*)(int))dlsym(library, "plug");

		part_first(plug(5));
	}
	return 0;
}
END
g++ -g -O1 -shared -fPIC plug.cc -o plug.so
cp plug.so second.so
gcc -g -O1 host.c -o host
cat >main.cc <<'END'
extern "C" int plug(int n);
int main() { return plug(5) == 0; }
END
g++ -g -O1 main.cc ./plug.so -o linked

# legs: prints each function that is timed and its count, one line for each leg
legs() {
	json 'chr(10).join("%s %d" % (node(l["from"])["location"], l["count"])
		for l in t["legs"])'
}

all='part_of(char const*)@plug.so 5
part_of(char**)@plug.so 1
part_of(int)@plug.so 5'
times part_of -- ./host ./plug.so
is "$(legs | sort)" "$all" 'an overloaded name of a library that is loaded later is timed'
is "$(json '[l["id"] for l in t["legs"]]')" '0 1 2' \
	'the legs of an overloaded name are numbered from 0'
is "$(json '[n["deleted"] for n in t["nodes"]]')" \
	'False False False False False False' 'no node of an overloaded name is left over'
try perftool --pending -n -q -e 'break plug' -e run -e 'time part_of' -e continue \
	-e 'save tables t.json' ./linked
is "$(legs | sort)" "$all" 'an overloaded name of a library that is already loaded is timed'
times part_of -- ./linked
is "$(legs | sort)" "$all" 'an overloaded name of a library that is linked is timed'
times part_end -- ./host ./plug.so
is "$(legs)" 'part_end 1' 'a name that is not overloaded is shown as the user wrote it'
times part_of@second.so -- ./host ./plug.so ./second.so
is "$(legs | sort)" "${all//plug.so/second.so}" 'NAME@LIBRARY is timed in that library only'
try perftool --pending -n -q -e 'time part_of' -e 'delete breaks' -e run -e 'list breaks' \
	./host ./plug.so
like "$out" '^5|No breakpoints' 'a pending name that was deleted does not come back'
unlike "$out" 'part_of' 'a pending name that was deleted is shown nowhere'

# ---- remarks about many functions ----
{
	echo 'extern "C" OUT int other(int n) { static volatile int s; return s += n; }'
	for i in {1..15}; do
		echo "namespace n$i {"
		echo "struct T { int x; };"
		echo "int get(T t, int k) { return other((k + $i) * t.x); }"
		echo "}"
	done
	echo 'extern "C" int plug(int n) { return n1::get({n}, 2) + n2::get({n}, 3); }'
} >gets.cc
cat >has.cc <<'END'
extern "C" int plug(int n);
OUT int get(int n) { static volatile int s; return s = n; }
int main() { return plug(5) == get(3); }
END
sed '/OUT/d; s/get(3)/3/' has.cc >hasnt.cc
g++ -g -O2 '-DOUT=__attribute__((noinline))' -shared -fPIC gets.cc -o gets.so
for program in has hasnt; do
	g++ -g -O1 '-DOUT=__attribute__((noinline))' $program.cc ./gets.so \
		-o $program
	try perftool --pending -n -q -b -e 'break exit get if 1' -- ./$program
	is "$(grep -c '^n[0-9]*::get.* ends with a jump to ' <<<"$err")" 10 \
		"$program: ten functions that end with a jump get a remark each"
	is "$(grep 'remarks on these' <<<"$err")" \
		'and 5 more remarks on these functions' \
		"$program: a line counts the five remarks that are left out"
done
try perftool --pending -n -q -e 'break main' -e run -e 'break exit get@gets.so' \
	-e 'break exit get@gets.so' -e kill ./hasnt
is "$(grep -c ' ends with a jump to ' <<<"$err")" 20 \
	'a command that is given twice prints its remarks twice'
is "$(grep -c '^and 5 more remarks' <<<"$err")" 2 \
	'a command that is given twice counts the omitted remarks twice'

# ---- patterns ----

times 'part_*' -- ./host ./plug.so
is "$(legs | sort)" "part_end(int)@plug.so 1
part_first@host 1
$all" 'a pattern that names functions of the program names later ones, too'
is "$(json 'node(1)["location"], len(node(1)["addresses"])')" \
	'part_first@host 1' 'the first function of a pattern keeps its node'
times 'part_*' -- ./host ./plug.so ./second.so
is "$(legs | sort)" "$(sort <<<"part_end(int)@plug.so 1
part_end(int)@second.so 1
part_first@host 2
$all
${all//plug.so/second.so}")" 'a pattern names functions of each library that is loaded'
times 'part_*@host' -- ./host ./plug.so
is "$(legs)" 'part_first@host 1' 'PATTERN@MODULE names functions of that module only'
try perftool --pending -n -q -e 'time part_*' -e run -e run -e 'save tables t.json' \
	-- ./host ./plug.so
is "$(legs | sort)" "$(sed 's/1$/2/; s/5$/10/' <<<"part_end(int)@plug.so 1
part_first@host 1
$all" | sort)" 'a pattern names the same functions in the next run'
times '*' -- ./host ./plug.so
is "$(json 'entry("part_first")["count"]')" 1 'the pattern * times functions of the program'
like "$err" '\* names [0-9]+ functions in [^ ]*, [^ ]*, too, which perftool times only if you add @MODULE' \
	'a message says that * leaves out the libraries of the program'
gcc -g -O1 -x c++ -c main.cc -o main.o
echo 'int part_first(int n) { return n; }' >first.c
gcc -g -O1 -c first.c
g++ main.o first.o ./plug.so -o both
times 'part_*' -- ./both
is "$(legs)" 'part_first@both 0' \
	'a pattern that names functions of the program leaves out its libraries'
like "$err" 'part_\* names 4 functions in plug.so, too, which perftool times only if you add @MODULE' \
	'a message says that a pattern leaves out a library'
times 'part_*' 'part_*@plug.so' -- ./both
is "$(legs | sort)" "part_end(int)@plug.so 1
part_first@both 0
$all" 'PATTERN@MODULE names functions of a library that is linked'

# ---- names that contain characters of patterns ----

times 'part_of(char**)' -- ./linked
is "$(legs)" 'part_of(char**) 1' 'part_of(char**) is a name and not a pattern'
try perftool --pending -n -q -e 'break plug' -e run -e 'time part_of(char**)' -e continue \
	-e 'save tables t.json' ./linked
is "$(legs)" 'part_of(char**) 1' 'part_of(char**) keeps its name at a stop'
try perftool --pending -n -q -e 'break plug' -e run -e 'time part_of(char*)' -e continue \
	-e 'save tables t.json' ./linked
is "$(legs | sort)" "${all%$'\n'*}" \
	'part_of(char*), which is no name, is a pattern of parameters'
is "$(json 'sorted(n["location"] for n in t["nodes"])[0][:2]')" 'pa' \
	'the places of a pattern of parameters have no mangled names'
batch 'break part_of(char**) if 1' 'break entry part_of(char const*) if 1' \
	-- ./linked
is "$(json '[n["count"] for n in t["nodes"]]')" '1 5' \
	'break takes names whose parameters contain a *'
# ---- more functions than the user may have meant ----------------------------

{
	for i in {1..1001}; do
		echo "int many_$i(void) { return $i; }"
	done
} >many.c
gcc -g -O1 -shared -fPIC many.c -o many.so
cat >few.c <<'END'
#include <stdio.h>
extern int many_7(void);
int main(void) { return printf("%d\n", many_7()) == 0; }
END
gcc -g -O1 few.c ./many.so -o few
many='many_\* names 1001 functions, more than 1000; `time "many_\*" most=1001. times them all'
try perftool --pending -q -n -t 'many_*' -- ./few
is "$status $out" '125 ' 'a pattern of more than 1000 functions is an error before the run'
like "$err" "$many" 'the error about more than 1000 functions says how to time them all'
is "$(wc -l <<<"$err")" 1 'the error about more than 1000 functions is one line'
try perftool --pending -q -n -b -e 'time "many_*" most=1001' -f json -o t.json -- ./few
is "$status $out $(json 'len(t["legs"]), sum(l["count"] for l in t["legs"])')" \
	'0 7 1001 1' 'most=1001 times all 1001 functions'

# ---- the cost of jumps that are made late -----------------------------------

# knows_cost NAME COMMAND...: the tool knows the cost of a jump although the
# only jumps are in code that is loaded, or in a program that is executed, while
# the program runs
knows_cost() {
	local name=$1

	shift
	try perftool --pending -q -n -e 'set mechanism fast' "$@"
	like "$err" 'Calibrated Cost per Fast Hit = [0-9.]+ns, spread' \
		"$name: the cost of a jump is known"
	like "$err" 'Total number of Perf Breaks handled = [1-9]' \
		"$name: hits are counted"
}
gcc -g -O1 -shared -fPIC "$ROOT/tests/programs/plugin.c" -o plugin.so
knows_cost 'a library that is loaded' -t plugin_work \
	-- "$PROGRAMS/loader" ./plugin.so
printf '#!/bin/sh\nexec %s compute 2\n' "$PROGRAMS/cpu" >executes
printf '#!/bin/sh\n%s compute 2\ntrue\n' "$PROGRAMS/cpu" >forks
chmod +x executes forks
knows_cost 'a program that is executed' -t work -- ./executes
knows_cost 'a child that executes a program' -t work -- ./forks

done_testing
