/*
 * descriptors.c - a program that notices if somebody else uses its table of
 * files
 *
 * usage: descriptors ROUNDS [CROWD]
 *
 * One thread alone uses files. In each round it closes all descriptors behind
 * the standard ones, as a daemon does at its start, and opens its file, which
 * must then be empty and have the first free number. It writes to the file,
 * looks whether all of that is there, and closes it. Meanwhile CROWD (0)
 * threads at a time are born, each of which calls work() twice, until ROUNDS
 * rounds are over and at least one crowd was there; with ROUNDS 0 this goes on
 * until SIGTERM. The last line of the output says how many rounds were wrong.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST = 3, MOST = 8, CROWDED = 512 };

static volatile sig_atomic_t asked;
static atomic_bool over;
static long rounds, most, wrong;
static pthread_barrier_t all_there;

__attribute__((noipa)) long work(long n)
{
	return n * 3 + 1;
}

static void note(int signal)
{
	(void)signal;
	asked = 1;
}

static bool one_round(const char *path)
{
	static const char text[] = "five\n";
	struct stat status;
	bool right;
	int file;

	for (int i = FIRST; i < MOST; i++)
		close(i);
	file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	right = file == FIRST && fstat(file, &status) == 0 &&
		status.st_size == 0;
	for (int i = 0; i < 100; i++)
		work(i);
	right &= write(file, text, strlen(text)) == (ssize_t)strlen(text);
	right &= fstat(file, &status) == 0 &&
		 status.st_size == (off_t)strlen(text);
	for (int i = FIRST + 1; i < MOST; i++)
		right &= fcntl(i, F_GETFD) < 0;
	return close(file) == 0 && right;
}

static void *use_files(void *path)
{
	while (!asked && (!most || rounds < most)) {
		wrong += !one_round(path);
		rounds++;
	}
	over = true;
	return NULL;
}

/* Each crowd is there at one time. */
static void *be_there(void *unused)
{
	work(1);
	pthread_barrier_wait(&all_there);
	work(2);
	return unused;
}

int main(int argc, char **argv)
{
	const int crowd = argc > 2 ? atoi(argv[2]) : 0;
	const char *folder = getenv("TMPDIR");
	pthread_t user, threads[CROWDED];
	char path[4096];

	snprintf(path, sizeof(path), "%s/descriptors.%d",
		 folder ? folder : "/tmp", getpid());
	most = argc > 1 ? atol(argv[1]) : 0;
	signal(SIGTERM, note);
	if (crowd > CROWDED)
		return 2;
	pthread_barrier_init(&all_there, NULL, (unsigned)crowd);
	puts("ready");
	fflush(stdout);
	pthread_create(&user, NULL, use_files, path);
	do {
		for (int i = 0; i < crowd; i++)
			pthread_create(&threads[i], NULL, be_there, NULL);
		for (int i = 0; i < crowd; i++)
			pthread_join(threads[i], NULL);
	} while (crowd && !over);
	pthread_join(user, NULL);
	unlink(path);
	printf("%ld rounds, %ld wrong\n", rounds, wrong);
	return wrong != 0;
}
