/*
 * rings.c - functions that come back to their own frames by tail jumps
 *
 * Flags: -O2 -fno-reorder-blocks-and-partition
 *
 * north(), east(), south() and west() jump to each other as a random number
 * says, and also return, call one of them, end in out(), or are left by
 * longjmp. enter() jumps to north(), and nothing jumps to enter(). flip() and
 * flop() jump to each other so often in one frame that perftool does not keep
 * all of these executions open. hop() and skip() jump to each other, skip() by
 * a pointer that leads to two functions. more() jumps to less(), less() to
 * relay(), which is nothing but a jump to more(), and same() to itself.
 *
 * The argument is how many walks are made; the default is 500. The program
 * prints how often each function was called.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline, noclone, noipa))
#define THREADS 2
#define FLIPS 25000
#define MOST_DEPTH 6

static unsigned long north_calls, east_calls, south_calls, west_calls,
	out_calls, enter_calls, flip_calls, flop_calls, hop_calls, skip_calls;
unsigned long more_calls, less_calls, same_calls;
static __thread jmp_buf top;
static __thread unsigned long random_state = 1;

static unsigned draw(unsigned below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (unsigned)(random_state >> 32) % below;
}

static void count(unsigned long *calls)
{
	__atomic_fetch_add(calls, 1, __ATOMIC_RELAXED);
}

APART long north(long fuel, long depth);
APART long east(long fuel, long depth);
APART long south(long fuel, long depth);
APART long west(long fuel, long depth);

APART long out(long fuel, long depth)
{
	count(&out_calls);
	return fuel + depth;
}

/* Call one of the functions in a frame of its own. */
static long go_deeper(long fuel, long depth)
{
	return draw(2) ? south(fuel, depth + 1) : west(fuel, depth + 1);
}

/* What north(), east(), south() and west() have in common: returns their result
 * if they end here, else -1. (There is no tail jump out of a function that has
 * given the address of a variable away.) */
APART static long ending(long fuel, long depth)
{
	unsigned choice = draw(16);

	if (fuel < 0 || choice == 0)
		return depth;
	if (choice == 1 && draw(4) == 0)
		longjmp(top, 1);
	if (choice < 4)
		return depth < MOST_DEPTH ? go_deeper(fuel, depth) + 1 : depth;
	return -1;
}

APART long north(long fuel, long depth)
{
	long result;

	count(&north_calls);
	result = ending(--fuel, depth);
	if (result >= 0)
		return result;
	if (draw(2))
		return east(fuel, depth);
	return west(fuel, depth);
}

APART long east(long fuel, long depth)
{
	long result;

	count(&east_calls);
	result = ending(--fuel, depth);
	if (result >= 0)
		return result;
	if (draw(2))
		return south(fuel, depth);
	return north(fuel, depth);
}

APART long south(long fuel, long depth)
{
	long result;

	count(&south_calls);
	result = ending(--fuel, depth);
	if (result >= 0)
		return result;
	if (draw(8) == 0)
		return out(fuel, depth);
	return west(fuel, depth);
}

APART long west(long fuel, long depth)
{
	long result;

	count(&west_calls);
	result = ending(--fuel, depth);
	if (result >= 0)
		return result;
	return north(fuel, depth);
}

APART long enter(long fuel)
{
	count(&enter_calls);
	return north(fuel, 0);
}

APART long flop(long n);

APART long flip(long n)
{
	count(&flip_calls);
	return n ? flop(n - 1) : 1;
}

APART long flop(long n)
{
	count(&flop_calls);
	return n ? flip(n - 1) : 0;
}

static long (*volatile after_skip[2])(long n, long depth);

APART long skip(long n, long depth)
{
	count(&skip_calls);
	return n ? after_skip[n & 1](n - 1, depth) : depth;
}

APART long hop(long n, long depth)
{
	count(&hop_calls);
	return n ? skip(n - 1, depth) : depth;
}

/* Compilers seldom make a conditional jump to another function, and they make a
 * loop of a jump to the same one. Each of these jumps makes the argument
 * smaller by one, and is made as long as the argument is not 0 then. */
long more(long n);
long less(long n);
long same(long n);

__asm__(".pushsection .text\n"
	".macro JUMPS name, condition, other\n"
	".globl \\name\n"
	".type \\name, @function\n"
	"\\name:\n"
	".cfi_startproc\n"
	"	lock incq \\name\\()_calls(%rip)\n"
	"	dec %rdi\n"
	"	\\condition \\other\n"
	"	mov %rdi, %rax\n"
	"	ret\n"
	".cfi_endproc\n"
	".size \\name, . - \\name\n"
	".endm\n"
	"JUMPS more, jg, less\n"
	"JUMPS less, jnz, relay\n"
	"JUMPS same, jnz, same\n"
	".type relay, @function\n"
	"relay:\n"
	".cfi_startproc\n"
	"	jmp more\n"
	".cfi_endproc\n"
	".size relay, . - relay\n"
	".popsection\n");

/* Both calls make a frame at the same place. */
static long walk(long fuel)
{
	volatile long sum = 0;

	if (setjmp(top) == 0)
		sum += enter(fuel);
	if (setjmp(top) == 0)
		sum += west(fuel, 0);
	return sum;
}

static void *walk_much(void *walks)
{
	volatile long sum = 0;

	random_state = (unsigned long)walks + 12345;
	for (long i = 0; i < (long)walks; i++)
		sum += walk(i % 40);
	return (void *)sum;
}

int main(int argc, char **argv)
{
	const long walks = argc > 1 ? atol(argv[1]) : 500;
	pthread_t threads[THREADS];
	long sum = 0;

	after_skip[0] = skip;
	after_skip[1] = hop;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, walk_much,
			       (void *)(walks + i));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (long i = 0; i < 50; i++)
		sum += hop(i, 0) + flip(i) + more(i + 1) + less(i + 1) +
		       same(i + 1);
	for (long i = 0; i < 3; i++)
		sum += flip(FLIPS + i);
	printf("north %lu\neast %lu\nsouth %lu\nwest %lu\nout %lu\nenter %lu\n"
	       "flip %lu\nflop %lu\nhop %lu\nskip %lu\nmore %lu\nless %lu\n"
	       "same %lu\n"
	       "sum %ld\n",
	       north_calls, east_calls, south_calls, west_calls, out_calls,
	       enter_calls, flip_calls, flop_calls, hop_calls, skip_calls,
	       more_calls, less_calls, same_calls, sum);
	return 0;
}
