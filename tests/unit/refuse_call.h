/*
 * refuse_call.h - the kernel refuses a system call to this process, as an older
 * kernel does or a filter of a container
 */
#ifndef TESTS_REFUSE_CALL_H
#define TESTS_REFUSE_CALL_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

/* From now on the system call of this number fails with this errno value. That
 * cannot be undone. */
static inline void refuse_call(unsigned number, unsigned failure)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | failure),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {.len = 4, .filter = filter};

	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program),
			 0);
}

#endif
