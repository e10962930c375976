/*
 * values.c - parameters, locals, statics and globals for conditions
 *
 * Flags: -O0
 */
#include <stdbool.h>
#include <stdio.h>

enum color { RED, GREEN, BLUE };
struct point {
	int x, y;
};
struct item {
	const char *name;
	struct point *at;
	enum color color;
	bool heavy;
	double weight;
	signed char delta;
	unsigned short tags[4];
};

int limit = 30;
static long seen;

__attribute__((noinline)) long handle(struct item *item, int n, unsigned char c)
{
	static int even;
	long result = item->at->x + n + c;

	seen++;
	if (n % 2 == 0)
		even++;
	return result + even; /* the line of `result` */
}

int main(void)
{
	static const char *const names[] = {"foo", "bar", "foobar", ""};
	unsigned foo = 0, over = 0, blue = 0, negative = 0, heavy = 0;
	struct point point;
	long sum = 0;

	for (int i = 0; i < 100; i++) {
		struct item item = {
			.name = names[i % 4],
			.at = &point,
			.color = (enum color)(i % 3),
			.heavy = i % 5 == 0,
			.weight = i / 4.0,
			.delta = (signed char)(i - 50),
			.tags = {1, 2, (unsigned short)i, 4},
		};

		point = (struct point){i, -i};
		foo += i % 4 == 0;
		over += i > limit;
		blue += item.color == BLUE;
		negative += item.delta < 0;
		heavy += item.heavy;
		sum += handle(&item, i, (unsigned char)(i * 3));
	}
	printf("handle %ld\nfoo %u\nover %u\nblue %u\nnegative %u\nheavy %u\n"
	       "sum %ld\n",
	       seen, foo, over, blue, negative, heavy, sum);
	return 0;
}
