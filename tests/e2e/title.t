#!/usr/bin/env bash
# What the tool says about the call of a process: its arguments, which the
# process may have overwritten, and the path by which it was called.
# tier: full
# covers: target/proc session/run
# shellcheck disable=SC2016,SC2317 # the inner shell's; wait_for calls by name
. "$(dirname "$0")/../lib.sh"
title=$(realpath "$PROGRAMS/title")
LIMIT=20

# attached: attaches to the server and saves the tables in t.json
attached() {
	rm -f t.json
	try perftool -q -n -p "$server" -e 'save tables t.json'
	[ "$status" = 0 ] || diag <<<"$err"
}

# said NAME WANTED COMMAND...: the arguments of the process that the command
# starts, as Python writes them, or None
said() {
	local name=$1 wanted=$2
	shift 2
	serve "$@"
	if [ "$reply" = no ]; then
		pass "the arguments in the report: $name # SKIP the kernel forbids it"
	elif [ "$reply" != ready ]; then
		fail "the arguments in the report: $name: the process starts" "$reply"
	else
		attached
		is "$(json 'repr(t["program"]["args"])')" "$wanted" "the arguments in the report: $name"
	fi
	end_server
}

# ---- processes that do not change their arguments ----
said 'one argument' "['none']" "$title" none
said 'no argument' '[]' "$title"
said 'no argument and no name' '[]' "$title" bare
said 'empty arguments' "['', '', 'none', '']" "$title" '' '' none ''
said 'arguments with blanks and newlines' "['none', ' a b ', 'c\\nd', '\\n', '-x']" \
	"$title" none ' a b ' $'c\nd' $'\n' -x
said 'arguments with quotes and letters beyond ASCII' "['none', '\"', \"'\", 'é']" "$title" none '"' "'" é
said 'no environment' "['none', 'a']" env -i "$title" none a
many=$(seq 20000)
# shellcheck disable=SC2086 # words
said '20000 arguments' "$(/usr/bin/python3 -c \
	'print(["none"] + [str(i) for i in range(1, 20001)])')" \
	"$title" none $many
said 'a name that is not the path' "['none', 'b']" bash -c 'exec -a "a name" "$0" none b' "$title"
said 'an empty name' "['none', 'b']" bash -c 'exec -a "" "$0" none b' "$title"
said 'the process has permuted its arguments' "['permuted', 'a', 'b', 'c']" "$title" permuted a b c

# ---- processes that set a title ----
for way in shorter blanks exact longer copied ended overlapping; do
	for arguments in '' 'bc' 'b c' 'a-long-one another-of-them c'; do
		# shellcheck disable=SC2086 # words
		said "title $way, arguments: $arguments" None "$title" $way $arguments
	done
done
said 'title longer, no environment' None env -i "$title" longer a
said 'title moved to other memory' None "$title" moved a b
said 'title without an end' None "$title" endless a b
said 'the process has cut an argument in two' None "$title" parted a,b
# the arguments that the title has not overwritten are unchanged
said 'a title within the name leaves the arguments' "['within', 'a', '']" "$title" within a ''
said 'a title over the name alone leaves no arguments' '[]' \
	bash -c 'exec -a shorter "$0"' "$title"

# ---- launched: perftool has passed the arguments itself ----
for way in shorter longer copied moved; do
	try perftool -q -n -b -f json -o t.json "$title" $way a '' </dev/null
	is "$(json 'repr(t["program"]["args"])')" "['$way', 'a', '']" \
		"the arguments in the report of a launched program, title $way"
done

# ---- servers that set titles ----
redis_is_up() {
	[ "$(redis-cli -s "$PWD/socket" ping 2>/dev/null)" = PONG ]
}
if command -v redis-check-rdb >/dev/null; then
	ln -s "$(command -v redis-check-rdb)" redis-server
	start ./redis-server --port 0 --unixsocket "$PWD/socket" --save '' \
		--logfile "$PWD/server.log"
	server=$started
	ok 'redis-server starts' wait_for 10 redis_is_up
	unlike "$(tr '\0' ' ' <"/proc/$server/cmdline")" '--port' \
		'redis-server has written over its arguments'
	attached
	is "$(json 't["program"]["args"]')" None 'redis-server: the report has no arguments'
	is "$(json 't["program"]["path"]')" "$PWD/redis-server" \
		'redis-server: the report has the path of the link'
else
	pass 'redis-server # SKIP not installed'
fi

# ---- the path ----
# called NAME WANTED COMMAND...: the path of the process that the command starts
called() {
	local name=$1 wanted=$2
	shift 2
	serve "$@"
	attached
	is "$(json 't["program"]["path"]')" "$wanted" "the path in the report: $name"
	end_server
}
mkdir directory
ln -s "$title" link
ln -s ../link directory/second
called 'the path of the program itself' "$title" "$title"
called 'a link' "$PWD/link" "$PWD/link"
called 'a relative link' "$PWD/link" ./link
called 'a link to a link' "$PWD/directory/second" directory/second
called 'a path with ..' "$PWD/directory/../link" directory/../link
PATH=$PWD/directory:$PATH called 'a link that is found in PATH' "$PWD/directory/second" second
# the tool does not report a link that leads to another file by now
called 'a relative link, and the process has changed its directory' "$title" ./link elsewhere
called 'an absolute link, and the process has changed its directory' "$PWD/link" "$PWD/link" elsewhere
serve ./link
ln -sf "$PROGRAMS/pie" link
attached
is "$(json 't["program"]["path"]')" "$title" 'the path in the report: a link that leads to another file by now'
end_server
cp "$title" copy
serve ./copy
cp "$title" copy.new && mv copy.new copy
attached
is "$(json 't["program"]["path"]')" "$PWD/copy (deleted)" 'the path in the report: a file that was replaced'
end_server
printf '#!/bin/sh\nexec %s\n' "$title" >script
chmod +x script
called 'a script that executes the program' "$title" ./script
done_testing
