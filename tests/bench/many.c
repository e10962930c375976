/*
 * many.c - ten thousand functions, which a thread calls one after the other
 *
 * usage: many: says "ready" and runs until it is killed.
 */
#include <stdio.h>
#include <unistd.h>

#define FUNCTION(n)                                                            \
	__attribute__((noipa)) long function_##n(long a)                       \
	{                                                                      \
		return a * 3 + 1##n;                                           \
	}
#define NAME(n) function_##n,

/* clang-format off */
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) \
	X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define HUNDRED(X, n) TEN(X, n##0) TEN(X, n##1) TEN(X, n##2) TEN(X, n##3) \
	TEN(X, n##4) TEN(X, n##5) TEN(X, n##6) TEN(X, n##7) TEN(X, n##8) \
	TEN(X, n##9)
#define THOUSAND(X, n) HUNDRED(X, n##0) HUNDRED(X, n##1) HUNDRED(X, n##2) \
	HUNDRED(X, n##3) HUNDRED(X, n##4) HUNDRED(X, n##5) HUNDRED(X, n##6) \
	HUNDRED(X, n##7) HUNDRED(X, n##8) HUNDRED(X, n##9)
#define ALL(X) THOUSAND(X, 0) THOUSAND(X, 1) THOUSAND(X, 2) THOUSAND(X, 3) \
	THOUSAND(X, 4) THOUSAND(X, 5) THOUSAND(X, 6) THOUSAND(X, 7) \
	THOUSAND(X, 8) THOUSAND(X, 9)
/* clang-format on */

ALL(FUNCTION)

static long (*const functions[])(long) = {ALL(NAME)};

int main(void)
{
	long sum = 0;

	puts("ready");
	fflush(stdout);
	for (;;) {
		for (unsigned i = 0; i < sizeof(functions) / sizeof(*functions);
		     i++)
			sum = functions[i](sum);
		usleep(1000);
	}
}
