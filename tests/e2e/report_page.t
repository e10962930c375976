#!/usr/bin/env bash
# `save report FILE.html` and `save plot FILE.svg`: what the files have, with
# any number of legs and any names; report_page.py reads them, and opens them in
# a headless Chromium, where one is installed.
# tier: full
# covers: report/page report/pictures session/profiling web
. "$(dirname "$0")/../lib.sh"

export PYTHONPATH=$ROOT/tests

# asks WORD [ARG...]: runs report_page.py; each line that it prints is a test
asks() {
	local line
	/usr/bin/python3 "$ROOT/tests/e2e/report_page.py" "$@" >tried 2>&1
	is $? 0 "report_page.py $1 comes to its end"
	while IFS= read -r line; do
		case $line in
		'ok '*) pass "${line#ok }" ;;
		'not ok '*) fail "${line#not ok }" ;;
		*) diag <<<"$line" ;;
		esac
	done <tried
}

# ---- a real program ----
try perftool -n -b -e 'time compare merge' -e 'time merge_sort by=length' -e 'profile on' -e run \
	-e 'save report r.html' -e 'save plot p.svg leg 1' -e 'save plot q.svg' \
	-e 'save profile flame.svg' -e 'save tables t.json' "$SAMPLES/sort"
is "$status" 0 'a report and plots of a real program'
like "$out$err" 'Report saved in r\.html' 'the command says where the report is'
like "$out$err" 'Times of leg 1 \(merge\) plotted in p\.svg' 'and what was plotted'
asks xml r.html p.svg q.svg
page=$(<r.html)
for part in 'perftool measured' '58,462' 'By <bdi>length' 'The slowest executions' \
	'class="flame"' 'sort.c</bdi>' '<h2>Nodes' '<h2>Settings' 'save report r.html' \
	'void merge_sort(int *run, size_t length)'; do
	case $page in
	*"$part"*) pass "the report has: $part" ;;
	*) fail "the report has: $part" ;;
	esac
done
largest=$(/usr/bin/python3 -c 'import json
print(max(json.load(open("t.json"))["legs"], key=lambda leg: leg["total_ns"])["name"])')
like "$(<q.svg)" "<title id=\"t\">Times of $largest<" \
	'without a leg, the plot is of the one with the largest total'

# ---- where there is little ----
try perftool -n -b -e 'save report empty.html'
is "$status" 0 'a report before anything was measured'
asks xml empty.html
fails_with 125 'there are no legs to plot; .time FUNC. before .run. makes one' \
	'no leg to plot' perftool -n -b -e 'save plot x.svg'
fails_with 125 'there is no leg 7' 'a leg that does not exist' \
	perftool -n -q -b -e 'save plot x.svg leg 7'
fails_with 125 'does not end in .svg' 'a plot is SVG' \
	perftool -n -q -b -e 'save plot x.png'
fails_with 125 'does not end in .html, the form of a report' 'a report is HTML' \
	perftool -n -b -e 'save report x.txt'

# ---- a full disk ----
# A limit on the size of files fails a write as a full disk does.
echo old >kept.html
try bash -c "ulimit -f 4; trap '' XFSZ; exec perftool -n -b -e 'save report kept.html'"
is "$status" 125 'a report that cannot be written is an error'
like "$err" 'kept\.html.*too large' 'the message says why'
is "$(<kept.html)" old 'and the old file stays'
is "$(find . -name '*kept*' | wc -l)" 1 'without a half one beside it'

# ---- any number of legs, and any names ----
mkdir made
"$BUILD/tests/drivers/report_pages" made
is $? 0 'tables that are made up are written as reports'
asks xml made/*
ok 'a report of 100 legs takes at most 300 kB' test "$(wc -c <made/hundred.html)" -le 300000
like "$(<made/thousands.html)" '9,900 others are in this table only' \
	'a report of 10,000 legs says which have no figure'
is "$(grep -c '<article id=' made/thousands.html)" 100 'and has a figure of 100 legs'
is "$(grep -c '<tr><td class="text"><a href\|<tr><td class="text"><bdi' made/thousands.html)" \
	10000 'and a row for each'
like "$(<made/none.html)" 'No legs were measured' 'a report of no legs says so'

# ---- in Chromium ----
for chromium in chromium chromium-browser google-chrome ''; do
	command -v "$chromium" >/dev/null && break
done
if [ -z "$chromium" ]; then
	pass 'reports in a browser # skip no chromium is installed'
else
	asks browser "$(command -v "$chromium")" "$SCRATCH/chromium" "$PWD/made"
fi

done_testing
