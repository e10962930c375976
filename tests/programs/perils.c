/*
 * perils.c - threads that call functions until something ends them, and that
 * keep what is true of their calls where it outlives them
 *
 * usage: perils WAY FILE
 *
 * FILE is mapped, and holds struct truth: for each thread how often each
 * function was about to be called, and how often it had returned. So a thread
 * that dies in a call has begun one more than it has ended.
 *
 *	kill, abort, _exit, fault
 *		the process ends this way when each of 4 threads has made 2,000
 *		calls of outer(), and goes on with them
 *	exec	the same, and the program that is executed is this one, whose
 *		way is `calls`
 *	other	the same, but the program that is executed is /bin/true
 *	calls	one thread makes 2,000 calls of outer(), and the program ends
 *	fork	each of 4 threads makes 500 calls of outer(), and in between 10
 *		children, some of them amid a call of outer(); a child calls
 *		outer() 100 times
 *	vfork	the same, with children that call outer() in the memory of their
 *		parent
 *	coroutine
 *		two threads take turns with a coroutine, which yields amid each
 *		of its calls of outer()
 *	serve	4 threads call outer() until a line of standard input says
 *		otherwise: `hold` lets them wait amid calls of held(), `rest`
 *		lets them wait outside of all calls, `go` lets them go on, `sum`
 *		prints how often outer() was called, `end` ends the program
 *	told	prints for each function, and for the threads and the children
 *		apart, what FILE holds: "FUNCTION WHO BEGUN ENDED"
 *
 * The results of outer() are checked in each way: the program prints "wrong 0".
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { THREADS = 4, CHILDREN = 10, CALLS = 2000 };
enum function { OUTER, INNER, HELD, FUNCTIONS };

/* The members of a call are written in the order in which it happens. */
struct calls {
	volatile unsigned long begun, ended;
};

struct of_thread {
	struct calls of[FUNCTIONS];
	volatile unsigned long wrong;
};

struct truth {
	struct of_thread threads[THREADS];
	/* Each of these is one child at a time. */
	struct of_thread children[THREADS];
};

enum order { ORDER_GO, ORDER_HOLD, ORDER_REST, ORDER_END };

static struct truth *truth;
static volatile int order;
/* how many threads wait, for each order */
static volatile int waiting[ORDER_END + 1];
static const char *way;

/* ---- the functions ------------------------------------------------------- */

__attribute__((noinline)) long inner(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 3 + 1;
}

/* Calls inner() three times, and `amid`, if there is one, before the last. */
__attribute__((noinline)) long outer(struct of_thread *own, long n,
				     void (*amid)(struct of_thread *))
{
	for (int i = 0; i < 3; i++) {
		if (i == 2 && amid)
			amid(own);
		own->of[INNER].begun++;
		n = inner(n);
		own->of[INNER].ended++;
	}
	return n;
}

static void call(struct of_thread *own, long n,
		 void (*amid)(struct of_thread *))
{
	own->of[OUTER].begun++;
	own->wrong += outer(own, n, amid) != n * 27 + 13;
	own->of[OUTER].ended++;
}

static void call_often(struct of_thread *own, long count)
{
	for (long i = 0; i < count; i++)
		call(own, i, NULL);
}

/* ---- threads that call for ever ------------------------------------------ */

static void wait_while(enum order given)
{
	__sync_fetch_and_add(&waiting[given], 1);
	while (order == (int)given)
		sched_yield();
	__sync_fetch_and_sub(&waiting[given], 1);
}

__attribute__((noinline)) void held(void)
{
	wait_while(ORDER_HOLD);
}

static void *call_for_ever(void *argument)
{
	struct of_thread *own = argument;

	for (long i = 0; order != ORDER_END; i++) {
		call(own, i, NULL);
		if (order == ORDER_HOLD) {
			own->of[HELD].begun++;
			held();
			own->of[HELD].ended++;
		} else if (order == ORDER_REST) {
			wait_while(ORDER_REST);
		}
	}
	return NULL;
}

static void start_all(pthread_t *threads, void *(*function)(void *))
{
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, function, &truth->threads[i]);
}

