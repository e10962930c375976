#!/usr/bin/env bash
# The limits of tests: a command that hangs is ended, and one that works is not, also
# while the processors are busy.
# tier: core
# covers: tests
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/lib.sh"

LIMIT=1 try sleep 1000
is "$status" 124 'a command that hangs is ended, with status 124'
like "$err" '^within: not within 1 seconds: sleep$' 'and a line says so'
try bash -c 'exit 7'
is "$status" 7 'a command that ends has its own status'
try bash -c 'kill -SEGV $$'
is "$status" 139 'or its signal'
try ./nonesuch
is "$status" 127 'a command that does not exist: 127'
mkfifo quiet
start "$PROGRAMS/within" 60 bash -c 'trap "echo got it; exit 3" TERM
	echo ready
	while :; do read -r -t 0.05 _; done' <>quiet >said
tool=$started
ready() { grep -q ready said; }
wait_for 20 ready
kill -TERM "$tool"
wait "$tool"
is "$?|$(tail -n 1 said)" '3|got it' 'a signal is passed on to the command'

# never: a condition that is never true
never() {
	false
}
ok 'wait_for gives up' eval '! wait_for 1 never'
before=kept
has_before() {
	[ "$before" = kept ]
}
ok 'a condition sees the variables of the test' wait_for 1 has_before

# The end of a test kills what the test has started, and nothing else: a number in its
# list may be that of another process by then.
cat >ends <<END
#!/usr/bin/env bash
. $ROOT/tests/lib.sh
start sleep 1000
(sleep 1000 & echo \$! >$PWD/grandchild)
STARTED+=("\$1" "\$(<$PWD/grandchild)")
echo "\$started" >$PWD/child
END
chmod +x ends
has_ended() {
	[[ ! -e /proc/$1 || $(status_of "$1" State) = Z ]]
}
start env PERFTOOL_TEST_ID=another sleep 1000
other=$started
is_another() {
	grep -qz '^PERFTOOL_TEST_ID=another$' "/proc/$other/environ"
}
wait_for 20 is_another
try env PERFTOOL_TEST_ID="$PERFTOOL_TEST_ID" ./ends "$other"
is "$status" 0 'a test in a test ends'
ok 'its end kills its child' wait_for 20 has_ended "$(<child)"
ok 'and what its child has started' wait_for 20 has_ended "$(<grandchild)"
lives() {
	! has_ended "$1"
}
ok 'a process of another test lives' lives "$other"

# As many loops as make each second twice as long.
loops=$((2 * $(nproc)))
for ((i = 0; i < loops; i++)); do
	start bash -c 'while :; do :; done'
done
busy() {
	read -r _ _ _ running _ </proc/loadavg
	[ "${running%/*}" -ge "$loops" ]
}
ok 'all the loops run' wait_for 20 busy
begin=$EPOCHREALTIME
LIMIT=1 try sleep 1000
is "$status" 124 'a command that hangs is ended on a busy machine, too'
took=$((${EPOCHREALTIME/./} - ${begin/./}))
ok "its second was longer there ($took us)" [ "$took" -ge 1500000 ]

done_testing
