#!/usr/bin/env bash
# The labs on the machine of a class: a user without rights, whose machine others
# keep busy, solves each of them, and so do several users at the same time. And what
# they hand in may be damaged.
# tier: quiet
# covers: samples/labs
. "$(dirname "$0")/../lib.sh"
LABS=$SCRATCH/course/programs

# Another user cannot read the folders of this one.
mkdir -p "$SCRATCH/course/bin" "$LABS"
cp "$BUILD/perftool" "$SCRATCH/course/bin"
cp "$BUILD"/labs/* "$LABS"
cp -r "$ROOT/samples/labs" "$SCRATCH/course"
chmod -R a+rX "$SCRATCH"
mkdir -m 777 "$SCRATCH/desk"
export HOME=$SCRATCH/desk LABS PATH=$SCRATCH/course/bin:$PATH

# as_student COMMAND...: sets what `try` sets
as_student() {
	if [ "$(id -u)" = 0 ]; then
		try setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs \
			--bounding-set=-all --inh-caps=-all "$@"
	else
		try "$@"
	fi
}

as_student sed -n 's/^CapEff:\t0*//p' /proc/self/status
is "$status $out" '0 ' 'the student has no capability'
for _ in 1 2; do
	start sh -c 'while :; do :; done'
	busy+=("$started")
done

cd "$SCRATCH/desk" || exit 2
for folder in "$SCRATCH"/course/labs/[0-9][0-9]-*; do
	name=${folder##*/}
	as_student "$folder/solution" "$name.json"
	is "$status" 0 "$name is solved without rights, on a busy machine"
	said=$out$err
	as_student "$SCRATCH/course/labs/check" "${name%%-*}" "$name.json"
	if [ "$status" = 0 ]; then
		pass "$name: the report is right"
	else
		fail "$name: the report is right" "$out" "$said"
	fi
	try /usr/bin/python3 "$ROOT/tests/e2e/labs_damaged.py" "$ROOT/samples/labs" \
		"${name%%-*}" "$name.json"
	like "$status $out" '^0 [1-9]' "$name: the checker has an answer to every damaged report"
	[ -z "$err" ] || diag <<<"$err"
done

# Several students, in one folder.
for student in 1 2 3 4; do
	start "$SCRATCH/course/labs/01-first-leg/solution" "together-$student.json" >/dev/null 2>&1
	students+=("$started")
done
wait "${students[@]}"
for student in 1 2 3 4; do
	try "$SCRATCH/course/labs/check" 1 "together-$student.json"
	is "$status $out" '0 Lab 01, a first leg: right.' "student $student of four at the same time is right"
done
kill -KILL "${busy[@]}"
wait "${busy[@]}" 2>/dev/null
done_testing
