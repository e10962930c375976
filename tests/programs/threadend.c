/*
 * threadend.c - a program whose threads end all at once, or one by one
 *
 * usage: threadend HOW FILE [THREADS [CALLS]]
 *
 * exit-group: THREADS (8) threads call work() for ever; when CALLS (4,000)
 * calls are reached, the program exits in the middle of them. exec: the same,
 * but a thread that is not the first one executes the program anew, as `quiet`.
 * kill: SIGKILL ends the program. leader: the first thread ends at once, the
 * others together call work() CALLS times, and the last of them ends the
 * program. heirs: the same, but the others are born when the first thread has
 * ended. quiet: work() is called 10 times.
 *
 * The number of calls of work() stands in FILE, which is shared memory, because
 * no thread is left that could print it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct truth {
	atomic_ulong calls;
	atomic_ulong over; /* threads that have made all their calls */
};

static struct truth *truth;
static unsigned long threads = 8, calls = 4000;
static char **arguments;

__attribute__((noinline)) void work(void)
{
	atomic_fetch_add(&truth->calls, 1);
}

static void *work_for_ever(void *unused)
{
	for (;;)
		work();
	return unused;
}

static void *work_a_share(void *unused)
{
	for (unsigned long i = 0; i < calls / threads; i++)
		work();
	if (atomic_fetch_add(&truth->over, 1) + 1 == threads)
		exit(7);
	return unused;
}

static void *bear_heirs(void *unused)
{
	char path[64], state = 0;
	pthread_t one;
	FILE *stat;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)getpid());
	while (state != 'Z') {
		stat = fopen(path, "re");
		if (!stat || fscanf(stat, "%*d (%*[^)]) %c", &state) != 1)
			exit(2);
		fclose(stat);
	}
	for (unsigned long i = 0; i < threads; i++)
		pthread_create(&one, NULL, work_a_share, NULL);
	pause();
	return unused;
}

static void *end_all(void *how)
{
	while (truth->calls < calls)
		work();
	if (strcmp(how, "exec") == 0)
		execl("/proc/self/exe", arguments[0], "quiet", arguments[2],
		      (char *)NULL);
	if (strcmp(how, "kill") == 0)
		kill(getpid(), SIGKILL);
	_exit(7);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";
	int fd = argc > 2 ? open(argv[2], O_RDWR | O_CREAT, 0666) : -1;
	pthread_t one;

	arguments = argv;
	if (argc > 3)
		threads = strtoul(argv[3], NULL, 10);
	if (argc > 4)
		calls = strtoul(argv[4], NULL, 10);
	if (fd < 0 || ftruncate(fd, sizeof(*truth)))
		return 2;
	truth = mmap(NULL, sizeof(*truth), PROT_READ | PROT_WRITE, MAP_SHARED,
		     fd, 0);
	if (strcmp(how, "quiet") == 0) {
		for (int i = 0; i < 10; i++)
			work();
		return 8;
	}
	if (strcmp(how, "heirs") == 0) {
		pthread_create(&one, NULL, bear_heirs, NULL);
		pthread_exit(NULL);
	}
	if (strcmp(how, "leader") == 0) {
		for (unsigned long i = 0; i < threads; i++)
			pthread_create(&one, NULL, work_a_share, NULL);
		pthread_exit(NULL);
	}
	for (unsigned long i = 1; i < threads; i++)
		pthread_create(&one, NULL, work_for_ever, NULL);
	pthread_create(&one, NULL, end_all, (void *)how);
	work_for_ever(NULL);
	return 99;
}
