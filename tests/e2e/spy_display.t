#!/usr/bin/env bash
# The Spy's display of a program whose containment is known: what stands under
# what, which procedures are disjoint, and the counts.
# tier: core
# covers: report/listings profile session/profiling
. "$(dirname "$0")/../lib.sh"

program=$PROGRAMS/contained

# display MECHANISM [OPTION...]: samples the stacks at each execution of `mark`,
# and leaves the display in d.txt.
display() {
	local mechanism=$1

	shift
	rm -f d.txt
	try perftool -q -n -b -e "set mechanism $mechanism" \
		-e 'spy watch breaks' -e 'spy break mark' -e 'spy on' -e run \
		-e "spy display $* > d.txt" "$program"
	[ "$status" = 0 ] || diag <<<"$err"
}

# Prints what the display has of main and below, without the columns of the
# levels above main, which the C library decides about.
below_main() {
	awk '/Procedure main / { from = index($0, "Procedure") }
		from { print substr($0, from) }' d.txt |
		sed 's/contained\.c:[0-9]*/LINE/'
}

for mechanism in int3 auto; do
	display $mechanism min=0 minson=0
	is "$(below_main)" "\
Procedure main (1 ref) = 0, 12 (100.0%).
  (LINE) P = 7 (58.3%).
  (LINE) Q = 2 (16.6%).
  (LINE) R = 3 (25.0%).
. Procedure ~mark (3 refs) = 12, 0 (100.0%).
.
! Procedure P (1 ref) = 0, 7 (58.3%).
!   (LINE) U = 3 (25.0%).
!   (LINE) V = 4 (33.3%).
! . Procedure ~C (2 refs) = 0, 7 (58.3%).
! .   (LINE) mark = 7 (58.3%).
! .
! . Procedure V (1 ref) = 0, 4 (33.3%).
! .   (LINE) C = 4 (33.3%).
! Procedure R (2 refs) = 0, 3 (25.0%).
!   (LINE) mark = 3 (25.0%).
!   (LINE) R = 2 (16.6%).
! Procedure Q (1 ref) = 0, 2 (16.6%).
!   (LINE) U = 2 (16.6%).
.
. Procedure ~U (2 refs) = 0, 5 (41.6%).
.   (LINE) C = 3 (25.0%).
.   (LINE) D = 2 (16.6%).
    Procedure D (1 ref) = 0, 2 (16.6%).
      (LINE) mark = 2 (16.6%)." "$mechanism: containment follows the stacks"
done

# The counts are those that the program knows.
own=$("$program")
for name in main P Q U V C D R mark; do
	counted=$(awk -v name="$name" 'sub(/.*Procedure ~?/, "") && $1 == name {
		gsub(/,/, ""); print $5 + $6 }' d.txt)
	is "$name $counted" "$(grep -o "\b$name [0-9]*" <<<"$own")" \
		"$name is in as many stacks as it was executed below"
done

display auto min=40 minson=30
is "$(below_main)" "\
Procedure main (1 ref) = 0, 12 (100.0%).
  (LINE) P = 7 (58.3%).
. Procedure ~mark (3 refs) = 12, 0 (100.0%).
.
. Procedure P (1 ref) = 0, 7 (58.3%).
.   (LINE) V = 4 (33.3%).
.   Procedure ~C (2 refs) = 0, 7 (58.3%).
.     (LINE) mark = 7 (58.3%).
.
. Procedure ~U (2 refs) = 0, 5 (41.6%)." "min= and minson= leave out what is rare"

is "$(grep -c '^~~~~*$' d.txt)" 4 "double rows of tildes part the sections"
like "$(cat d.txt)" 'Breaks: +mark \(12 hits\)' "the heading has the breaks"

display auto min=100
like "$(cat d.txt)" 'No procedure is in more than 100% of the call stacks\.' \
	"it says that nothing is above the threshold"

done_testing
