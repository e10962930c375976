#!/usr/bin/env bash
# Names of functions that have control characters and turns of the direction of
# writing: a terminal gets none of them, from messages, tables and listings, the pager,
# servers and the Python module.
# tier: core
# covers: base report/figures ui/terminal ui/prompt ui serve library command
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
script -qec "perftool -n -q -b -e 'time own*@names' -e run -e 'set format csv' \
	-e 'print legs' ./names" /dev/null >shown </dev/null
is "$(grep -c '^[0-9].*own' shown) $(orders <shown)" '3 0' 'nor from CSV'

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
script -qec 'perftool who --json' /dev/null >shown </dev/null
is "$(orders <shown)" 0 'who --json: a terminal gets no order'

# A server that is none: it answers everything with orders. Only `help` is so long that
# it goes to the pager.
cat >fake.py <<'END'
import json, socket
listener = socket.socket(socket.AF_UNIX)
listener.bind("fake")
listener.listen()
text = "\33]0;own\7 \u009b2J \u202e\n" * 50
while True:
    with listener.accept()[0] as connection, connection.makefile("rw") as file:
        for line in file:
            request = json.loads(line)
            file.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": {
                "output": text, "line": request["params"].get("line"),
                "pid": 1, "program": text, "args": [text]}}) + "\n")
            file.flush()
END
start /usr/bin/python3 fake.py
wait_for 20 test -S fake
printf 'help\nquit\n' | script -qec 'stty rows 9 cols 80
	TERM=xterm PAGER="cat >paged" perftool ctl --socket ./fake' /dev/null >shown
is "$(grep -c own paged) $(orders <paged)" '50 0' 'nor does the pager'
is "$(grep -c $'\033]0;own' shown)" 0 'nor the prompt of ctl'

# ---- what Python prints ---------------------------------------------------------

# SAN=1: python3 itself is not sanitized, and cannot load the library.
if [[ $(basename "$BUILD") != build-san* ]]; then
	export PYTHONPATH=$ROOT/src/library/python LIBPERFTOOL=$BUILD/libperftool.so.0
	cat >print.py <<-'END'
		import os, perftool
		def hear(kind, text, *_):
		    if kind in ("note", "stop"):
		        print(kind, text)
		with perftool.Session(hear) as session:
		    session.launch("./names")
		    print(session.command("time own*@names"))
		    session.command("break own*2J@names")
		    session.run()
		    leg, node = session.leg(0), session.node(1)
		    print(leg.name, leg.start, leg.end, node.location, node.function)
		    row = session.tables()["legs"][0]
		    print(row["name"], "%s" % row["name"], f"{row['name']} {row['name']:>30}")
		    print("kept", row["name"] == "own\33]0;title\7", repr(row["name"]))
		    try:
		        session.command("break \33]0;own\7")
		    except perftool.Error as error:
		        print("error", error)
		with perftool.Session() as session:
		    session.attach(int(os.environ["PID"]))
		    print(session.command("list threads"))
		    for thread in session.operation("showstack")["thread"]:
		        print("thread", thread["name"])
	END
	ln -s "$(printf 'tool\033[2Jname')" program
	start ./program
	PID=$started script -qec '/usr/bin/python3 print.py' /dev/null >shown </dev/null
	is "$(orders <shown)" 0 'Python: a terminal gets no order'
	like "$(<shown)" 'Leg 0: .*entry of own\?\]0;title\?@names' 'from the output of a command'
	like "$(<shown)" 'own\?\]0;title\? own\?\]0;title\? return own' 'from the names of a leg'
	like "$(<shown)" 'stop .*own\?2J' 'from an event'
	like "$(<shown)" "kept True 'own.x1b\]0;title.x07'" 'the data have the names as they are'
	like "$(<shown)" 'error .*\?\]0;own\?' 'from an error'
	like "$(<shown)" 'thread \?\]0;title\?' 'from an operation'
	is "$(grep -c Traceback shown)" 0 'and nothing fails'
fi
done_testing
