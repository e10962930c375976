/*
 * rights.c - rights that come with a program's file, and that a traced process
 * does not get
 *
 * execve(2): the set-user-ID and set-group-ID bits and the file's capabilities
 * are not honoured while the process is traced by one without CAP_SYS_PTRACE.
 * Whether they were is seen by the process's own rights, before its first
 * instruction.
 */
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "internal.h"

/* A hexadecimal line; 0: not known. */
static uint64_t capabilities(pid_t pid, const char *field)
{
	char text[32];

	if (!process_status(pid, field, text, sizeof(text)))
		return 0;
	return strtoull(text, NULL, 16);
}

static bool has_effective(pid_t pid, const char *field, unsigned id)
{
	char text[64];
	unsigned effective;

	return process_status(pid, field, text, sizeof(text)) &&
	       sscanf(text, "%*u %u", &effective) == 1 && effective == id;
}

static bool is_past_gaining(pid_t pid)
{
	char text[16];

	return process_status(pid, "NoNewPrivs", text, sizeof(text)) &&
	       strtoul(text, NULL, 10) != 0;
}

/* What the file permits; see capabilities(7). */
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

/* What its file should have given to the process, and did not; NULL: nothing */
static const char *lost_right(pid_t pid, const char *path)
{
	struct statvfs mount;
	struct stat file;
	uint64_t wanted;

	if (stat(path, &file) != 0 || statvfs(path, &mount) != 0 ||
	    mount.f_flag & ST_NOSUID || is_past_gaining(pid))
		return NULL;
	if (file.st_mode & S_ISUID && !has_effective(pid, "Uid", file.st_uid))
		return "is set-user-ID";
	if (file.st_mode & S_ISGID && file.st_mode & S_IXGRP &&
	    !has_effective(pid, "Gid", file.st_gid))
		return "is set-group-ID";
	wanted = file_capabilities(path) & capabilities(pid, "CapBnd");
	if (wanted & ~capabilities(pid, "CapPrm"))
		return "has file capabilities";
	return NULL;
}

void note_lost_rights(struct session *session, pid_t pid)
{
	const struct followed *followed = find_followed(session, pid);
	char path[64], name[4096];
	const char *what;
	ssize_t length;
	bool avoidable;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	what = lost_right(pid, path);
	length = what ? readlink(path, name, sizeof(name)) : -1;
	if (length < 0)
		return;
	/* one that borrows its parent's memory is let go later than that */
	avoidable = followed && followed->process != session->process &&
		    !followed->borrowed && session->follow_fork;
	session_note(session,
		     "process %d executes %.*s, which %s: traced, it runs "
		     "without those rights (%s)",
		     pid, (int)length, name, what,
		     avoidable ? "set follow fork off"
			       : "measured by root, it would have them");
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
			    "%s is set-user-ID: measured by you it would not "
			    "get the rights of its owner; as root it does",
			    path);
}
