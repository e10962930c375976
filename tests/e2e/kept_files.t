#!/usr/bin/env bash
# What perftool writes must not destroy what the user has: programs, commands and
# inputs are no places for a report, a mistake in the commands does not cost an
# earlier report, and the report of one tool is not lost in that of another.
# tier: core
# covers: base ui
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"
cp "$PROGRAMS/pie" pp
printf '#!/bin/sh\nexec ./pp 3\n' >script
chmod +x script
cp pp saved

# keeps FILE NAME COMMAND...: the command ends with 125, and FILE stays as it was
keeps() {
	local file=$1 name=$2
	shift 2
	cp "$file" before
	try "$@"
	is "$status $(cmp "$file" before)" '125 ' "$name: nothing is lost"
}

# ---- programs, scripts, commands ----
lost='cannot write (./)?pp: it is a program or a library, which would be lost; name another file'
keeps pp '-o names the program' perftool -q -n -t work -o pp ./pp 3
like "$err" "^perftool: $lost" '-o names the program: perftool says so'
keeps pp '-r, and -o names the program' perftool -q -n -r 2 -t work -o pp ./pp 3
like "$err" "^perftool: $lost" '-r, and -o names the program: perftool says so'
ln -s pp link
keeps pp '-o names a link to the program' perftool -q -n -t work -o link ./pp 3
for name in pp.json pp.svg pp.html pp.folded; do
	cp pp "$name"
done
for command in 'save tables pp.json' 'save plot pp.svg' 'save report pp.html' 'log pp' \
	'save profile pp.folded'; do
	keeps "${command##* }" "$command" \
		perftool -q -n -e 'time work' -e 'profile on' -e run -e "$command" ./pp 3
	like "$err" 'cannot write pp[.a-z]*: it is a program or a library' \
		"$command: perftool says why"
done
keeps script '-o names a script that is measured' perftool -q -n -t work -o script ./script
like "$err" 'script: it is a script, which would be lost' '-o names a script: perftool says so'
printf 'time work\nrun\nprint nodes\n' >commands
keeps commands '-o names the commands' perftool -q -n -x commands -o commands ./pp 3
like "$err" '-o commands: this file has the commands of -x' '-o names the commands: perftool says so'

# ---- a mistake costs no earlier report ----
perftool -q -n -t work -o r.json ./pp 3 >/dev/null
is "$(json 'leg(0)["count"]' r.json)" 3 'a first report'
keeps r.json 'no such function' perftool -q -n -t wrok -o r.json ./pp 3
keeps r.json 'no such file of commands' perftool -q -n -x nosuch -o r.json ./pp 3
echo 'frobnicate' >bad
keeps r.json 'no such command' perftool -q -n -x bad -o r.json ./pp 3
keeps r.json 'no such process' perftool -q -n -t work -o r.json -p 999999999
try perftool -q -n -t work -o r.json ./nosuch
is "$status $(json 'leg(0)["count"]' r.json)" '127 3' 'no such program'
try perftool -q -n -t wrok -o new.json ./pp 3
is "$status $(ls new.json 2>&1)" "125 ls: cannot access 'new.json': No such file or directory" \
	'a mistake leaves no new file'
# it ends well, and has written nothing: as `> r.json' would
try perftool -q -n -e 'set detail-cost 2' -o r.json ./pp 3
is "$status:$(wc -c <r.json)" 0:0 'commands that print nothing leave an empty file'
perftool -q -n -t work -o r.json ./pp 3 >/dev/null
try perftool -q -n -e 'time work' -e 'print nodes' -e frobnicate -o r.json ./pp 3
like "$status $(<r.json)" '^125 [^{]*work[^{]*$' 'what was printed before a mistake is there, alone'
# killed while it measures
perftool -q -n -t work -o r.json ./pp 3 >/dev/null
work=$(address_of work "$PROGRAMS/server")
serve "$PROGRAMS/server" 1
start perftool -q -n -t work -o r.json -p "$server"
tool=$started
wait_for "$LIMIT" has_patch "$server" "$work"
kill -KILL "$tool"
wait "$tool" 2>/dev/null
is "$(json 'leg(0)["count"]' r.json)" 3 'a killed tool leaves the earlier report'
end_server

