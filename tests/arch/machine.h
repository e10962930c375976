/*
 * machine.h - one instruction at a time, executed by a traced child
 *
 * Included by one test program; it holds its code. The child is a fork that
 * never runs its own code again: for each run its registers are set, it is
 * continued, and what stopped it is looked at. Arena and code are shared with
 * it, at the same addresses, all below 2 GiB so that every kind of address
 * (rip-relative, absolute 32-bit, 32-bit registers) can be aimed at the arena.
 * Code memory is filled with int3: whatever is executed ends in one.
 */
#ifndef TESTS_ARCH_MACHINE_H
#define TESTS_ARCH_MACHINE_H

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perftool/arch.h"

#define ARENA 0x30000000UL
#define ARENA_SIZE 0x10000UL
#define CODE 0x40000000UL
#define CODE_SIZE 0x6000UL
#define FAR_CODE 0x500000000000UL /* beyond the reach of 32 bits */
#define FAR_SIZE 0x1000UL
#define SITE (CODE + 0x800)
#define LANDING (CODE + 0x1800)
#define NEAR_SLOT (CODE + 0x3000)
#define FAR_SLOT (FAR_CODE + 0x800)
#define UNMAPPED (ARENA + 0x100000UL)
#define NOT_CANONICAL 0x8000000000000000UL

/* Large enough for all state components up to AMX. */
#define XSAVE_SIZE 16384
#define XSAVE_X87_IP 8 /* the address of the last x87 instruction */
#define XSAVE_MXCSR 24
#define XSAVE_X87 32       /* 8 registers, 16 bytes apart, */
#define XSAVE_X87_BYTES 10 /* of this size; the rest is reserved */
#define XSAVE_SSE 160
#define XSAVE_HEADER 512   /* its first word: the components present */
#define XSAVE_EXTENDED 576 /* the components beyond x87 and SSE */
#define XSAVE_XCR0 464     /* ptrace tells the enabled components here */

/* What there is before a run. The arena's contents come with it. */
struct machine_state {
	struct user_regs_struct regs;
	uint8_t xsave[XSAVE_SIZE];
	uint8_t arena[ARENA_SIZE];
};

/* What there is after it. */
struct machine_end {
	struct user_regs_struct regs;
	siginfo_t signal;
	uint8_t xsave[XSAVE_SIZE];
	uint8_t arena[ARENA_SIZE];
};

struct machine {
	pid_t child;
	size_t xsave_size;
	uint64_t components; /* of the vector state: offered and known here */
	uint8_t template[XSAVE_SIZE];
	size_t runs;
};

static void machine_must(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "# %s: %s\n", what, strerror(errno));
	abort();
}

static void machine_map(uint64_t address, size_t size)
{
	void *wanted = (void *)address; /* NOLINT: chosen above */
	void *got =
		mmap(wanted, size, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	machine_must(got == wanted, "mmap");
}

/* Memory shared with the child, by its address there and here. */
static uint8_t *machine_memory(uint64_t address)
{
	return (uint8_t *)address; /* NOLINT: mapped by machine_map() */
}

static int machine_wait(struct machine *machine)
{
	int status;

	machine_must(waitpid(machine->child, &status, 0) == machine->child,
		     "waitpid");
	if (!WIFSTOPPED(status)) {
		fprintf(stderr, "# the child ended: status %x\n",
			(unsigned)status);
		abort();
	}
	return WSTOPSIG(status);
}

static void machine_get_xsave(struct machine *machine, uint8_t *xsave)
{
	struct iovec iov = {xsave, XSAVE_SIZE};

	machine_must(
		!ptrace(PTRACE_GETREGSET, machine->child, NT_X86_XSTATE, &iov),
		"PTRACE_GETREGSET");
	machine->xsave_size = iov.iov_len;
}

static void machine_child(void)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) ||
	    mprotect(machine_memory(CODE), CODE_SIZE, PROT_READ | PROT_EXEC) ||
	    mprotect(machine_memory(FAR_CODE), FAR_SIZE, PROT_READ | PROT_EXEC))
		_exit(1);
	raise(SIGSTOP);
	_exit(1);
}

/* x87, SSE, AVX and the three of AVX-512; the rest stays as it is. */
#define VECTOR_COMPONENTS 0xe7UL

static void machine_init(struct machine *machine)
{
	cpu_set_t one;
	int cpu = sched_getcpu();

	*machine = (struct machine){0};
	/* on one CPU a stop costs a tenth, and cpuid is always the same */
	CPU_ZERO(&one);
	CPU_SET(cpu < 0 ? 0 : (size_t)cpu, &one);
	machine_must(!sched_setaffinity(0, sizeof(one), &one), "affinity");

	machine_map(ARENA, ARENA_SIZE);
	machine_map(CODE, CODE_SIZE);
	machine_map(FAR_CODE, FAR_SIZE);
	memset(machine_memory(CODE), 0xcc, CODE_SIZE);
	memset(machine_memory(FAR_CODE), 0xcc, FAR_SIZE);
	machine->child = fork();
	machine_must(machine->child >= 0, "fork");
	if (machine->child == 0)
		machine_child();
	machine_must(machine_wait(machine) == SIGSTOP, "the child's stop");
	machine_must(!ptrace(PTRACE_SETOPTIONS, machine->child, NULL,
			     PTRACE_O_EXITKILL),
		     "PTRACE_SETOPTIONS");
	machine_get_xsave(machine, machine->template);
	memcpy(&machine->components, machine->template + XSAVE_XCR0,
	       sizeof(machine->components));
	machine->components &= VECTOR_COMPONENTS;
}

static void machine_deinit(struct machine *machine)
{
	kill(machine->child, SIGKILL);
	waitpid(machine->child, NULL, 0);
	munmap(machine_memory(ARENA), ARENA_SIZE);
	munmap(machine_memory(CODE), CODE_SIZE);
	munmap(machine_memory(FAR_CODE), FAR_SIZE);
}

static void machine_get_regs(struct machine *machine,
			     struct user_regs_struct *regs)
{
	machine_must(!ptrace(PTRACE_GETREGS, machine->child, NULL, regs),
		     "PTRACE_GETREGS");
}

/* Let the child run from `regs` to its next signal. */
static void machine_continue(struct machine *machine,
			     const struct user_regs_struct *regs)
{
	machine_must(!ptrace(PTRACE_SETREGS, machine->child, NULL, regs),
		     "PTRACE_SETREGS");
	machine_must(!ptrace(PTRACE_CONT, machine->child, NULL, NULL),
		     "PTRACE_CONT");
	machine_wait(machine);
	machine->runs++;
}

/* Set everything but the code and run from `pc` to the next signal. */
static void machine_start(struct machine *machine,
			  const struct machine_state *state, uint64_t pc)
{
	struct user_regs_struct regs = state->regs;
	struct iovec iov = {(void *)state->xsave, machine->xsave_size};

	memcpy(machine_memory(ARENA), state->arena, ARENA_SIZE);
	machine_must(
		!ptrace(PTRACE_SETREGSET, machine->child, NT_X86_XSTATE, &iov),
		"PTRACE_SETREGSET");
	regs.rip = pc;
	machine_continue(machine, &regs);
}

static void machine_finish(struct machine *machine, struct machine_end *end)
{
	machine_get_regs(machine, &end->regs);
	machine_get_xsave(machine, end->xsave);
	machine_must(
		!ptrace(PTRACE_GETSIGINFO, machine->child, NULL, &end->signal),
		"PTRACE_GETSIGINFO");
	memcpy(end->arena, machine_memory(ARENA), ARENA_SIZE);
}

#endif
