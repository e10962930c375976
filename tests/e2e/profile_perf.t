#!/usr/bin/env bash
# The shares of the functions of a real program, beside those that perf finds.
# tier: quiet
# covers: sample profile report/listings
# shellcheck disable=SC2016 # the programs of perl and awk have dollars
. "$(dirname "$0")/../lib.sh"

if ! perf record -q -e task-clock -o probe.data true >log 2>&1; then
	echo '1..0 # SKIP there is no perf that works'
	exit 0
fi

# Both take ticks of the CPU time, in the program and in the kernel. perf tells
# the functions of the kernel as such, and perftool has those ticks marked as
# delayed; both leave them out here.
work=(perl -e 'my %h; $h{$_ % 1000} .= $_ for 1..12000000; print "done\n"')
perf record -q -e task-clock:u -c 1003009 -o perf.data "${work[@]}" >log 2>&1
is "$?" 0 'perf takes ticks of a program'
perf script -i perf.data -F ip,sym 2>/dev/null |
	awk '{ print $2 }' >perf.symbols
try perftool -q -n -b -e 'profile rate 997hz' -e 'profile run' \
	-e 'save profile ours.json' -e 'print flat > flat' "${work[@]}"
is "$out" 'done' 'so does perftool'

# The difference may be four standard deviations, and three percent of all ticks
# more: the caches are not the same in two runs.
/usr/bin/python3 - >compared <<'END'
import collections, json, math
perf = collections.Counter(open("perf.symbols").read().split())
ours = collections.Counter()
for sample in json.load(open("ours.json"))["samples"]:
    names = [f["function"] for f in sample["stack"] if not f["inlined"]]
    if names and not sample["delayed"]:
        ours[names[0]] += sample["weight"]
all_of_perf, all_of_ours = sum(perf.values()), sum(ours.values())
print("ticks", all_of_perf, all_of_ours)
for name, count in perf.most_common(5):
    if not name.startswith("Perl_"):
        continue
    a, b = count / all_of_perf, ours[name] / all_of_ours
    p = (a + b) / 2
    sigma = math.sqrt(p * (1 - p) * (1 / all_of_perf + 1 / all_of_ours))
    print(name, f"{a:.3f} {b:.3f} {sigma:.3f}",
          "agree" if abs(a - b) <= 4 * sigma + 0.03 else "differ")
END
ok 'both have many ticks' awk '/^ticks/ { exit !($2 > 300 && $3 > 300) }' \
	compared
ok 'functions of perl are among the greatest' grep -q '^Perl_' compared
is "$(grep -c 'differ$' compared)" 0 'they have the same shares'
diag <compared

done_testing