# ---- a full disk costs no earlier report ----
# A file system of 64 KiB, which has the earlier report and no room for another.
cat >on_full_disk <<'END'
mount -t tmpfs -o size=64k none full && cp old.json full/ && cp old.json full/new.json || exit 99
chmod 640 full/new.json
[ "$1" = room ] || cat /dev/zero >full/rest 2>/dev/null
shift
"$@" 2>&1
echo "status $?"
cat full/new.json
stat -c %a full/new.json
rm -f full/rest full/new.json full/old.json
echo "left: $(ls -A full)"
END
mkdir full
on_disk() { # room|full COMMAND...
	try unshare --mount --map-root-user bash on_full_disk "$@"
}
echo '{"old": 1}' >old.json
on_disk full true
if [[ $out != *'status 0'* ]]; then
	pass 'no report on a full disk: # SKIP no namespaces'
else
	for options in '' '-f text' '-r 2' '--every 1h'; do
		# shellcheck disable=SC2086 # options are words
		on_disk full perftool -q -n $options -t work -o full/new.json ./pp 3
		like "$out" '^.*perftool: cannot write full/new.json: No space left on device'$'\n'"status 125"$'\n''\{"old": 1\}'$'\n640\nleft: $' \
			"a full disk, $options: the earlier report is kept"
		# shellcheck disable=SC2086
		on_disk room perftool -q -n $options -t work -o full/new.json ./pp 3
		like "$out" 'status 0.*work.*'$'\n640\nleft: $' \
			"a disk with room, $options: the report takes the place of the earlier one"
	done
fi

# ---- a comparison, and its inputs ----
# what --every and --delta write at the end takes the place of an earlier report, too
perftool -q -n -t work -f json -o every.jsonl --every 1h --delta ./pp 3 >/dev/null
cp every.jsonl first
try perftool -q -n -t work -f json -o every.jsonl --every 1h --delta ./pp 3
is "$status $(wc -l <every.jsonl)" "0 $(wc -l <first)" "--every --delta: only the new tables are there"

perftool -q -n -t work -o a.json ./pp 3 >/dev/null
perftool -q -n -t work -o b.json ./pp 5 >/dev/null
ln -s a.json to-a
for file in a.json b.json to-a ./a.json; do
	keeps "$file" "compare -o $file" perftool compare a.json b.json -o "$file"
	like "$err" 'is among the files to be read, and is where the comparison would be written' \
		"compare -o $file: perftool says why"
done

# ---- two of --repeat ----
# The program of the first one waits in its first run until the second has failed.
cat >waits <<'END'
#!/bin/sh
echo run >>runs
until test -e go; do sleep 0.02; done
exec ./pp 3
END
chmod +x waits
for form in json csv; do
	rm -f runs go
	start perftool -q -n -r 2 -t work --pending -f "$form" -o "same.$form" ./waits
	tool=$started
	wait_for "$LIMIT" test -e runs
	fails_with 125 'cannot write same.*: another perftool is writing it' \
		"a second -r with the same -o, $form" \
		perftool -q -n -r 2 -t work -f "$form" -o "same.$form" ./pp 5
	fails_with 125 'cannot write same.*: another perftool is writing it' \
		"a tool without -r, $form" \
		perftool -q -n -t work -f "$form" -o "same.$form" ./pp 5
	: >go
	wait "$tool"
	is "$?" 0 "the first one ends well, $form"
done
is "$(json 'leg(0)["count"], len(t["runs"])' same.json)" '6 2' 'and its report is whole'
try perftool -q -n -r 2 -t wrok -o none.json ./pp 5
is "$status $(ls none.json 2>&1)" "125 ls: cannot access 'none.json': No such file or directory" \
	'-r with a mistake leaves no file'
keeps same.json '-r with a mistake' perftool -q -n -r 2 -t wrok -o same.json ./pp 5
cmp -s pp saved
is "$?" 0 'the program is what it was'
done_testing
