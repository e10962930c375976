/*
 * prefork.c - a server whose master forks its workers before any request comes
 *
 * usage: prefork [WORKERS]
 *
 * The master first prints its own pid and those of its workers (3). Then it
 * reads commands from its standard input, one a line, and answers each with a
 * line:
 *
 *	serve N		the workers take N requests, in turn, by serve();
 *			answer: how many each worker has served so far
 *	fork		another worker comes; answer: its pid
 *	grand		the first worker forks a worker of its own, which takes
 *			every request of the first from then on; answer: its pid
 *	kill		the last worker is killed; answer: its pid
 *
 * Each worker gets its requests through a pipe, one byte a request, and answers
 * with how many requests it has served. All workers end when the input does.
 *
 * Flags: -no-pie
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTION __attribute__((noipa))

enum { MOST = 64 };

struct worker {
	pid_t pid;
	int requests, answers;
	unsigned served;
};

static struct worker workers[MOST];
static int count;
static unsigned own;

FUNCTION void serve(int number)
{
	own++;
	__asm__ volatile("" ::"r"(number));
}

static struct worker make_worker(void);

/* The life of a worker: it reads requests from `in` and answers on `out`. 'G'
 * makes a worker below this one. */
static void work(int in, int out)
{
	struct worker below = {0};
	char request;

	own = 0;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(in, &request, 1) == 1) {
		unsigned answer;

		if (request == 'G') {
			below = make_worker();
			answer = (unsigned)below.pid;
		} else if (below.pid) {
			if (write(below.requests, &request, 1) != 1 ||
			    read(below.answers, &answer, sizeof(answer)) !=
				    sizeof(answer))
				_exit(1);
			answer += own;
		} else {
			serve(request);
			answer = own;
		}
		if (write(out, &answer, sizeof(answer)) != sizeof(answer))
			break;
	}
	_exit(0);
}

static struct worker make_worker(void)
{
	struct worker worker = {0};
	int down[2], up[2];

	if (pipe(down) < 0 || pipe(up) < 0)
		exit(1);
	worker.pid = fork();
	if (worker.pid == 0) {
		close(down[1]);
		close(up[0]);
		/* close the other workers' pipes, so that they end with the
		 * master */
		for (int i = 0; i < count; i++) {
			close(workers[i].requests);
			close(workers[i].answers);
		}
		work(down[0], up[1]);
	}
	close(down[0]);
	close(up[1]);
	worker.requests = down[1];
	worker.answers = up[0];
	return worker;
}

static unsigned tell(struct worker *worker, char request)
{
	unsigned answer = 0;

	if (write(worker->requests, &request, 1) != 1 ||
	    read(worker->answers, &answer, sizeof(answer)) != sizeof(answer))
		exit(1);
	return answer;
}

static void answer(const char *line)
{
	if (strncmp(line, "serve ", 6) == 0) {
		for (int i = 0, n = atoi(line + 6); i < n; i++) {
			struct worker *worker = &workers[i % count];

			worker->served = tell(worker, 'r');
		}
		for (int i = 0; i < count; i++)
			printf("%s%u", i ? " " : "", workers[i].served);
	} else if (strcmp(line, "fork\n") == 0) {
		workers[count] = make_worker();
		printf("%d", workers[count++].pid);
	} else if (strcmp(line, "grand\n") == 0) {
		printf("%u", tell(&workers[0], 'G'));
	} else if (strcmp(line, "kill\n") == 0) {
		struct worker *last = &workers[--count];

		kill(last->pid, SIGKILL);
		waitpid(last->pid, NULL, 0);
		printf("%d", last->pid);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	int wanted = argc > 1 ? atoi(argv[1]) : 3;
	char line[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	while (count < wanted && count < MOST) {
		workers[count] = make_worker();
		count++;
	}
	printf("%d", getpid());
	for (int i = 0; i < count; i++)
		printf(" %d", workers[i].pid);
	putchar('\n');
	while (fgets(line, sizeof(line), stdin))
		answer(line);
	return 0;
}
