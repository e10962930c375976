#!/usr/bin/env bash
# The folder of the sockets: `perftool serve`, `who` and `ctl` trust what is there only
# if nobody else can have made it, and a socket is there as long as its server lives.
# tier: core
# covers: serve base library
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"

export XDG_RUNTIME_DIR=$SCRATCH/run
folder=$XDG_RUNTIME_DIR/perftool
mkdir -m 700 "$XDG_RUNTIME_DIR" "$folder"

# ---- a server that starts while others look ----
# A server made its socket file before it listened, and `who` took the file for one
# that a dead server had left. Here, listen(2) takes three seconds.
looks() {
	perftool who >listed
	[ -s listed ] || ! kill -0 "$started" 2>/dev/null
}
start strace -o calls -e trace=listen -e inject=listen:delay_enter=3000000 \
	perftool serve -q -n --socket "$folder/1.sock" sleep infinity
listens() { looks || grep -q 'listen(.*= 0' calls; }
wait_for 60 listens
wait_for 20 looks
like "$(<listed)" 'sleep infinity' 'a server has its socket though others looked before it listened'
pkill -KILL -P "$started"
wait "$started" 2>/dev/null
try perftool who
is "$status:$out:$(ls -A "$folder")" '0::' 'who removes the socket of a server that has died'

start perftool serve -q -n --socket "$folder/2.sock" sleep infinity
wait_for 20 test -S "$folder/2.sock"
like "$(perftool who)" '^[0-9]+  .*sleep infinity$' 'who lists a server'
fails_with 125 'another perftool serves at .*2\.sock' 'another server at the same socket is refused' \
	perftool serve -q -n --socket "$folder/2.sock" sleep infinity
is "$(ls -A "$folder")" 2.sock 'it leaves no file'

# A server that ends removes its own socket only, and `who` removes no other file.
second=$started
rm "$folder/2.sock"
start perftool serve -q -n --socket "$folder/2.sock" sleep infinity
wait_for 20 test -S "$folder/2.sock"
kill -TERM "$second"
wait "$second" 2>/dev/null
echo text >"$folder/3.sock"
like "$(perftool who)" '^[0-9]+  .*sleep infinity$' \
	'a server that ends leaves the socket of another one'
is "$(cat "$folder/3.sock")" text 'who leaves a file that is no socket'
rm "$folder/3.sock"

# In a folder that others may open, nobody waits for a lock of theirs.
mkdir -m 1777 shared
mkfifo ready
start flock --no-fork shared sh -c 'echo locked >ready; exec sleep infinity'
read -r _ <ready
start perftool serve -q -n --socket shared/socket sleep infinity
wait_for 20 test -S shared/socket
ok 'another process that locks the folder stops no server' \
	perftool ctl --socket shared/socket quit

# ---- folders that are not safe ----
# refused REGEX NAME: are all who look into the folder told why it is not used?
refused() {
	fails_with 125 "$1" "$2: who refuses it" perftool who
	fails_with 125 "$1" "$2: ctl refuses it" perftool ctl 2 help
	fails_with 125 "$1" "$2: ctl without a PID refuses it" perftool ctl help
	fails_with 125 "$1" "$2: serve refuses it" perftool serve -q -n sleep infinity
	try "$BUILD/tests/library/inside"
	like "$out" 'start -1 EPERM' "$2: so does the library"
}
chmod 755 "$folder"
refused 'chmod 700' 'others may enter'
chmod 700 "$folder"
mv "$folder" "$folder.real"
ln -s "$folder.real" "$folder"
refused 'must be a folder of yours' 'a link'
rm "$folder"
mv "$folder.real" "$folder"
chmod 777 "$XDG_RUNTIME_DIR"
refused 'other users can replace it.*XDG_RUNTIME_DIR' 'others may write into the folder above'
chmod 1777 "$XDG_RUNTIME_DIR"
like "$(perftool who)" 'sleep infinity' 'with a sticky bit it is used'
chmod 700 "$XDG_RUNTIME_DIR"
mkdir "$SCRATCH/open"
ln -s "$XDG_RUNTIME_DIR" "$SCRATCH/open/link"
export XDG_RUNTIME_DIR=$SCRATCH/open/link
chmod 777 "$SCRATCH/open"
like "$(perftool who)" 'sleep infinity' 'what counts is the folder behind a link'
mv "$SCRATCH/run" "$SCRATCH/open/run"
ln -sf "$SCRATCH/open/run" "$SCRATCH/link"
export XDG_RUNTIME_DIR=$SCRATCH/link
refused 'other users can replace it' 'others may write into the folder above what a link names'
mv "$SCRATCH/open/run" "$SCRATCH/run"
export XDG_RUNTIME_DIR=$SCRATCH/run
if [ "$(id -u)" = 0 ] && chown 12345 "$folder" 2>/dev/null; then
	refused 'must be a folder of yours' "another user's"
	chown 0 "$folder"
	chown 12345 "$XDG_RUNTIME_DIR"
	refused 'other users can replace it' "in another user's folder"
	chown 0:12345 "$XDG_RUNTIME_DIR"
	chmod 770 "$XDG_RUNTIME_DIR"
	refused 'other users can replace it' 'a group may write into the folder above'
	chmod 700 "$XDG_RUNTIME_DIR"
else
	pass 'folders of another user # SKIP only root can make them'
fi
like "$(perftool who)" 'sleep infinity' 'it is used again when it is safe again'
done_testing
