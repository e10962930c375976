#!/usr/bin/env bash
# Expressions with variables of other modules: the tool finds the same variables
# as gdb, also in conditions that are set before the modules are loaded.
# tier: core
# covers: expr/bind debuginfo/symbols probe/process
# shellcheck disable=SC2016 # dollars and backticks are the language's
. "$(dirname "$0")/../lib.sh"
PENDING=yes # the functions may come with a library

cat >many.c <<'END'
#define _GNU_SOURCE /* pipe2 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int calls;
int pages = 3;

__attribute__((noinline)) int work(int i)
{
	return ++calls + i;
}

static int nested(int i)
{
	errno = i;
	return work(i);
}

static void *other(void *unused)
{
	errno = 5;
	work(0);
	return unused;
}

int main(int argc, char **argv)
{
	int ends[2], status;
	pthread_t thread;
	void *plugin;
	char c;

	pipe2(ends, O_NONBLOCK);
	for (int i = 0; i < 10; i++) {
		if (i % 3 == 0)
			write(ends[1], "x", 1);
		read(ends[0], &c, 1);
		nested(i);
	}
	errno = 4;
	pthread_create(&thread, NULL, other, NULL);
	pthread_join(thread, NULL);
	if (argc > 1 && (plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL))) {
		int (*run)(int) = (int (*)(int))dlsym(plugin, "plugin_run");

		for (int i = 0; i < 3; i++)
			run(work(i) * 0 + i);
		if (fork() == 0) {
			run(7);
			work(8);
			_exit(0);
		}
		wait(&status);
		dlclose(plugin);
		work(9);
	}
	fprintf(stdout, "%d\n", calls);
	return 0;
}
END
cat >plugin.c <<'END'
int plugin_count;

int plugin_run(int i)
{
	return plugin_count += i;
}
END
gcc -g -w -o many many.c -pthread
gcc -g -fPIC -shared -o plugin.so plugin.c

# counts NODE...: prints how often each node was reached, and its errors
counts() {
	/usr/bin/python3 -c '
import json, sys
nodes = {n["id"]: n for n in json.load(sys.stdin)["nodes"]}
print(*("%d/%d" % (nodes[int(i)]["count"], nodes[int(i)]["errors"])
        for i in sys.argv[1:]))' "$@" <"$SCRATCH/work/tables.json"
}

measure() { # ARGS: arguments of perftool, with a program and its arguments
	try perftool -n -q -b --pending -f json -o tables.json "$@"
}

# ---- conditions that are set before the program runs

measure -e 'break exit read if errno == 11' \
	-e 'break work if errno == 4' \
	-e 'break work if errno == 5' \
	-e 'break work if stdout->_fileno == 1' \
	-e 'break work if (long) _r_debug == 1 && optarg == 0' ./many
is "$status" 0 "conditions with variables of libraries are taken before the program runs"
is "$(counts 1 2 3 4 5)" "6/0 1/0 2/0 11/0 11/0" \
	"conditions see each thread's errno and the variables of libraries"

measure -e 'break work if pagse == 3' ./many
is "$status" 125 "a variable that no module has is refused"
like "$err" "no variable here that is called 'pagse'; is 'pages' what was" \
	"the error about an unknown variable has a near name"

measure -e 'break work if _r_debug == 1' ./many
is "$status" 125 "a variable without a type is refused"
like "$err" "'_r_debug' has unknown type; cast it to its declared type" \
	"the error about a variable without a type advises a cast"

# ---- values and keys

measure -e 'break work if 1' -e 'collect nodes' \
	-e 'add histogram node 1 linear value=errno' ./many
is "$status" 0 "a run with a histogram of errno ends with status 0"
is "$(/usr/bin/python3 -c '
import json
print(*json.load(open("tables.json"))["histograms"][0]["buckets"][4:6])' |
	grep -o "'count': [0-9]*" | tr '\n' ' ')" "'count': 1 'count': 2 " \
	"a histogram of errno counts the values"

# ---- libraries that are loaded and unloaded

measure -e 'break plugin_run if plugin_count > 0' \
	-e 'break plugin_run if pages == 3 && calls > 0' ./many ./plugin.so
is "$(counts 1 2)" "2/0 4/0" \
	"a node in a plugin sees variables of the plugin and of the program"

