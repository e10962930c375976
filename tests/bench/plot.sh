#!/usr/bin/env bash
# A picture of the figures, and what is in doc/ of them.
#
# usage: tests/bench/plot.sh BUILD
#
# BUILD/bench/figures, of the last `make bench`, becomes doc/bench.dat; gnuplot
# draws doc/bench.svg from that; and parts of what was printed take the place of
# the block in doc/BENCHMARKS.md.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=${1:?usage: tests/bench/plot.sh BUILD}
export LC_ALL=C
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

die() {
	echo "bench-plot: $*" >&2
	exit 1
}

[ -r "$build/bench/figures" ] || die "there are no figures: make bench first"
command -v gnuplot >/dev/null ||
	die "gnuplot is not installed (Debian: gnuplot-nox)"
cp "$build/bench/figures" doc/bench.dat

figure() { # NAME: its median, smallest, largest; nothing if not measured
	sed -n "s/^$1 \([^ ]*\) \([^ ]*\) \([^ ]*\) .*/\1 \2 \3/p" doc/bench.dat
}

# Each a line: a text, the median, the smallest, the largest, and the median as
# people read it.
bars() { # FILE UNIT NAME=TEXT...
	local file=$1 unit=$2 one size
	shift 2
	for one; do
		size=$(figure "${one%%=*}")
		[ -z "$size" ] || awk -v unit="$unit" -v text="${one#*=}" '{
			size = $1
			if (unit == "ns" && size >= 1000) {
				size /= 1000
				unit = "us"
			}
			printf "\"%s\" %s \"%.3g %s\"\n", text, $0, size,
				unit }' <<<"$size"
	done >"$scratch/$file"
}

# Each a line: the length in us, and the error, without its sign, in ns.
errors() { # MECHANISM LENGTH:WHAT...
	local mechanism=$1 one
	shift
	for one; do
		figure "leg-$mechanism-${one#*:}" | awk -v us="${one%%:*}" '
			{ for (i = 1; i <= 3; i++) if ($i < 0) $i = -$i
			  low = $2 < $3 ? $2 : $3; high = $2 < $3 ? $3 : $2
			  if (low > $1) low = $1
			  print us, $1, low, high }'
	done >"$scratch/$mechanism"
}

bars pairs ns gdb-pair='gdb' ltrace-pair='ltrace' \
	bpftrace-pair-leaf='bpftrace, stepped' \
	int3-pair='perftool, int3' bpftrace-pair='bpftrace, emulated' \
	uftrace-pair-steady='uftrace, all the time' uftrace-pair='uftrace' \
	fast-pair-steady='perftool, fast, all the time' \
	fast-pair='perftool, fast' unordered-pair='perftool, ordering off' \
	rdtsc='one rdtsc'
bars sqlite x sqlite-program-one-slower='1: perftool' \
	sqlite-ring-one-slower='perftool, ring' \
	sqlite-uftrace-one-slower='uftrace' \
	sqlite-bpftrace-one-slower='bpftrace' \
	sqlite-program-hundred-slower='100: perftool' \
	sqlite-ring-hundred-slower='perftool, ring' \
	sqlite-uftrace-hundred-slower='uftrace' \
	sqlite-program-all-slower='all: perftool' \
	sqlite-ring-all-slower='perftool, ring' \
	sqlite-uftrace-all-slower='uftrace' \
	sqlite-callgrind-slower='callgrind'
errors fast 0.1:100ns-undisturbed 1:1us-undisturbed 10:10us-same 100:100us-same \
	1000:1ms-same
errors int3 0.1:100ns-plain 1:1us-plain 10:10us-plain 100:100us-plain \
	1000:1ms-plain

gnuplot -e "scratch='$scratch'" tests/bench/plot.gnuplot >doc/bench.svg ||
	die "gnuplot failed"

# The first line, and these parts of the report, between the marks.
awk 'NR == 1 { print }
	/^$/ { wanted = 0 }
	/^What the entry/ || /^A function called/ || /^Threads that call/ ||
	/^Memory that/ || /^sqlite3 / || /^redis-server, / || /^Goals/ {
		wanted = 1
		print ""
	}
	wanted' "$build/bench/report" >"$scratch/parts"
awk -v parts="$scratch/parts" '
	/^<!-- end of the report -->/ { inside = 0 }
	!inside
	/^<!-- report -->/ {
		inside = 1
		print "```"
		while ((getline line < parts) > 0)
			print line
		print "```"
	}' doc/BENCHMARKS.md >"$scratch/page" || die "doc/BENCHMARKS.md"
cat "$scratch/page" >doc/BENCHMARKS.md
echo "doc/bench.dat, doc/bench.svg, doc/BENCHMARKS.md: $(head -n 1 doc/bench.dat)"
