/*
 * refusal.c - finds out why the tool cannot attach to a process
 *
 * The tool reports a reason that is certain before it tries to attach. The
 * kernel decides whether the tool has the permission (ptrace(2), "Ptrace access
 * mode checking"). So the tool searches for the most likely reason of a missing
 * permission only after the kernel has refused.
 */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach.h"
#include "perftool/target/process_status.h"
#include "target/proc/proc.h"
#include "target/target_state.h"

#define LABEL 96

static bool has_capability(uint64_t set, unsigned capability)
{
	return set >> capability & 1;
}

/* Find a process that has the pid `pid` in its own pid namespace, which is not
 * the namespace of /proc. */
static pid_t find_in_namespaces(pid_t pid)
{
	struct proc_status status;
	struct dirent *entry;
	pid_t found = 0;
	DIR *directory = opendir("/proc");

	if (!directory)
		return 0;
	while (!found && (entry = readdir(directory))) {
		pid_t outer = (pid_t)strtol(entry->d_name, NULL, 10);

		if (outer > 0 && proc_status(outer, outer, &status) &&
		    status.depth > 1 && status.inner == pid)
			found = outer;
	}
	closedir(directory);
	return found;
}

/* The user may have seen the pid inside a container; outside, the process has
 * another pid. Add this pid to the error. */
static struct error *with_namesake(struct error *error, pid_t pid)
{
	struct error *whole;
	char label[LABEL];
	pid_t outer;

	if (!error || pid <= 0)
		return error;
	outer = find_in_namespaces(pid);
	if (!outer || outer == pid)
		return error;
	whole = error_create(
		error_code(error),
		"%s; process %s has the number %d in its container: use -p %d",
		error_message(error), proc_label(outer, label, LABEL), pid,
		outer);
	error_destroy(error);
	return whole;
}

static struct error *missing(pid_t pid)
{
	if (pid > 0 && (kill(pid, 0) == 0 || errno == EPERM))
		return error_create(ERROR_NOT_FOUND,
				    "process %d is hidden by /proc (mount "
				    "option hidepid)",
				    pid);
	return error_create(ERROR_NOT_FOUND, "process %d does not exist", pid);
}

bool is_32_bit(const char *path)
{
	unsigned char ident[EI_NIDENT] = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is_so;

	if (fd < 0)
		/* the tool cannot read the file, so the answer is not known */
		return false;
	is_so = read(fd, ident, sizeof(ident)) == sizeof(ident) &&
		memcmp(ident, ELFMAG, SELFMAG) == 0 &&
		ident[EI_CLASS] == ELFCLASS32;
	close(fd);
	return is_so;
}

bool target_is_32_bit(pid_t pid)
{
	char path[64];

	proc_path(pid, "exe", path, sizeof(path));
	return is_32_bit(path);
}

static struct error *traced(pid_t pid, pid_t tid, pid_t tracer)
{
	char label[LABEL], tracer_label[LABEL];

	proc_label(pid, label, LABEL);
	if (tracer == gettid())
		return error_create(ERROR_OTHER,
				    "process %s is being measured already",
				    label);
	if (!tracer)
		return error_create(ERROR_OTHER,
				    "process %s is traced by a process that "
				    "perftool cannot see",
				    label);
	proc_label(tracer, tracer_label, LABEL);
	if (tid != pid)
		return error_create(ERROR_OTHER,
				    "thread %d of process %s is traced by "
				    "process %s",
				    tid, label, tracer_label);
	return error_create(ERROR_OTHER, "process %s is traced by process %s",
			    label, tracer_label);
}

static struct error *zombie(pid_t pid, pid_t parent)
{
	char label[LABEL], parent_label[LABEL];

	return error_create(ERROR_GONE,
			    "process %s has ended; it is a zombie that its "
			    "parent, process %s, has not waited for",
			    proc_label(pid, label, LABEL),
			    proc_label(parent, parent_label, LABEL));
}

static struct error *check_process(pid_t pid)
{
	struct proc_status status;
	struct proc_stat stat;
	char label[LABEL];

	if (pid <= 0)
		return missing(pid);
	if (!proc_status(pid, pid, &status))
		return errno == ENOENT || errno == ESRCH
			       ? missing(pid)
			       : error_system(errno, "/proc/%d/status", pid);
	proc_label(status.pid, label, LABEL);
	if (status.pid != pid)
		return error_create(ERROR_OTHER,
				    "%d is a thread of process %s: use -p %d",
				    pid, label, status.pid);
	if (pid == getpid())
		return error_create(ERROR_OTHER,
				    "process %s cannot measure itself: another "
				    "process must attach to it",
				    label);
	if (proc_stat(pid, pid, &stat) && stat.flags & PROC_KERNEL_THREAD)
		return error_create(ERROR_OTHER,
				    "process %s is a thread of the kernel",
				    label);
	/* If another thread calls exec, it gets the number of the first thread,
	 * whose end may be what the tool has seen. So look once more. */
	if (proc_is_zombie(&status) &&
	    (!proc_status(pid, pid, &status) || proc_is_zombie(&status)))
		return zombie(pid, status.parent);
	if (status.tracer)
		return traced(pid, pid, status.tracer);
	if (target_is_32_bit(pid))
		return error_create(ERROR_OTHER,
				    "process %s is a 32-bit program: only "
				    "64-bit ones can be measured",
				    label);
	return NULL;
}