static void join_all(const pthread_t *threads)
{
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static int all_have_called(void)
{
	for (int i = 0; i < THREADS; i++)
		if (truth->threads[i].of[OUTER].ended < CALLS)
			return 0;
	return 1;
}

static void end(char *program, char *file)
{
	static volatile int *nowhere;

	if (strcmp(way, "kill") == 0)
		kill(getpid(), SIGKILL);
	else if (strcmp(way, "abort") == 0)
		abort();
	else if (strcmp(way, "fault") == 0)
		*nowhere = 1;
	else if (strcmp(way, "exec") == 0)
		execl(program, program, "calls", file, NULL);
	else if (strcmp(way, "other") == 0)
		execl("/bin/true", "true", NULL);
	_exit(7);
}

static void end_amid_calls(char *program, char *file)
{
	pthread_t threads[THREADS];

	start_all(threads, call_for_ever);
	while (!all_have_called())
		sched_yield();
	end(program, file);
}

/* ---- children ------------------------------------------------------------ */

static void make_child(struct of_thread *own)
{
	struct of_thread *child = &truth->children[own - truth->threads];
	pid_t pid = strcmp(way, "fork") == 0 ? fork() : vfork();

	if (pid == 0) {
		call_often(child, 100);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void *have_children(void *argument)
{
	for (int i = 0; i < CHILDREN; i++) {
		call_often(argument, 49);
		if (i % 2)
			make_child(argument);
		call(argument, i, i % 2 ? NULL : make_child);
	}
	return NULL;
}

/* ---- a coroutine --------------------------------------------------------- */

static ucontext_t coroutine, scheduler;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn, is_over;

static void yield(struct of_thread *own)
{
	(void)own;
	swapcontext(&coroutine, &scheduler);
}

static void run_coroutine(void)
{
	for (long i = 0; i < 100; i++)
		call(&truth->threads[0], i, yield);
	is_over = 1;
}

static void *take_turns(void *argument)
{
	int number = argument != &truth->threads[1];

	pthread_mutex_lock(&lock);
	while (!is_over) {
		if (turn != number) {
			pthread_cond_wait(&changed, &lock);
			continue;
		}
		call(argument, turn, NULL);
		swapcontext(&scheduler, &coroutine);
		turn = !turn;
		pthread_cond_broadcast(&changed);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void run_in_turns(void)
{
	static char stack[65536];
	pthread_t threads[2];

	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = sizeof(stack);
	coroutine.uc_link = &scheduler;
	makecontext(&coroutine, run_coroutine, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, take_turns,
			       &truth->threads[i + 1]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* ---- a server ------------------------------------------------------------ */

static unsigned long sum_of(enum function function)
{
	unsigned long sum = 0;

	for (int i = 0; i < THREADS; i++)
		sum += truth->threads[i].of[function].ended +
		       truth->children[i].of[function].ended;
	return sum;
}

static unsigned long wrongs(void)
{
	unsigned long sum = 0;

	for (int i = 0; i < THREADS; i++)
		sum += truth->threads[i].wrong + truth->children[i].wrong;
	return sum;
}

static void tell(const char *who, const struct of_thread *threads)
{
	static const char *const names[] = {"outer", "inner", "held"};

	for (int i = 0; i < FUNCTIONS; i++) {
		struct calls sum = {0};

		for (int j = 0; j < THREADS; j++) {
			sum.begun += threads[j].of[i].begun;
			sum.ended += threads[j].of[i].ended;
		}
		printf("%s %s %lu %lu\n", names[i], who, sum.begun, sum.ended);
	}
}

static void obey(const char *line)
{
	if (strcmp(line, "hold\n") == 0)
		order = ORDER_HOLD;
	else if (strcmp(line, "rest\n") == 0)
		order = ORDER_REST;
	else if (strcmp(line, "go\n") == 0)
		order = ORDER_GO;
	else if (strcmp(line, "end\n") == 0)
		order = ORDER_END;
	for (int i = ORDER_HOLD; i <= ORDER_REST; i++)
		while (waiting[i] != (order == i ? THREADS : 0))
			sched_yield();
}

static void serve(void)
{
	pthread_t threads[THREADS];
	char line[16];

	start_all(threads, call_for_ever);
	printf("serves\n");
	while (order != ORDER_END && fgets(line, sizeof(line), stdin)) {
		obey(line);
		printf("%lu\n", sum_of(OUTER));
	}
	order = ORDER_END;
	join_all(threads);
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int file;

	if (argc < 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	way = argv[1];
	file = open(argv[2], O_RDWR | O_CREAT, 0600);
	if (file < 0 || ftruncate(file, sizeof(*truth)) < 0)
		return 2;
	truth = mmap(NULL, sizeof(*truth), PROT_READ | PROT_WRITE, MAP_SHARED,
		     file, 0);
	if (strcmp(way, "told") == 0) {
		tell("threads", truth->threads);
		tell("children", truth->children);
		return 0;
	}
	if (strcmp(way, "calls") == 0) {
		call_often(&truth->threads[0], CALLS);
	} else if (strstr(way, "fork")) {
		start_all(threads, have_children);
		join_all(threads);
	} else if (strcmp(way, "coroutine") == 0) {
		run_in_turns();
	} else if (strcmp(way, "serve") == 0) {
		serve();
	} else {
		end_amid_calls(argv[0], argv[2]);
	}
	printf("outer %lu inner %lu wrong %lu\n", sum_of(OUTER), sum_of(INNER),
	       wrongs());
	return 0;
}
