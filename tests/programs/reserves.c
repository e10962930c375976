/*
 * reserves.c - tells how much memory it has, as the kernel counts it
 *
 * usage: reserves THREADS [lock] [limit MIB] [wait] [abort]
 *
 * The program calls work(). With `lock`, it locks its memory, now and in the
 * future. With `limit`, it may have so many MiB of addresses. With `wait`, it
 * says that it waits, and waits for a line of input. Then THREADS threads call
 * work(), and exist until all have done that. In the end the program prints how
 * many threads it could make, and how many KiB of addresses and of locked
 * memory it has, and the most memory that it has had. With `abort`, it ends by
 * SIGABRT.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint called;

__attribute__((noipa)) void work(void)
{
}

static void *thread(void *unused)
{
	work();
	atomic_fetch_add(&called, 1);
	/* (main() has the mutex until the end) */
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static unsigned long status(const char *key)
{
	FILE *file = fopen("/proc/self/status", "r");
	unsigned long value = 0;
	char line[256];

	if (!file)
		abort();
	while (fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0)
			value = strtoul(line + strlen(key), NULL, 10);
	fclose(file);
	return value;
}

int main(int argc, char **argv)
{
	unsigned wanted = argc > 1 ? (unsigned)atoi(argv[1]) : 1, made = 0;
	pthread_t threads[1000];
	pthread_attr_t small;
	int aborts = 0;

	work();
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "lock") == 0) {
			if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
				perror("mlockall");
				return 2;
			}
		} else if (strcmp(argv[i], "limit") == 0 && i + 1 < argc) {
			rlim_t bytes = (rlim_t)atoi(argv[++i]) << 20;

			setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes});
		} else if (strcmp(argv[i], "wait") == 0) {
			puts("waits");
			fflush(stdout);
			getchar();
		} else {
			aborts = 1;
		}
	}
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_mutex_lock(&mutex);
	while (made < wanted && made < 1000 &&
	       pthread_create(&threads[made], &small, thread, NULL) == 0)
		made++;
	while (atomic_load(&called) < made)
		sched_yield();
	printf("threads %u size %lu locked %lu peak %lu\n", made,
	       status("VmSize:"), status("VmLck:"), status("VmHWM:"));
	fflush(stdout);
	if (aborts)
		abort();
	pthread_mutex_unlock(&mutex);
	for (unsigned i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
