#!/usr/bin/env bash
# A program that is started through a link is called by the name that the user
# typed, both by the tool and by the program itself.
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
	is "$status $out" "0 $("$1")" "$1: argv[0] as a shell gives it"
	is "$(json 't["program"]["path"], time("work")["count"]')" "$2 1" \
		"$1: its path in JSON"
	is "$(json 'entry("work")["module"]')" "${2##*/}" "$1: its module in JSON"
	try perftool -q -n -t work -o r "$1"
	like "$(<r)" "${2##*/} .*entry work" "$1: Config Name"
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
	like "$out" "no function nosuch_function in $name\b" "$name: told of as typed"
	try perftool -q -n -e 'save tables t.json' $name
	is "$(json 't["program"]["path"]')" "$path" "$name: where PATH has it"
done

# ---- commands ----
try perftool -q -n -e 'file ./here' -e 'break work' -e run -e 'list processes' \
	-e where -e 'list modules' -e 'evaluate $rip' -e 'list functions work' \
	-e 'save tables t.json'
like "$out" ' here +t  \./here'$'\n' 'list processes: as typed'
like "$out" "$file, called here"$'\n' 'list modules: the file, and what it is called'
like "$out" '_start \(\) in here' 'where'
like "$out" ' here  +work at applets.c' 'list functions'
is "$(json 't["program"]["path"]')" "$PWD/here" 'file: the path in JSON'
for name in here applets 'h*' 'app*'; do
	try perftool -q -n -b -f json -o t.json -e "time work@$name" ./here
	is "$status $(json 't["legs"][0]["count"]')" '0 1' "work@$name is in it"
done
fails_with 126 '^perftool: \./text: not an ELF file$' 'one that cannot be measured' \
	sh -c 'echo text >plain; chmod +x plain; ln -s plain text; perftool -n -t main ./text'
fails_with 126 '^perftool: \./text: Permission denied$' 'one that may not be executed' \
	sh -c 'chmod -x plain; perftool -n -t main ./text'
fails_with 127 '^perftool: \./nowhere: not found$' 'a link to nothing' \
	sh -c 'ln -s gone nowhere; perftool -n -t main ./nowhere'

# ---- a script through a link: its interpreter as the script calls it ----
ln -s "$PROGRAMS/echo" interpreter
printf '#!%s\n' "$PWD/interpreter" >script
chmod +x script
ln -s script run-me
times copy -- ./run-me word
is "$status $out" "0 $(./run-me word </dev/null)" 'a script: arguments as in a shell'
is "$(json 't["program"]["path"], entry("copy")["module"]')" \
	"$PWD/run-me interpreter" 'a script: its path, and the module'

# ---- an exec, and a process that is attached to ----
try perftool -n -b --pending -e 'set follow exec off' -e 'break work' sh -c 'exec ./here'
like "$err" 'has executed ./here and is not followed' 'an exec that is not followed'
serve ./here stay
try perftool -q -n -p "$server" -e 'list processes' -e 'list modules' \
	-e 'save tables t.json'
like "$out" ' here +[a-zA-Z]  \./here'$'\n' 'attached, list processes: as it was called'
like "$out" "$file, called here"$'\n' 'attached, list modules'
is "$(json 't["program"]["path"], t["program"]["args"]')" "$PWD/here ['stay']" \
	'attached: JSON'
end_server
done_testing