cat >script <<'END'
set pending on
break plugin_run
run ./plugin.so >/dev/null
break work if plugin_count >= 0
collect nodes
delete break 1
monitor on
continue
save tables tables.json
END
try perftool -n -q -x script ./many
is "$(counts 2)" "3/1" \
	"a node in the program sees a plugin's variables as long as it is loaded"

# ---- attaching

cat >sleeper.c <<'END'
#include <errno.h>
#include <unistd.h>

int work(int i)
{
	return i + 1;
}

int main(void)
{
	for (int i = 0;; i = work(i)) {
		errno = i % 4;
		usleep(1000);
	}
}
END
# is_run NAME: the process that was started last executes this program
# shellcheck disable=SC2317 # wait_for calls it
is_run() {
	[ "$(cat "/proc/$started/comm")" = "$1" ]
}
gcc -g -w -O0 -o sleeper sleeper.c
start ./sleeper
ok 'a program to attach to begins' wait_for 10 is_run sleeper
pid=${STARTED[-1]}
measure -e 'break work if 1' -e 'break work if errno == i % 4' \
	--for 300ms -p "$pid"
is "$status" 0 "attached: a condition on errno is taken"
like "$(counts 1 2)" "^([1-9][0-9]*/0) ([1-9][0-9]*/0)$" \
	"attached: a condition on errno is evaluated without errors"
is "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "attached: errno is right at every hit"

gcc -g -w -static -o static sleeper.c
start ./static
ok 'a static program to attach to begins' wait_for 10 is_run static
pid=${STARTED[-1]}
measure -e 'break work if 1' -e 'break work if errno == i % 4' \
	--for 300ms -p "$pid"
like "$(counts 1 2)" "^([1-9][0-9]*/0) ([1-9][0-9]*/0)$" \
	"a static program: a condition on errno is evaluated without errors"
is "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "a static program: errno is right at every hit"

# ---- the entries of procedure linkage tables ---------------------------------

cat >stubs.c <<'END'
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	char *(*copy)(const char *) = argc > 5 ? NULL : strdup;

	for (int i = 0; i < 5; i++)
		free(strdup(argv[0]));
	free(copy(argv[0]));
	return 0;
}
END
while read -r name flags; do
	# shellcheck disable=SC2086 # flags are words
	gcc -g -O1 -fno-builtin $flags stubs.c -o stubs
	batch 'break strdup@plt if 1' 'break entry free@plt@stubs if 1' \
		'break *strdup@plt if 1' 'break exit strdup@plt if 1' \
		-- ./stubs
	# a call through a pointer to the function does not go through the
	# table, unless the pointer is the table's entry
	is "$(json '[n["count"] for n in t["nodes"]]')" "$(
		case $name in
		(fixed) echo 6 6 6 6 ;;
		(*) echo 5 6 5 5 ;;
		esac)" "$name: calls through the procedure linkage table are counted"
	is "$(json 'node(1)["function"], node(1)["module"]')" \
		'strdup@plt stubs' "$name: an entry of the table is called strdup@plt in stubs"
done <<'END'
usual
lazy -Wl,-z,lazy
now -Wl,-z,now
branches -fcf-protection=full -Wl,-z,ibtplt
fixed -fno-pie -no-pie
END
batch 'time strdup@plt free@plt@stubs' -- ./stubs
is "$(json '[l["name"] for l in t["legs"]]')" 'strdup@plt free@plt' \
	'their legs have these names'
fails_with 125 'no function nobody@plt in stubs, .* --pending' \
	'FUNC@plt that no module has is refused' \
	perftool -q -n -b -o /dev/null -t nobody@plt -- ./stubs

# ---- constants ----
# A static variable that is a constant has no symbol.
cat >constant.c <<'END'
static const int answer = 33;

int add(int x)
{
	return answer + x;
}
END
cat >adds.c <<'END'
int add(int x);

int main(void)
{
	return add(3) == 1;
}
END
gcc -g -O2 -fPIC -shared -o libconstant.so constant.c
gcc -g -O2 -o adds adds.c ./libconstant.so
is "$(nm libconstant.so | grep answer)" '' 'a constant of a library: there is no symbol of it'
is "$(printf '%s\n' 'break main' run 'evaluate answer' kill | perftool -n -q ./adds 2>&1 |
	tail -n 1)" 33 'a constant of a library has its value elsewhere, too'

done_testing
