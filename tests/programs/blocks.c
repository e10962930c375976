/*
 * blocks.c - a function with a switch, a loop and conditions, which counts how
 * often each of its lines is entered
 *
 * Prints `line_LINE COUNT` for lines that begin a block, and `calls COUNT`.
 *
 * Flags: -O0
 */
#include <stdio.h>
#include <stdlib.h>

static unsigned long entered[200];

/* clang-format off */
#define HERE entered[__LINE__]++
/* clang-format on */

__attribute__((noinline)) int classify(int x)
{
	int sum = x;

	switch (x % 9) {
	case 0:
		HERE, sum += 7;
		break;
	case 1:
		HERE, sum *= 3;
		break;
	case 2:
		HERE, sum ^= 0x55;
		break;
	case 3:
		HERE, sum -= 2;
		break;
	case 5:
		HERE, sum = abs(sum);
		break;
	case 6:
		HERE, sum /= 2;
		break;
	default:
		HERE, sum = 2;
	}
	for (int i = 0; i < x % 4; i++) {
		if (i & 1)
			HERE, sum += i;
		else
			HERE, sum -= i;
	}
	return sum;
}

int main(int argc, char **argv)
{
	int calls = argc > 1 ? atoi(argv[1]) : 1000, sum = 0;

	for (int i = 0; i < calls; i++)
		sum += classify(i);
	printf("calls %d\nsum %d\n", calls, sum);
	for (int line = 0; line < 200; line++)
		if (entered[line])
			printf("line_%d %lu\n", line, entered[line]);
	return 0;
}
