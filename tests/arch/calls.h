/*
 * calls.h - system calls at known places, and what a tracer needs to treat a
 * thread that waits in one
 *
 * Included by one test program, after cmocka's header; it holds its code.
 */
#ifndef TESTS_ARCH_CALLS_H
#define TESTS_ARCH_CALLS_H

#include <fcntl.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <unistd.h>

/* ---- the program ----------------------------------------------------------
 */

struct call {
	uint64_t rax, rdi, rsi, rdx, r10, r8, r9; /* rax: the result, too */
	uint64_t rcx;                             /* after it */
};

void make_call(struct call *call);
void make_call_32(struct call *call);

extern const uint8_t call_site[], call_32_site[], time_site[];

/* In a child, which may run on its parent's stack, all ends at once: with 7
 * when rcx is right, else 8. */
__asm__(".text\n"
	".macro	load_call\n"
	"	push	%rbx\n"
	"	mov	%rdi, %rbx\n"
	"	mov	(%rbx), %rax\n"
	"	mov	16(%rbx), %rsi\n"
	"	mov	24(%rbx), %rdx\n"
	"	mov	32(%rbx), %r10\n"
	"	mov	40(%rbx), %r8\n"
	"	mov	48(%rbx), %r9\n"
	"	mov	8(%rbx), %rdi\n"
	".endm\n"
	".globl	make_call, call_site\n"
	"make_call:\n"
	"	load_call\n"
	"	cmpq	$0, 56(%rbx)\n"
	"call_site:\n"
	"	syscall\n"
	"	je	1f\n" /* flags are kept by a system call */
	"	test	%rax, %rax\n"
	"	jz	2f\n"
	"1:	mov	%rax, (%rbx)\n"
	"	mov	%rcx, 56(%rbx)\n"
	"	pop	%rbx\n"
	"	ret\n"
	"2:	lea	call_site+2(%rip), %rax\n"
	"	mov	$8, %edi\n"
	"	cmp	%rax, %rcx\n"
	"	jne	3f\n"
	"	mov	$7, %edi\n"
	"3:	mov	$60, %eax\n" /* exit */
	"	syscall\n"

	/* the same by int 0x80, whose arguments are elsewhere */
	".globl	make_call_32, call_32_site\n"
	"make_call_32:\n"
	"	push	%rbx\n"
	"	push	%rdi\n"
	"	mov	(%rdi), %rax\n"
	"	mov	8(%rdi), %rbx\n"
	"	mov	16(%rdi), %rcx\n"
	"	mov	24(%rdi), %rdx\n"
	"call_32_site:\n"
	"	int	$0x80\n"
	"	pop	%rdi\n"
	"	mov	%rax, (%rdi)\n"
	"	mov	%rcx, 56(%rdi)\n"
	"	pop	%rbx\n"
	"	ret\n"

	/* time() as old programs have it, by a fixed address of the kernel's */
	".globl	call_time, time_site\n"
	"call_time:\n"
	"	push	%rbx\n"
	"	xor	%edi, %edi\n"
	"	mov	$0xffffffffff600400, %rax\n"
	"time_site:\n"
	"	call	*%rax\n"
	"	pop	%rbx\n"
	"	ret\n");

long call_time(void);

/* ---- the tracer -----------------------------------------------------------
 */

static inline void write_memory(pid_t pid, uint64_t address, const void *bytes,
				size_t size)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, size, (off_t)address), size);
	close(fd);
}

static inline uint8_t read_byte(pid_t pid, uint64_t address)
{
	char path[32];
	uint8_t byte;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &byte, 1, (off_t)address), 1);
	close(fd);
	return byte;
}

static inline void get_regs(pid_t pid, struct user_regs_struct *regs)
{
	assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, regs), 0);
}

static inline void set_regs(pid_t pid, const struct user_regs_struct *regs)
{
	assert_int_equal(ptrace(PTRACE_SETREGS, pid, NULL, regs), 0);
}

#endif
