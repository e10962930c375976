#!/usr/bin/env bash
# `time` and libraries that the program loads while it runs: patterns and
# overloaded names in these libraries, and names that look like patterns.
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
is "$(legs | sort)" "$all" 'an overloaded name of a library that comes later'
is "$(json '[l["id"] for l in t["legs"]]')" '0 1 2' 'leg 0 is one of them'
is "$(json '[n["deleted"] for n in t["nodes"]]')" \
	'False False False False False False' 'with no node left over'
try perftool --pending -n -q -e 'break plug' -e run -e 'time part_of' -e continue \
	-e 'save tables t.json' ./linked
is "$(legs | sort)" "$all" 'as when the library is there'
times part_of -- ./linked
is "$(legs | sort)" "$all" 'as when the program is linked with it'
times part_end -- ./host ./plug.so
is "$(legs)" 'part_end 1' 'one that is no other is called as it was asked for'
times part_of@second.so -- ./host ./plug.so ./second.so
is "$(legs | sort)" "${all//plug.so/second.so}" 'of the library that is named'
try perftool --pending -n -q -e 'time part_of' -e 'delete breaks' -e run -e 'list breaks' \
	./host ./plug.so
like "$out" '^5|No breakpoints' 'one that was deleted does not come back'
unlike "$out" 'part_of' 'in no form'

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
		"$program: ten functions of a name that go on elsewhere"
	is "$(grep 'remarks on these' <<<"$err")" \
		'and 5 more remarks on these functions' "$program: of fifteen"
done
try perftool --pending -n -q -e 'break main' -e run -e 'break exit get@gets.so' \
	-e 'break exit get@gets.so' -e kill ./hasnt
is "$(grep -c ' ends with a jump to ' <<<"$err")" 20 'a command is answered each time'
is "$(grep -c '^and 5 more remarks' <<<"$err")" 2 'and says how many there are'

# ---- patterns ----

times 'part_*' -- ./host ./plug.so
is "$(legs | sort)" "part_end(int)@plug.so 1
part_first@host 1
$all" 'a pattern that names something of the program goes on naming'
is "$(json 'node(1)["location"], len(node(1)["addresses"])')" \
	'part_first@host 1' 'and what it has named stays what it is'
times 'part_*' -- ./host ./plug.so ./second.so
is "$(legs | sort)" "$(sort <<<"part_end(int)@plug.so 1
part_end(int)@second.so 1
part_first@host 2
$all
${all//plug.so/second.so}")" 'in each library that comes'
times 'part_*@host' -- ./host ./plug.so
is "$(legs)" 'part_first@host 1' 'but not where it says of which module'
try perftool --pending -n -q -e 'time part_*' -e run -e run -e 'save tables t.json' \
	-- ./host ./plug.so
is "$(legs | sort)" "$(sed 's/1$/2/; s/5$/10/' <<<"part_end(int)@plug.so 1
part_first@host 1
$all" | sort)" 'in the next run they are the same'
times '*' -- ./host ./plug.so
is "$(json 'entry("part_first")["count"]')" 1 'what names everything'
like "$err" '\* names [0-9]+ functions in [^ ]*, [^ ]*, too, which perftool times only if you add @MODULE' \
	'is not about what the program is linked with, and says so'
gcc -g -O1 -x c++ -c main.cc -o main.o
echo 'int part_first(int n) { return n; }' >first.c
gcc -g -O1 -c first.c
g++ main.o first.o ./plug.so -o both
times 'part_*' -- ./both
is "$(legs)" 'part_first@both 0' 'nor is one that names something in the program'
like "$err" 'part_\* names 4 functions in plug.so, too, which perftool times only if you add @MODULE' \
	'and it says so'
times 'part_*' 'part_*@plug.so' -- ./both
is "$(legs | sort)" "part_end(int)@plug.so 1
part_first@both 0
$all" 'with @MODULE it is'

# ---- names that contain characters of patterns ----

times 'part_of(char**)' -- ./linked
is "$(legs)" 'part_of(char**) 1' 'a name is one, whatever is in it'
try perftool --pending -n -q -e 'break plug' -e run -e 'time part_of(char**)' -e continue \
	-e 'save tables t.json' ./linked
is "$(legs)" 'part_of(char**) 1' 'and stays as it was written'
try perftool --pending -n -q -e 'break plug' -e run -e 'time part_of(char*)' -e continue \
	-e 'save tables t.json' ./linked
is "$(legs | sort)" "${all%$'\n'*}" 'else it is a pattern, of parameters too'
is "$(json 'sorted(n["location"] for n in t["nodes"])[0][:2]')" 'pa' \
	'nobody sees what the linker calls it'
batch 'break part_of(char**) if 1' 'break entry part_of(char const*) if 1' \
	-- ./linked
is "$(json '[n["count"] for n in t["nodes"]]')" '1 5' 'break knows them, too'
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
is "$status $out" '125 ' 'too many, unasked: the run is not begun in vain'
like "$err" "$many" 'and it is said how'
is "$(wc -l <<<"$err")" 1 'and no more is said'
try perftool --pending -q -n -b -e 'time "many_*" most=1001' -f json -o t.json -- ./few
is "$status $out $(json 'len(t["legs"]), sum(l["count"] for l in t["legs"])')" \
	'0 7 1001 1' 'with as many allowed: all are timed'

# ---- the cost of jumps that are made late -----------------------------------

# knows_cost NAME COMMAND...: the tool knows the cost of a jump although the
# only jumps are in code that is loaded, or in a program that is executed, while
# the program runs
knows_cost() {
	local name=$1

	shift
	try perftool --pending -q -n -e 'set mechanism fast' "$@"
	like "$err" 'Calibrated Cost per Fast Hit = [0-9.]+ns, spread' "$name"
	like "$err" 'Total number of Perf Breaks handled = [1-9]' \
		"$name: there are hits"
}
gcc -g -O1 -shared -fPIC "$ROOT/tests/programs/plugin.c" -o plugin.so
knows_cost 'the cost of jumps in a library that is loaded' -t plugin_work \
	-- "$PROGRAMS/loader" ./plugin.so
printf '#!/bin/sh\nexec %s compute 2\n' "$PROGRAMS/cpu" >executes
printf '#!/bin/sh\n%s compute 2\ntrue\n' "$PROGRAMS/cpu" >forks
chmod +x executes forks
knows_cost 'in a program that is executed' -t work -- ./executes
knows_cost 'in a child that executes a program' -t work -- ./forks

done_testing
