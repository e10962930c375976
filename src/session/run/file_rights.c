/*
 * file_rights.c - rights that a program's file gives to a process (set-user-ID,
 * set-group-ID, capabilities), and that a traced process does not get
 *
 * execve(2): the kernel ignores the set-user-ID bit, the set-group-ID bit and
 * the capabilities of the file while the process is traced by a process without
 * CAP_SYS_PTRACE. The tool compares the rights that the process has before its
 * first instruction with the rights that the file gives.
 */
#include <linux/capability.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/command_line.h"
#include "perftool/target/process_status.h"
#include "run.h"

/* Returns the capabilities that the file permits, as a bit set; see
 * capabilities(7). */
static uint64_t file_capabilities(const char *path)
{
	struct vfs_ns_cap_data caps = {0};
	uint64_t high;
	ssize_t size =
		getxattr(path, "security.capability", &caps, sizeof(caps));

	if (size < (ssize_t)XATTR_CAPS_SZ_1)
		return 0;
	high = size < (ssize_t)XATTR_CAPS_SZ_2 ? 0 : caps.data[1].permitted;
	return high << 32 | caps.data[0].permitted;
}

/* Returns the right that the file should have given to the process, and that
 * the process does not have, as a part of a sentence. NULL: the process has
 * lost no right. */
static const char *lost_right(pid_t pid, const char *path)
{
	enum { EFFECTIVE = 1 };
	struct proc_status has;
	struct statvfs mount;
	struct stat file;

	if (stat(path, &file) != 0 || statvfs(path, &mount) != 0 ||
	    mount.f_flag & ST_NOSUID || !target_read_status(pid, &has) ||
	    has.no_new_privs)
		return NULL;
	if (file.st_mode & S_ISUID && has.uid[EFFECTIVE] != file.st_uid)
		return "is set-user-ID";
	if (file.st_mode & S_ISGID && file.st_mode & S_IXGRP &&
	    has.gid[EFFECTIVE] != file.st_gid)
		return "is set-group-ID";
	if (file_capabilities(path) & has.bounding & ~has.permitted)
		return "has file capabilities";
	return NULL;
}

void note_lost_rights(struct session *session, pid_t pid)
{
	const struct followed *followed = find_followed(session, pid);
	CLEANUP(free_pointer) char *name = NULL;
	const char *what;
	char path[64];
	bool avoidable;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	what = lost_right(pid, path);
	name = what ? target_program_name(pid) : NULL;
	if (!name)
		return;
	/* If the user turned `follow fork` off, the tool would let a child go
	 * before the child executes the file, and the child would have its
	 * rights. A child that borrows its parent's memory (vfork) is let go
	 * only later, so the advice would not help for such a child. */
	avoidable = followed && followed->process != session->process &&
		    !followed->borrowed && session->follow_fork;
	session_note(session,
		     "process %d executes %s, which %s: it runs without these "
		     "rights, because perftool traces it (%s)",
		     pid, name, what,
		     avoidable ? "`set follow fork off' lets it have them"
			       : "it has them if root runs perftool");
}

struct error *check_rights(const char *path)
{
	struct stat file;

	if (geteuid() == 0 || stat(path, &file) != 0)
		return NULL;
	if (!((file.st_mode & S_ISUID) && file.st_uid != geteuid()) &&
	    !((file.st_mode & S_ISGID) && file.st_gid != getegid()))
		return NULL;
	return error_create(ERROR_OTHER,
			    "%s was not started: it is set-user-ID or "
			    "set-group-ID, and gets the rights of its owner or "
			    "group only if root runs perftool",
			    path);
}
