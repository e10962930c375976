#!/usr/bin/env bash
# Ctrl-C and SIGTERM while `save report` and `save tables` work on 10,000 legs: the
# older file stays whole, no part of a file is left, and the tool is back soon.
# tier: full
# covers: command/families report/page report/records base
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/terminal.sh"

cat >prog.c <<'END'
__asm__(".text\n"
	".macro one\n"
	"many_\\@: nopl 0(%rax)\n nopl 0(%rax)\n nopl 0(%rax)\n ret\n"
	".type many_\\@, @function\n .size many_\\@, . - many_\\@\n"
	".pushsection .data.rel.ro, \"aw\"\n .quad many_\\@\n .popsection\n"
	".endm\n"
	".pushsection .data.rel.ro, \"aw\"\n .balign 8\n table:\n .popsection\n"
	".rept 10000\n one\n .endr\n");
extern void (*const table[10000])(void);
int main(void)
{
	for (int i = 0; i < 10000; i++)
		table[i]();
	return 0;
}
END
gcc -O1 -g prog.c -o prog

# ticks: prints how long the tool was on a CPU, in clock ticks
ticks() {
	sed 's/.*) //' "/proc/$(<pid)/stat" | awk '{print $12 + $13}'
}
# is_busy: has the tool worked on its command for a while? It then makes what it will
# write, or writes it. The tool is stopped while it is looked at, and stays so if it is
# busy, so that it cannot finish before the signal comes.
# shellcheck disable=SC2317 # `wait_for` calls it
is_busy() {
	kill -STOP "$(<pid)"
	[ "$(ticks)" -ge $((began + 3)) ] && return
	kill -CONT "$(<pid)"
	return 1
}
# begin COMMAND FILE: makes an older file, and waits until the tool works on the command
begin() {
	echo old >"$2"
	clear_screen
	began=$(ticks)
	enter "$1"
	wait_for 20 is_busy || fail "$1: the tool works on it"
}
# is_kept COMMAND FILE: the older file is whole, and there is no other
is_kept() {
	is "$(cat "$2"; find . -name '.perftool-*')" old \
		"$1: the older file is whole, and no part of another is left"
}

# (a shell without job control takes no notice when the tool is stopped; Ctrl-C
# reaches it, too)
cat >session.sh <<'END'
trap : INT
sh -c 'echo $$ >pid; exec perftool -n -e "time many_* most=10000" -e run ./prog'
echo status=$?
exec cat
END
new_terminal "sh session.sh"
# (10,000 legs are made in ten seconds, or in some minutes where many tests run)
wait_for 400 shows 'exited normally' || fail 'the program runs with 10,000 legs' "$(screen | tail -n 3)"
for command in 'save report x.html' 'save tables x.json' 'save tables x.txt' 'save tables x.csv'; do
	file=${command##* }
	[ "$file" = x.csv ] && file=x-legs.csv
	begin "$command" "$file"
	keys C-c
	kill -CONT "$(<pid)"
	expect $'interrupted[^\n]*\n*perftool> *$|\\^C\n*perftool> *$' "$command: Ctrl-C leads back to the prompt"
	is_kept "$command" "$file"
done
begin 'save report x.html' x.html
kill -TERM "$(<pid)"
kill -CONT "$(<pid)"
expect 'status=143' 'SIGTERM during save report: the tool ends with its status'
is_kept 'save report x.html' x.html

# In batch mode the tool says that it has left out the rest, and ends as by the signal.
echo old >x.html
sh -c 'echo $$ >pid; exec perftool -n -b -e "time many_* most=10000" -e run \
	-e "shell touch begun" -e "save report x.html" -e "shell touch late" ./prog 2>said' &
batch=$!
wait_for 400 test -e begun || fail 'batch mode comes to save report'
began=$(ticks)
wait_for 20 is_busy || fail 'batch mode works on save report'
kill -TERM "$(<pid)"
kill -CONT "$(<pid)"
wait "$batch"
is "$?" 143 'SIGTERM during save report in batch mode: the status is that of the signal'
is_kept 'save report x.html in batch mode' x.html
like "$(<said)" 'interrupted; the rest of the commands was left out' 'the user is told'
ok 'no later command is done' [ ! -e late ]
done_testing
