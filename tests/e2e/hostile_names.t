#!/usr/bin/env bash
# Names of functions that have control characters and turns of the direction of
# writing: a terminal gets none of them, from messages, tables and listings.
# tier: core
# covers: report/figures ui/terminal ui serve
. "$(dirname "$0")/../lib.sh"

cat >names.c <<'END'
#define OUT __attribute__((noinline, noclone))
volatile int sink;
OUT void e0(void) { sink++; }
OUT void e1(void) { sink++; }
OUT void e2(void) { sink++; }
int main(void)
{
	for (int i = 0; i < 9; i++) {
		e0();
		e1();
		e2();
	}
	return 0;
}
END
# what sets the title of a terminal, an order in one character, a turn
printf 'e0 own\033]0;title\007\ne1 own\302\2332J\ne2 own\342\200\256eman\n' >new_names
gcc -O1 -c names.c
objcopy --redefine-syms=new_names names.o
gcc names.o -o names

# orders: how many characters of the standard input a terminal must not get; the
# tables choose colours, and have blocks and marks
orders() {
	/usr/bin/python3 -c 'import re, sys
text = re.sub("\033\\[(0|1|3|36)m", "", sys.stdin.buffer.read().decode())
print(len(re.findall("[^\\r\\n\\t -~\u00a0-\u200d\u2010-\u2027\u202f-\u2065\u206a-\uffff]", text)))'
}

perftool -n -q -b -e 'time own*@names' -e run -e 'print legs' -e 'print nodes' ./names \
	>plain 2>&1
is "$(orders <plain) $(grep -c ' own' plain)" '0 9' 'tables in a file have no such character'
# script(1) is a terminal.
script -qec "perftool -n -b -e 'time own*@names' -e 'list breaks' -e 'break own*2J@names' \
	-e run ./names" /dev/null >shown </dev/null
like "$(<shown)" 'Leg 0: .*entry of own\?\]0;title\?@names' 'a message has the name, and no order'
like "$(<shown)" 'own\?2J' 'and another one'
is "$(orders <shown)" 0 'a terminal gets no order'

# ---- what a server says -------------------------------------------------------

cat >title.c <<'END'
#include <sys/prctl.h>
#include <unistd.h>
int main(void)
{
	prctl(PR_SET_NAME, "\033]0;title\007");
	return pause();
}
END
gcc -o "$(printf 'tool\033[2Jname')" title.c
start perftool serve -q -n --socket ./socket "$(printf './tool\033[2Jname')"
wait_for 20 test -S socket
# shellcheck disable=SC2317 # wait_for calls it
named() {
	perftool ctl --socket ./socket 'list threads' 2>&1 | grep -q 'title'
}
wait_for 20 named
for command in 'ctl --socket ./socket list threads' 'ctl --socket ./socket nonsense' \
	'ctl --socket ./socket list modules' who; do
	script -qec "perftool $command" /dev/null >shown </dev/null
	is "$(orders <shown)" 0 "$command: a terminal gets no order"
done
script -qec "perftool ctl --socket ./socket list threads" /dev/null >shown </dev/null
like "$(<shown)" '\?\]0;title\?' 'list threads has the name'
done_testing