/* The tool executes some system calls in the process, and a frozen process
 * executes nothing. */
static struct error *check_frozen(pid_t pid)
{
	char label[LABEL], cgroup[PATH_MAX];

	if (!proc_is_frozen(pid, cgroup, sizeof(cgroup)))
		return NULL;
	return error_create(ERROR_OTHER,
			    "process %s is frozen with its cgroup %s: thaw it "
			    "first (systemctl thaw, docker unpause, or the "
			    "cgroup's file cgroup.freeze or freezer.state)",
			    proc_label(pid, label, LABEL), cgroup);
}

struct error *target_check_attach(pid_t pid)
{
	TRY(with_namesake(check_process(pid), pid));
	return check_frozen(pid);
}

static bool same_user(const struct proc_status *own,
		      const struct proc_status *other)
{
	for (int i = 0; i < 3; i++)
		if (other->uid[i] != own->uid[0] ||
		    other->gid[i] != own->gid[0])
			return false;
	return true;
}

static struct error *other_user(const char *label,
				const struct proc_status *status)
{
	const struct passwd *user = getpwuid(status->uid[1]);
	char name[64] = "";

	if (user)
		snprintf(name, sizeof(name), " (%s)", user->pw_name);
	if (status->uid[0] != status->uid[1] ||
	    status->uid[1] != status->uid[2] ||
	    status->gid[0] != status->gid[1] ||
	    status->gid[1] != status->gid[2])
		return error_create(ERROR_OTHER,
				    "process %s has changed its user or group "
				    "(set-user-ID); only root (CAP_SYS_PTRACE) "
				    "may trace it",
				    label);
	return error_create(ERROR_OTHER,
			    "process %s belongs to user %u%s; only that user "
			    "and root (CAP_SYS_PTRACE) may trace it",
			    label, status->uid[1], name);
}

/* Is the process dumpable? If it is not, the files in /proc/PID belong to root,
 * but the directory itself does not. */
static bool is_dumpable(pid_t pid, const struct proc_status *status)
{
	struct stat file;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	return stat(path, &file) < 0 || file.st_uid == status->uid[1];
}

static int ptrace_scope(void)
{
	FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%d", &scope) != 1)
		scope = 0;
	fclose(file);
	return scope;
}

#define SCOPE "/proc/sys/kernel/yama/ptrace_scope"

static struct error *not_in_scope(const char *label, int scope, bool privileged)
{
	if (scope >= 3)
		return error_create(ERROR_OTHER,
				    "the kernel lets perftool trace no process "
				    "until the next boot: " SCOPE " is %d",
				    scope);
	if (scope == 2 && !privileged)
		return error_create(ERROR_OTHER,
				    "only root may trace process %s: " SCOPE
				    " is 2",
				    label);
	if (scope == 1 && !privileged)
		return error_create(
			ERROR_OTHER,
			"process %s was not started by perftool, and " SCOPE
			" is 1: run perftool as root, or have root write 0 to "
			"that file",
			label);
	return NULL;
}

static struct error *find_reason(pid_t pid, pid_t tid, int errno_value)
{
	struct proc_status status, own;
	struct error *error;
	char label[LABEL];
	bool privileged;

	error = check_process(pid);
	if (error)
		return error;
	proc_label(pid, label, LABEL);
	if (!proc_status(0, 0, &own) || !proc_status(pid, tid, &status))
		return error_create(ERROR_GONE, "process %s is gone", label);
	if (status.tracer)
		return traced(pid, tid, status.tracer);
	privileged = has_capability(own.effective, CAP_SYS_PTRACE);
	if (!privileged && !same_user(&own, &status))
		return other_user(label, &status);
	if (!privileged && !is_dumpable(pid, &status))
		return error_create(ERROR_OTHER,
				    "process %s is not dumpable (PR_SET_"
				    "DUMPABLE); only root (CAP_SYS_PTRACE) may "
				    "trace it",
				    label);
	if (!privileged && status.permitted & ~own.permitted)
		return error_create(
			ERROR_OTHER,
			"process %s has capabilities that you do not have; "
			"only root (CAP_SYS_PTRACE) may trace it",
			label);
	error = not_in_scope(label, ptrace_scope(), privileged);
	if (error)
		return error;
	if (own.seccomp)
		return error_create(ERROR_OTHER,
				    "process %s cannot be traced: probably the "
				    "container perftool runs in forbids it "
				    "(seccomp)",
				    label);
	return error_system(errno_value,
			    "process %s cannot be traced, and /proc does not "
			    "show why (a security module?)",
			    label);
}

struct error *explain_refusal(pid_t pid, pid_t tid, int errno_value)
{
	return with_namesake(find_reason(pid, tid, errno_value), pid);
}
