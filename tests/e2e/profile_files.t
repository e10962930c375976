#!/usr/bin/env bash
# Files of profiles, read back: random profiles in each format, large ones, and
# disks that are full. profile_gprof.t has gmon.out.
# tier: core full
# covers: report/files
. "$(dirname "$0")/../lib.sh"
DRIVER=$BUILD/tests/drivers/profile_writer
PROTO=$ROOT/src/report/files

profiles=40
in_full || profiles=4
try /usr/bin/python3 "$ROOT/tests/e2e/profile_files.py" "$DRIVER" "$PROTO" $profiles
is "$status $out$err" "0 " "random profiles are read back as they were from each format"

# ---- 100,000 stacks, and stacks of 10,000 frames ----
# big STACKS DEPTH: prints a profile whose stacks are ways through a tree of
# calls, all of different ends
big() {
	/usr/bin/python3 - "$@" <<-'END'
		import random, sys
		stacks, depth = map(int, sys.argv[1:])
		r = random.Random(1)
		print("measurement\tprofile\tcpu\t1000\t1000\t0\t0\t0\t0")
		print("module\t1\tprog\t/bin/prog\t-\t1\t0x1000\t0x90000\t0\t0x1000")
		for i in range(2000):
		    print("procedure\tf%d\t%s\t/a%d.c\t%d\t%d\t0" % (
		        i, "prog" if i < 1500 else "lib%d.so" % (i % 20), i % 50,
		        i, 0x1000 + i * 64))
		print("thread\t1\t1\tmain")
		for i in range(6000):
		    print("place\t%d\t/a%d.c\t%d\t%d\t0" % (
		        i % 2000, i % 50, i, 0x1000 + i % 2000 * 64 + i // 2000))
		for i in range(stacks):
		    at, stack = 0, []
		    for level in range(depth):
		        at = (at * 3 + 1 + r.randrange(3)) % 6000
		        stack.append(at)
		    stack[-1] = i % 6000
		    print("sample\t0\t0\t0\t0\t1\t" + "\t".join(map(str, stack[::-1])))
	END
}

# check_big NAME STACKS: each format has all the stacks
check_big() {
	for format in gmon.out callgrind.out x.folded x.svg x.pb.gz x.json; do
		try "$DRIVER" $format <profile
		is "$status$err" 0 "$1: $format is written"
	done
	is "$(awk '{ sum += $NF } END { print sum }' x.folded)" "$2" \
		"$1: folded stacks have all of it"
	is "$(grep -E '^(summary|totals)' callgrind.out | tr '\n' ' ')" \
		"summary: ${2}000000 totals: ${2}000000 " \
		"$1: callgrind's file has all of it"
	is "$(grep -c '"tid"' x.json)" "$(sort -u x.folded | wc -l)" \
		"$1: JSON has each stack"
	ok "$1: the flame graph is XML" xmllint --noout x.svg
	ok "$1: the flame graph has less than 3 MB" \
		test "$(stat -c %s x.svg)" -lt 3000000
	ok "$1: pprof's file is complete" gzip -t x.pb.gz
	if command -v go >/dev/null; then
		like "$(HOME=$SCRATCH go tool pprof -top x.pb.gz 2>&1)" \
			"Total samples = .*\(100|Showing nodes" \
			"$1: pprof reads its file"
	fi
}

size=100000
in_full || size=10000
big $size 30 >profile
check_big "$size stacks" $size
like "$(head -n 20 x.svg)" 'Left out: [0-9,]* frames? of less than' \
	"the flame graph says what it leaves out"
deep=10000
in_full || deep=1000
big 300 $deep >profile
check_big "$deep frames" 300
like "$(head -n 20 x.svg)" \
	'Stacks deeper than 200 frames are cut: 100.00 % of the ticks' \
	"the flame graph says that stacks are cut"

# ---- doc/FORMATS.md lists every field of JSON, and no other ----
printf '%s\n' 'arc	0	0	1	16	1	1	0	5	5	5' >>profile
"$DRIVER" x.json <profile
/usr/bin/python3 - "$ROOT/doc/FORMATS.md" >differ <<-'END'
	import json, re, sys
	t = json.load(open("x.json"))
	text = open(sys.argv[1]).read().split("\n## Profiles\n")[1]
	text = text.split("\n### .json\n")[1]
	listed = set(re.findall("`(.*?)`", " ".join(
	    re.findall(r"^\| (`.*?) \|", text, re.M))))
	for cell in re.findall(r"^\| `(?:functions|stack)` \| (.*) \|", text, re.M):
	    listed |= set(re.findall("`([a-z]+)`", cell))
	there = set(t) | set(t["measurement"]) | set(t["functions"][0])
	there |= set(t["samples"][0]) | set(t["arcs"][0])
	there |= set(t["samples"][0]["stack"][0])
	print(*sorted(there ^ listed))
END
is "$(cat differ)" "" "doc/FORMATS.md lists every field of a profile and no other"

# ---- disks ----
big 3000 20 >profile
for name in gmon.out callgrind.out x.folded x.svg x.pb.gz x.json; do
	mkdir full
	echo old >full/$name
	try bash -c 'ulimit -f 2; trap "" XFSZ; exec "$@"' - \
		"$DRIVER" full/$name <profile
	is "$status $(cat full/$name) $(find full -type f)" \
		"1 old full/$name" "$name: no room: the old file stays"
	like "$err" "cannot write full/.*: File too large" \
		"$name: no room: that is said"
	rm -r full
done
try "$DRIVER" /dev/full json <profile
is "$status $err" "1 profile_writer: cannot write /dev/full: No space left on device" \
	"a device that is full is an error"
try "$DRIVER" none/x.svg <profile
is "$status $err" "1 profile_writer: cannot write none/x.svg: No such file or directory" \
	"a folder that does not exist is an error"
mkfifo pipe
start cat pipe >got
"$DRIVER" pipe folded <profile
wait "$started"
is "$(awk '{ sum += $NF } END { print sum }' got) $(stat -c %F pipe)" \
	"3000 fifo" "a FIFO is written, and stays"
done_testing
