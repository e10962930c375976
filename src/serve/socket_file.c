/*
 * socket_file.c - see socket_file.h
 */
#include "socket_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "perftool/base/alloc.h"

enum { BACKLOG = 128 };

void socket_folder(struct str *out)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (runtime && *runtime == '/')
		str_printf(out, "%s/perftool", runtime);
	else
		str_printf(out, "/tmp/perftool-%u", (unsigned)geteuid());
}

void socket_path(pid_t pid, struct str *out)
{
	socket_folder(out);
	str_printf(out, "/%d.sock", (int)pid);
}

static struct error *check_folder(const char *path)
{
	struct stat status;

	if (lstat(path, &status) != 0)
		return error_system(errno, "cannot use %s", path);
	if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
	    (status.st_mode & 077))
		return error_create(ERROR_OTHER,
				    "cannot use %s: it must be a folder of "
				    "yours that others may not enter (chmod "
				    "700); --socket PATH names another socket",
				    path);
	return NULL;
}

struct error *socket_make_folder(void)
{
	CLEANUP(str_deinit) struct str path = {0};

	socket_folder(&path);
	if (mkdir(str_text(&path), 0700) != 0 && errno != EEXIST)
		return error_system(errno,
				    "cannot make the folder %s for the socket",
				    str_text(&path));
	return check_folder(str_text(&path));
}

static struct error *make_address(const char *path, struct sockaddr_un *out)
{
	*out = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof(out->sun_path))
		return error_create(ERROR_USAGE,
				    "the path of the socket is too long: %s "
				    "(at most %zu bytes)",
				    path, sizeof(out->sun_path) - 1);
	strcpy(out->sun_path, path);
	return NULL;
}

static int open_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

struct error *socket_connect(const char *path, int *fd)
{
	struct sockaddr_un address;
	int file, number;

	TRY(make_address(path, &address));
	file = open_socket();
	if (file < 0)
		return error_system(errno, "cannot make a socket");
	if (connect(file, (struct sockaddr *)&address, sizeof(address)) == 0) {
		*fd = file;
		return NULL;
	}
	number = errno;
	close(file);
	if (number == ECONNREFUSED || number == ENOENT)
		return error_create(ERROR_GONE, "nobody serves at %s", path);
	return error_system(number, "cannot connect to %s", path);
}

/* Removes the socket file if nobody listens. Returns an error if somebody
 * does, or if the file is no socket. */
static struct error *remove_stale(const char *path)
{
	struct stat status;
	struct error *error;
	int fd;

	if (lstat(path, &status) != 0)
		return NULL;
	if (!S_ISSOCK(status.st_mode))
		return error_create(ERROR_OTHER,
				    "cannot make the socket %s: there is a "
				    "file of that name that is no socket",
				    path);
	error = socket_connect(path, &fd);
	if (!error) {
		close(fd);
		return error_create(ERROR_OTHER,
				    "another perftool serves at %s", path);
	}
	if (error_code(error) != ERROR_GONE)
		return error;
	error_destroy(error);
	unlink(path);
	return NULL;
}

struct error *socket_listen(const char *path, int *fd)
{
	struct sockaddr_un address;
	mode_t mask;
	int file, result;

	TRY(make_address(path, &address));
	TRY(remove_stale(path));
	file = open_socket();
	if (file < 0)
		return error_system(errno, "cannot make a socket");
	/* bind(2) gives the file the rights that the mask leaves. A chmod(2)
	 * after it would leave a moment in which others may connect. */
	mask = umask(0177);
	result = bind(file, (struct sockaddr *)&address, sizeof(address));
	umask(mask);
	if (result == 0)
		result = listen(file, BACKLOG);
	if (result != 0) {
		struct error *error =
			error_system(errno, "cannot make the socket %s", path);

		close(file);
		return error;
	}
	*fd = file;
	return NULL;
}

bool socket_is_allowed(int fd)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
	       (peer.uid == geteuid() || peer.uid == 0);
}
