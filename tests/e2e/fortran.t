#!/usr/bin/env bash
# Fortran passes the addresses of arguments, although their types do not say so. At
# the entry of a function, expressions have the values behind these addresses. The
# names of functions have those of their modules. The debug information is
# gfortran's, whose output the tests have.
# tier: core
# covers: debuginfo/frames debuginfo/variables debuginfo/symbols
. "$(dirname "$0")/../lib.sh"

cat >main.c <<'END'
#include <stdio.h>
void __m_MOD_step(const int *n, int v, const int *last);
extern int __m_MOD_total;
int main(void)
{
	for (int i = 0; i < 6; i++) {
		int n = i % 2, last = 40 + n;
		__m_MOD_step(&n, 7 + n, &last);
	}
	printf("total %d\n", __m_MOD_total);
	return 0;
}
END
for level in O0 O1; do
	gcc -g main.c "$ROOT/tests/programs/steps_$level.s" -o steps || exit 1
	is "$(./steps)" 'total 291' "$level: the program works"
	for MECHANISM in int3 fast; do
		for values in 'n 0 1' 'v 7 8' 'last 40 41'; do
			read -r name first second <<<"$values"
			times "__m_MOD_step by=$name if $name >= $first" -- ./steps
			is "$(json "[(row['value'], row['count']) for row in
				sorted(t['legs'][0]['by']['values'], key=lambda row: row['value'])]")" \
				"($first, 3) ($second, 3)" \
				"$level: $MECHANISM: each value of $name has its row"
		done
	done
	for text in step m::step 'm::*'; do
		times "$text" -- ./steps
		is "$(json "t['legs'][0]['count']")" 6 "$level: $text is timed"
	done
	batch "profile functions '*'" run 'print functions > f.txt' -- ./steps
	like "$(cat f.txt)" ' 6 .* m::step' "$level: profiles have the names of modules"
done

done_testing
