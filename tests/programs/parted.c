/*
 * parted.c - a function that compilers divide: its first test is inlined where
 * it is called, and the rest becomes a function of its own, look.part.0 (gcc),
 * or is outlined. The program counts itself how often the rest is executed. It
 * is also compiled as C++.
 */
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
namespace shop
{
#endif

static int table[1000];
static long executed;

static int look(const int *at, int n)
{
	int sum = 0;

	if (__builtin_expect(!at, 1))
		return 0;
	executed++;
	for (int i = 0; i < n; i++) {
		sum += at[i] * 3;
		if (sum > 100000)
			sum /= 7;
		if (sum < -5)
			puts("low");
		else if (sum > 1 << 20)
			puts("high");
		if (sum % 17 == 1)
			abort();
	}
	for (int i = 0; i < n; i++) {
		sum ^= at[i];
		if (sum > 77777)
			printf("%d %d\n", sum, i);
		if (sum == 12345)
			exit(3);
	}
	for (int i = n; i > 0; i--) {
		sum += at[i - 1] % 13;
		if (sum < -77777)
			printf("%d %d\n", sum, i);
	}
	return sum;
}

__attribute__((noinline)) int first(const int *at)
{
	return look(at, 10) + 1;
}

__attribute__((noinline)) int second(const int *at)
{
	return look(at, 20) * 2;
}

__attribute__((noinline)) int third(const int *at)
{
	return look(at, 30) - 2;
}

#ifdef __cplusplus
}
using namespace shop;
#endif

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 50; i++) {
		sum += first(i % 2 ? table : NULL);
		sum += second(i % 5 ? table : NULL);
		sum += third(table);
	}
	printf("look %ld %d\n", executed, sum & 1);
	return 0;
}
