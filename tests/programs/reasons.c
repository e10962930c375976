/*
 * reasons.c - a function that is slow for some arguments, and when certain
 * functions call it
 *
 * Flags: -O2 -fno-optimize-sibling-calls
 *
 * handle() overwrites its arguments, and what they point to, before it returns.
 * It sleeps for 30 ms when it is called for "/slow" by dispatch(), which is
 * inlined in serve(), and for 20 ms at the end of 300 calls of descend(). All
 * other calls return at once. A second thread calls it 10 times, the last time
 * for 10 ms. With an argument, the program prints it, and does all this for
 * each line of input.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define APART __attribute__((noinline, noclone, noipa))

enum kind { PLAIN, FANCY = 7 };

struct point {
	int x, y;
};

static volatile int sink;

static void doze(long ms)
{
	const struct timespec nap = {0, ms * 1000000};

	nanosleep(&nap, NULL);
}

APART int handle(char *path, int ms, enum kind kind, struct point point,
		 const struct point *there)
{
	if (ms)
		doze(ms);
	strcpy(path, "gone");
	sink += kind + point.x + there->y;
	ms = kind = 0;
	return sink + ms;
}

static inline __attribute__((always_inline)) int dispatch(int ms)
{
	char path[] = "/slow";
	const struct point there = {3, 4};

	return handle(path, ms, FANCY, (struct point){1, 2}, &there) + 1;
}

APART int serve(int n)
{
	char path[] = "/quick";
	const struct point there = {0, n};
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += handle(path, 0, PLAIN, there, &there);
	return sum + dispatch(30);
}

APART int descend(int depth)
{
	char path[] = "/deep";
	const struct point there = {0, depth};

	if (depth == 300)
		return handle(path, 20, PLAIN, there, &there);
	return descend(depth + 1) + sink;
}

static void *second(void *arg)
{
	for (int i = 0; i < 10; i++) {
		char path[] = "/thread\n";
		const struct point there = {0, i};

		sink += handle(path, i == 9 ? 10 : 0, FANCY, there, &there);
	}
	return arg;
}

static void make_round(void)
{
	pthread_t thread;

	sink += serve(120);
	sink += descend(1);
	pthread_create(&thread, NULL, second, NULL);
	pthread_join(thread, NULL);
	printf("calls 132\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char line[80];

	if (argc < 2) {
		make_round();
		return 0;
	}
	printf("%s\n", argv[1]);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		make_round();
	return 0;
}
