/*
 * numbers.h - a function whose variables are in registers, in the frame, and
 * outside of it: for conditions that are computed where it runs
 *
 * Lines that tests name begin with a store of a constant: an instruction that
 * is long enough to become a jump wherever it is loaded.
 */
#include <stdbool.h>
#include <stdio.h>

enum { ROUNDS = 1000 };
enum color { RED, GREEN, BLUE = -7 };
struct point {
	short x;
	unsigned char weights[3];
	int small : 5;
	unsigned rest : 20;
};
struct box {
	struct point corners[2];
	struct box *inner;
};

volatile int mark;
static int total;
unsigned long wide_total;
struct box box, other;
struct box *boxes = &box;
__thread int mine;
double ratio;
enum color color;
bool is_odd;
void (*handler)(void);

__attribute__((noinline)) void first(void)
{
	mark = 2;
}

__attribute__((noinline)) void second(void)
{
	mark = 3;
}

__attribute__((noinline)) long work(int n, unsigned char byte, long wide,
				    struct box *here)
{
	volatile short local[3] = {(short)n, (short)-n, 7};
	long sum = wide - n;

	total += n;
	wide_total += (unsigned long)wide;
	mark = 1; /* the line of `work` */
	sum += local[1] + byte + n + wide;
	sum += *(volatile short *)&here->corners[1].x; /* not before */
	mark = 4;                                      /* the line of `sum` */
	return sum % 100;
}

__attribute__((noinline)) void set(int n)
{
	box.corners[1].x = (short)(n - 500);
	box.corners[1].weights[2] = (unsigned char)n;
	box.corners[0].small = (n % 32) - 16;
	box.corners[0].rest = (unsigned)n * 1000 % 1000000;
	color = n % 3 ? n % 3 == 1 ? GREEN : BLUE : RED;
	is_odd = n & 1;
	ratio = n / 2.0;
	handler = n % 5 ? first : second;
	mine = n;
}

int main(void)
{
	long sum = 0;

	for (int n = 0; n < ROUNDS; n++) {
		set(n);
		sum += work(n, (unsigned char)(n * 3), (long)n * 10000000000,
			    n % 4 ? boxes : &other);
		handler();
	}
	printf("sum %ld total %d\n", sum, total);
	return 0;
}
