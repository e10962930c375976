#!/usr/bin/env bash
# The time of a call that ends with _exit() is that until then. What the kernel
# does afterwards, to free the memory of the process, is in no call. The time on the CPU
# of a call in which a signal ends the process is known up to the end.
# tier: full
# covers: session/profiling probe/arrival probe/rings
. "$(dirname "$0")/../lib.sh"

cat >leaves.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SIZE (192UL << 20)

static long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Tell how long it has been here, and when it left. */
__attribute__((noinline)) void leave(int by_exit)
{
	long entered = now(), at = now();
	char text[64];

	while (at - entered < 200000)
		at = now();
	snprintf(text, sizeof(text), "%ld %ld\n", at - entered, at);
	if (write(1, text, strlen(text)) < 0)
		abort();
	if (by_exit)
		exit(0);
	_exit(0);
}

__attribute__((noinline)) void use_memory(void)
{
	char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(memory, SIZE, MADV_NOHUGEPAGE);
	memset(memory, 1, SIZE);
}

/* How long does the kernel need for the end of such a process? */
static void measure(char **argv)
{
	char *const again[] = {argv[0], "_exit", NULL};
	char text[64] = "";
	int pipes[2];
	pid_t child;
	long ended;

	if (pipe(pipes))
		abort();
	child = fork();
	if (child == 0) {
		dup2(pipes[1], 1);
		execv(argv[0], again);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	ended = now();
	if (read(pipes[0], text, sizeof(text) - 1) < 0)
		abort();
	printf("%ld\n", ended - atol(strchr(text, ' ')));
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		measure(argv);
		return 0;
	}
	use_memory();
	leave(!strcmp(argv[1], "exit"));
}
END
gcc -O1 -g -o leaves leaves.c
end=$(./leaves)

for MECHANISM in int3 auto; do
	for HOW in _exit exit; do
		try perftool -q -n -e "set mechanism $MECHANISM" \
			-e 'profile functions leave main' -e 'set format json' \
			-e run -e 'print functions > functions' ./leaves "$HOW"
		is "$status" 0 "$MECHANISM, $HOW: the program ends"
		is "$(/usr/bin/python3 - "${out%% *}" "$end" <<-'END'
			import json, sys

			# On a busy machine the thread may wait for a CPU.
			rows = {row["function"]: row
			        for row in json.load(open("functions"))["functions"]}
			leave = rows["leave"]
			took = leave["cpu_ns"]
			if took is None:
			    took = leave["self_ns"]
			own, end = map(int, sys.argv[1:])
			print(leave["calls"], leave["unreturned"],
			      took < own + end / 2,
			      rows["main"]["unreturned"])
		END
		)" '1 1 True 1' \
			"$MECHANISM, $HOW: its time does not contain the end of the process"
	done
done

# A child of vfork() that ends by _exit() has the memory of its parent, whose
# calls go on.
cat >vforks.c <<'END'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void child(void)
{
	_exit(3);
}

__attribute__((noinline)) int spawn(void)
{
	int status = 0;
	pid_t pid = vfork();

	if (pid == 0)
		child();
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 20; i++)
		sum += spawn();
	printf("%d\n", sum);
	return 0;
}
END
gcc -O1 -g -o vforks vforks.c
for MECHANISM in int3 auto; do
	try perftool -q -n -e "set mechanism $MECHANISM" \
		-e 'profile functions spawn main' -e 'set format json' \
		-e run -e 'print functions > functions' ./vforks
	is "$status $out" '0 60' "$MECHANISM: vfork: the program computes the same"
	is "$(/usr/bin/python3 -c '
import json
rows = {row["function"]: row
        for row in json.load(open("functions"))["functions"]}
print(rows["spawn"]["calls"], rows["spawn"]["unreturned"],
      rows["main"]["calls"], rows["main"]["unreturned"])')" '20 0 1 0' \
		"$MECHANISM: vfork: the parent's calls return"
done

# ---- signals ------------------------------------------------------------------

# Each child waits, and works for a time in which the tool may not look at it, when a
# signal ends it. The program prints for how long the children have worked, and what all
# children together have used of the CPUs, in ns.
cat >dies.c <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHILDREN 16
#define WORKS 3000000L

static long used(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * 1000000000 + time.tv_nsec;
}

__attribute__((noinline)) void die(int signal)
{
	const struct timespec pause = {.tv_nsec = 12000000};

	nanosleep(&pause, NULL);
	for (long from = used(); used() - from < WORKS;)
		;
	if (signal == SIGSEGV)
		*(volatile int *)8 = 1;
	raise(signal);
}

int main(int argc, char **argv)
{
	struct rusage all;

	(void)argc;
	for (int i = 0; i < CHILDREN; i++) {
		if (fork() == 0)
			die(atoi(argv[1]));
		wait(NULL);
	}
	getrusage(RUSAGE_CHILDREN, &all);
	printf("%ld %ld\n", CHILDREN * WORKS,
	       (all.ru_utime.tv_sec + all.ru_stime.tv_sec) * 1000000000 +
		       (all.ru_utime.tv_usec + all.ru_stime.tv_usec) * 1000);
	return 0;
}
END
gcc -O1 -g -o dies dies.c
ulimit -c 0
for MECHANISM in int3 auto; do
	for SIGNAL in SEGV ABRT KILL; do
		try perftool -q -n -e "set mechanism $MECHANISM" \
			-e 'profile functions die' -e 'set format json' \
			-e run -e 'print functions > functions' ./dies "$(kill -l "$SIGNAL")"
		read -r worked used <<<"$out"
		# (Where there are no records of switches, the times are not known.)
		is "$(/usr/bin/python3 - "$worked" "$used" <<-'END'
			import json, sys

			row, = json.load(open("functions"))["functions"]
			worked, used = map(int, sys.argv[1:])
			took = row["cpu_ns"]
			good = took is None or worked * 0.98 <= took <= used
			print(row["calls"], row["unreturned"], good or (worked, took, used))
		END
		)" '16 16 True' \
			"$MECHANISM, SIG$SIGNAL: the time on the CPU lasts until the process ends"
	done
done
done_testing
