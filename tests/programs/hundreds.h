/*
 * hundreds.h - macros that define many functions, or name them: HUNDRED(of, n)
 * is of(n00) to of(n99)
 */
#ifndef TESTS_PROGRAMS_HUNDREDS_H
#define TESTS_PROGRAMS_HUNDREDS_H

#define FIVE(of, a, b, c, d, e) of(a) of(b) of(c) of(d) of(e)
#define TEN(of, n)                                                             \
	FIVE(of, n##0, n##1, n##2, n##3, n##4)                                 \
	FIVE(of, n##5, n##6, n##7, n##8, n##9)
#define FIFTY(of, a, b, c, d, e)                                               \
	TEN(of, a) TEN(of, b) TEN(of, c) TEN(of, d) TEN(of, e)
#define HUNDRED(of, n)                                                         \
	FIFTY(of, n##0, n##1, n##2, n##3, n##4)                                \
	FIFTY(of, n##5, n##6, n##7, n##8, n##9)

#endif
