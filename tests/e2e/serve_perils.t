#!/usr/bin/env bash
# `perftool serve` under what front ends may do wrong: messages that are wrong,
# half or a million, parameters of the wrong types; and under other users.
# tier: full
# covers: serve document operations
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"

export PYTHONPATH=$ROOT/tests

mkdir perils
within 300 /usr/bin/python3 "$ROOT/tests/e2e/serve_perils.py" \
	"$BUILD/perftool" "$PROGRAMS/server" "$ROOT/doc/PROTOCOL.md" \
	"$PWD/perils" >checks 2>errors
is "$?" 0 'the front end ends by itself'
while read -r word name; do
	case $word in
	pass) pass "$name" ;;
	*) fail "${name%%: [\[\{]*}" "$name" ;;
	esac
done <checks
is "$(cat errors)" '' 'and has met no exception'

# ---- another user ----
# as_nobody: has another user connect to the socket and ask. Prints the reply.
as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		/usr/bin/python3 -c '
import socket, sys
file = socket.socket(socket.AF_UNIX)
try:
    file.connect(sys.argv[1])
    file.sendall(b"<DYPER XCOMMAND=\"COMMAND\">time work</DYPER>")
    print(file.recv(1000))
except OSError as error:
    print(type(error).__name__)' "$SCRATCH/open/socket" </dev/null
}
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
	pass 'another user is refused # SKIP only root can be another user'
else
	chmod 755 "$SCRATCH"
	mkdir -m 755 "$SCRATCH/open"
	serve perftool serve -q -n --socket "$SCRATCH/open/socket" \
		"$PROGRAMS/server" 1
	is "$reply" ready 'a program is served'
	is "$(as_nobody)" PermissionError 'another user cannot connect'
	chmod 777 "$SCRATCH/open/socket"
	like "$(as_nobody)" "^(b''|ConnectionResetError|BrokenPipeError)\$" \
		'nor is heard where the rights of the socket were changed'
	try perftool ctl --socket "$SCRATCH/open/socket" list breaks
	is "$status" 0 'the user is heard'
	unlike "$out" work 'and nothing was done for the other'
	says 5 'done 5 total 5' 'the program works'
	end_server
fi

done_testing
