#!/usr/bin/env bash
# A program that is started through a link is called by the name that the user
# typed, both by the tool and by the program itself.
# tier: full
# covers: target/proc session/run
# shellcheck disable=SC2016 # dollars are the language's
. "$(dirname "$0")/../lib.sh"
file=$(realpath "$PROGRAMS/applets")
LIMIT=20
mkdir bin
ln -s "$PROGRAMS/applets" bin/first
ln -s ../bin/first bin/second
ln -s bin/second here

# calls WORD PATH: the tool starts WORD as a shell does; the path in JSON is
# PATH, a link
calls() {
	times work -- "$1"
	is "$status $out" "0 $("$1")" "$1: the program gets the argv[0] that a shell gives"
	is "$(json 't["program"]["path"], time("work")["count"]')" "$2 1" \
		"$1: JSON has the path that was started"
	is "$(json 'entry("work")["module"]')" "${2##*/}" \
		"$1: the module in JSON has the name that was started"
	try perftool -q -n -t work -o r "$1"
	like "$(<r)" "${2##*/} .*entry work" "$1: Config Name is the name that was started"
}
calls ./here "$PWD/here"
calls bin/first "$PWD/bin/first"
calls bin/../bin/second "$PWD/bin/../bin/second"
calls "$PWD/bin/second" "$PWD/bin/second"
PATH=$PWD/bin:$PATH calls second "$PWD/bin/second"
PATH=bin:$PATH calls first "$PWD/bin/first"
cd bin || exit
calls ./first "$PWD/first"
cd ..
calls "$PROGRAMS/applets" "$PROGRAMS/applets"
# a program that is not started through a link is called by its name
for name in awk vi sh; do
	path=$(command -v $name)
	[ -L "$path" ] || continue
	try perftool -q -n --pending -e 'break nosuch_function' -e 'list breaks' $name
	like "$out" "no function nosuch_function in $name\b" \
		"$name: messages name the program as typed"
	try perftool -q -n -e 'save tables t.json' $name
	is "$(json 't["program"]["path"]')" "$path" \
		"$name: JSON has the path that PATH leads to"
done

# ---- commands ----
try perftool -q -n -e 'file ./here' -e 'break work' -e run -e 'list processes' \
	-e where -e 'list modules' -e 'evaluate $rip' -e 'list functions work' \
	-e 'save tables t.json'
like "$out" ' here +t  \./here'$'\n' 'list processes names the program as typed'
like "$out" "$file, called here"$'\n' 'list modules has the file, and the name of the link'
like "$out" '_start \(\) in here' 'where names the module by the link'
like "$out" ' here  +work at applets.c' 'list functions names the module by the link'
is "$(json 't["program"]["path"]')" "$PWD/here" \
	'the command file: JSON has the path of the link'
for name in here applets 'h*' 'app*'; do
	try perftool -q -n -b -f json -o t.json -e "time work@$name" ./here
	is "$status $(json 't["legs"][0]["count"]')" '0 1' \
		"work@$name is found in the program ./here"
done
fails_with 126 '^perftool: \./text: not an ELF file$' \
	'a link to a text file is an error that names the link' \
	sh -c 'echo text >plain; chmod +x plain; ln -s plain text; perftool -n -t main ./text'
fails_with 126 '^perftool: \./text: Permission denied$' \
	'a link to a file that may not be executed is an error' \
	sh -c 'chmod -x plain; perftool -n -t main ./text'
fails_with 127 '^perftool: \./nowhere: not found$' 'a link to nothing is an error' \
	sh -c 'ln -s gone nowhere; perftool -n -t main ./nowhere'

# ---- a script through a link: its interpreter as the script calls it ----
ln -s "$PROGRAMS/echo" interpreter
printf '#!%s\n' "$PWD/interpreter" >script
chmod +x script
ln -s script run-me
times copy -- ./run-me word
is "$status $out" "0 $(./run-me word </dev/null)" \
	'a script behind a link gets the arguments that a shell gives'
is "$(json 't["program"]["path"], entry("copy")["module"]')" \
	"$PWD/run-me interpreter" \
	'a script behind a link: JSON has its path and its interpreter'

# ---- an exec, and a process that is attached to ----
try perftool -n -b --pending -e 'set follow exec off' -e 'break work' sh -c 'exec ./here'
like "$err" 'has executed ./here and is not followed' \
	'a message names a program that is executed and not followed'
serve ./here stay
try perftool -q -n -p "$server" -e 'list processes' -e 'list modules' \
	-e 'save tables t.json'
like "$out" ' here +[a-zA-Z]  \./here'$'\n' \
	'attached: list processes names the program as it was called'
like "$out" "$file, called here"$'\n' \
	'attached: list modules has the file, and the name of the link'
is "$(json 't["program"]["path"], t["program"]["args"]')" "$PWD/here ['stay']" \
	'attached: JSON has the path of the link, and the arguments'
end_server
done_testing
