#!/usr/bin/env bash
# What the tool says about the call of a process: its arguments, which the
# process may have overwritten, and the path by which it was called.
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
		pass "$name # SKIP the kernel forbids it"
	elif [ "$reply" != ready ]; then
		fail "$name: it does not start" "$reply"
	else
		attached
		is "$(json 'repr(t["program"]["args"])')" "$wanted" "$name"
	fi
	end_server
}

# ---- processes that do not change their arguments ----
said 'one argument' "['none']" "$title" none
said 'no arguments' '[]' "$title"
said 'not even a name' '[]' "$title" bare
said 'empty ones' "['', '', 'none', '']" "$title" '' '' none ''
said 'blanks and lines' "['none', ' a b ', 'c\\nd', '\\n', '-x']" \
	"$title" none ' a b ' $'c\nd' $'\n' -x
said 'quotes and letters' "['none', '\"', \"'\", 'é']" "$title" none '"' "'" é
said 'without an environment' "['none', 'a']" env -i "$title" none a
many=$(seq 20000)
# shellcheck disable=SC2086 # words
said 'many' "$(/usr/bin/python3 -c \
	'print(["none"] + [str(i) for i in range(1, 20001)])')" \
	"$title" none $many
said 'another name' "['none', 'b']" bash -c 'exec -a "a name" "$0" none b' "$title"
said 'an empty name' "['none', 'b']" bash -c 'exec -a "" "$0" none b' "$title"
said 'a changed order' "['permuted', 'a', 'b', 'c']" "$title" permuted a b c

# ---- processes that set a title ----
for way in shorter blanks exact longer copied ended overlapping; do
	for arguments in '' 'bc' 'b c' 'a-long-one another-of-them c'; do
		# shellcheck disable=SC2086 # words
		said "$way: $arguments" None "$title" $way $arguments
	done
done
said 'longer, without an environment' None env -i "$title" longer a
said 'moved elsewhere' None "$title" moved a b
said 'without an end' None "$title" endless a b
said 'an argument that was taken apart' None "$title" parted a,b
# the arguments that the title has not overwritten are unchanged
said 'within the name' "['within', 'a', '']" "$title" within a ''
said 'a title where only the name was' '[]' \
	bash -c 'exec -a shorter "$0"' "$title"

# ---- launched: perftool has passed the arguments itself ----
for way in shorter longer copied moved; do
	try perftool -q -n -b -f json -o t.json "$title" $way a '' </dev/null
	is "$(json 'repr(t["program"]["args"])')" "['$way', 'a', '']" \
		"launched, $way"
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
	ok 'redis-server is up' wait_for 10 redis_is_up
	unlike "$(tr '\0' ' ' <"/proc/$server/cmdline")" '--port' \
		'redis-server has written over its arguments'
	attached
	is "$(json 't["program"]["args"]')" None 'redis-server: its arguments'
	is "$(json 't["program"]["path"]')" "$PWD/redis-server" \
		'redis-server: called by a link'
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
	is "$(json 't["program"]["path"]')" "$wanted" "$name"
	end_server
}
mkdir directory
ln -s "$title" link
ln -s ../link directory/second
called 'its own path' "$title" "$title"
called 'a link' "$PWD/link" "$PWD/link"
called 'a relative link' "$PWD/link" ./link
called 'a link to a link' "$PWD/directory/second" directory/second
called 'through ..' "$PWD/directory/../link" directory/../link
PATH=$PWD/directory:$PATH called 'found in PATH' "$PWD/directory/second" second
# the tool does not report a link that leads to another file by now
called 'a relative link, from elsewhere' "$title" ./link elsewhere
called 'a link, from elsewhere' "$PWD/link" "$PWD/link" elsewhere
serve ./link
ln -sf "$PROGRAMS/pie" link
attached
is "$(json 't["program"]["path"]')" "$title" 'a link that leads elsewhere by now'
end_server
cp "$title" copy
serve ./copy
cp "$title" copy.new && mv copy.new copy
attached
is "$(json 't["program"]["path"]')" "$PWD/copy (deleted)" 'a file that was replaced'
end_server
printf '#!/bin/sh\nexec %s\n' "$title" >script
chmod +x script
called 'a script that executes it' "$title" ./script
done_testing
