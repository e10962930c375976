/*
 * tracer.h - a tracee that calls hit(), and a tracer on the same CPU
 *
 * The tracee is a fork of the tracer, so that addresses are the same in both.
 */
#ifndef BENCH_TRACER_H
#define BENCH_TRACER_H

#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#include "hits.h"

#define INT3 0xcc

/* Where the tracee leaves what it measured. */
static double *shared_result;

static inline void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* Fork the tracee; returns its pid, when it is stopped before its first call
 * of hit(). */
static inline pid_t start_tracee(unsigned long count)
{
	cpu_set_t one;
	int status;
	pid_t pid;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	shared_result = mmap(NULL, sizeof(double), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared_result == MAP_FAILED)
		fail("mmap");
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		time_hits(count / 10 + 1);
		*shared_result = time_hits(count);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		fail("the tracee did not stop");
	return pid;
}

/* Replace the byte at an address; returns what was there. */
static inline unsigned char poke_byte(pid_t pid, const void *address,
				      unsigned char byte)
{
	long word = ptrace(PTRACE_PEEKTEXT, pid, address, 0);
	unsigned char old = (unsigned char)word;

	word = (word & ~0xffL) | byte;
	if (ptrace(PTRACE_POKETEXT, pid, address, word))
		fail("PTRACE_POKETEXT");
	return old;
}

static inline unsigned long get_pc(pid_t pid)
{
	return (unsigned long)ptrace(PTRACE_PEEKUSER, pid,
				     offsetof(struct user_regs_struct, rip), 0);
}

static inline void set_pc(pid_t pid, const void *pc)
{
	if (ptrace(PTRACE_POKEUSER, pid, offsetof(struct user_regs_struct, rip),
		   pc))
		fail("PTRACE_POKEUSER");
}

#endif
