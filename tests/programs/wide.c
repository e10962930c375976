/*
 * wide.c - integers of 128 bits, complex numbers, and arrays whose length is
 * known late or never, for tests/e2e/gdb_classes.t
 *
 * The cases are in wide.cases, beside this file.
 */
#include <complex.h>
#include <stdio.h>
#include <uchar.h>
#include <wchar.h>

struct tail {
	int count;
	int none[0];
};

struct open {
	int count;
	char rest[];
};

struct holder {
	__int128 big;
	unsigned __int128 huge;
	long double extra;
	_Complex float pair;
	int (*call)(int);
};

static __int128 negative = -5, large = ((__int128)1 << 100) + 7;
static unsigned __int128 most = ~(unsigned __int128)0;
static __int128_t same = 3;
static struct holder holder = {-1, 12, 0.25L, 1.5f + 2.5f * I, NULL};
static __int128 row[3] = {1, -2, (__int128)1 << 70};
static struct tail tail = {4};
static struct open open_end = {5};
static _Complex double root = 1.0 - 2.0 * I;
static _Complex long double wide_root = 0.5L + 3.0L * I;
static _Complex float pairs[2] = {1, 2 * I};
static int number = 0x41424344, array[5] = {1, 2, 3, 4, 5};
static const wchar_t *wide_text = L"wide \u20ac";
static const char16_t *text16 = u"sixteen";
static const char32_t *text32 = U"thirty-two";
static wchar_t wide_array[8] = L"abc";
static wchar_t letter = L'w';
static char16_t letter16 = u'x';
static char letter8 = 'c';
static long *null_pointer;

__attribute__((noinline)) static int look(int n)
{
	int vla[n], matrix[n][n + 1];

	for (int i = 0; i < n; i++) {
		vla[i] = i * i;
		for (int j = 0; j <= n; j++)
			matrix[i][j] = i + j;
	}
	__asm__ volatile("" : : "r"(vla), "r"(matrix) : "memory");
	__asm__ volatile(""
			 :
			 : "r"(&negative), "r"(&large), "r"(&most), "r"(&same),
			   "r"(&holder), "r"(row), "r"(&tail), "r"(&root),
			   "r"(&wide_root), "r"(&number), "r"(array)
			 : "memory");
	__asm__ volatile(""
			 :
			 : "r"(&wide_text), "r"(&text16), "r"(&text32),
			   "r"(wide_array), "r"(&letter), "r"(&letter16),
			   "r"(&letter8), "r"(&null_pointer), "r"(&open_end),
			   "r"(pairs)
			 : "memory");
	__asm__ volatile("nop" : : "r"(n) : "memory"); /* here */
	return vla[1] + matrix[0][n];
}

int main(void)
{
	printf("%d\n", look(5));
	return 0;
}
