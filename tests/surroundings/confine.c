/*
 * confine.c - a program under a filter of system calls
 *
 * usage: confine perf|container COMMAND [ARG...]
 *
 * perf: perf_event_open(2) fails with EACCES. container: the calls that
 * containers forbid by default fail with EPERM.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const int perf[] = {SYS_perf_event_open};
static const int container[] = {
	SYS_perf_event_open,
	SYS_bpf,
	SYS_kcmp,
	SYS_mount,
	SYS_umount2,
	SYS_unshare,
	SYS_setns,
	SYS_pivot_root,
	SYS_personality,
	SYS_userfaultfd,
	SYS_add_key,
	SYS_keyctl,
	SYS_request_key,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_kexec_load,
	SYS_open_by_handle_at,
	SYS_move_pages,
	SYS_migrate_pages,
	SYS_mbind,
	SYS_set_mempolicy,
	SYS_get_mempolicy,
	SYS_quotactl,
	SYS_reboot,
	SYS_swapon,
	SYS_swapoff,
	SYS_syslog,
	SYS_acct,
	SYS_clock_settime,
	SYS_settimeofday,
	SYS_iopl,
	SYS_ioperm,
	SYS_fanotify_init,
	SYS_lookup_dcookie,
	SYS_vhangup,
};

static int install(const int *calls, size_t count, int errno_value)
{
	struct sock_filter filter[COUNT(container) * 2 + 2];
	struct sock_fprog program = {.filter = filter};
	size_t n = 0;

	filter[n++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < count; i++) {
		filter[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], 0, 1);
		filter[n++] = (struct sock_filter)BPF_STMT(
			BPF_RET | BPF_K,
			SECCOMP_RET_ERRNO | (unsigned)errno_value);
	}
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						   SECCOMP_RET_ALLOW);
	program.len = (unsigned short)n;
	/* root may, and set-user-ID programs keep their rights */
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
		return 0;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	int failed = 1;

	if (argc > 2 && strcmp(argv[1], "perf") == 0)
		failed = install(perf, COUNT(perf), EACCES);
	else if (argc > 2 && strcmp(argv[1], "container") == 0)
		failed = install(container, COUNT(container), EPERM);
	if (failed) {
		perror("confine");
		return 125;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
