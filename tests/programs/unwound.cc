/*
 * unwound.cc - calls that end because their frames are unwound, by longjmp and
 * by exceptions
 *
 * After each such end, the function that goes on works for much longer than the
 * call has taken, and calls nothing meanwhile. The last line says how often
 * each function was left, and how long the program has worked behind the ends,
 * on a CPU:
 *
 *	left 20 after_ns 200000000
 */
#include <csetjmp>
#include <cstdio>
#include <ctime>

#define ROUNDS 20
#define WORK 10000000 /* ns */

static std::jmp_buf buffer;
static volatile long sink;
static long long after;

/* The time of this thread on a CPU, ns. */
static inline long long now()
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* (inlined, so that it is no call) */
static inline __attribute__((always_inline)) void work()
{
	long long from = now(), to;

	while ((to = now()) - from < WORK)
		sink = sink + 1;
	after += to - from;
}

extern "C" {

__attribute__((noinline)) void jumps_inner()
{
	sink = sink + 1;
	std::longjmp(buffer, 1);
}

__attribute__((noinline)) void jumps_outer()
{
	jumps_inner();
	sink = sink + 1;
}

__attribute__((noinline)) void goes_on_after_jump()
{
	if (!setjmp(buffer))
		jumps_outer();
	else
		work();
}

__attribute__((noinline)) void throws()
{
	sink = sink + 1;
	throw 1;
}

/* The destructor works before the frame is left. */
struct cleanup {
	~cleanup()
	{
		work();
	}
};

__attribute__((noinline)) void cleans_up()
{
	cleanup at_the_end;

	throws();
	sink = sink + 1;
}

__attribute__((noinline)) void catches()
{
	try {
		cleans_up();
	} catch (int) {
		work();
	}
}

} /* extern "C" */

int main()
{
	for (int i = 0; i < ROUNDS; i++) {
		goes_on_after_jump();
		catches();
	}
	std::printf("left %d after_ns %lld\n", ROUNDS, after);
	return 0;
}
