/*
 * socket_file.c - see socket_file.h
 */
#include "socket_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "perftool/base/alloc.h"

enum { BACKLOG = 128 };

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

/* Connects to the socket. Returns 0 or the number of the error: ECONNREFUSED if
 * nobody listens, EAGAIN if the server is busy and `flags` has SOCK_NONBLOCK.
 */
static int connect_to(const struct sockaddr_un *address, int flags, int *fd)
{
	int number = 0;

	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
	if (*fd < 0)
		return errno;
	if (connect(*fd, (const struct sockaddr *)address, sizeof(*address)) !=
	    0) {
		number = errno;
		close(*fd);
	}
	return number;
}

struct error *socket_connect(const char *path, int *fd)
{
	struct sockaddr_un address;
	int number;

	TRY(make_address(path, &address));
	number = connect_to(&address, 0, fd);
	if (number == ECONNREFUSED || number == ENOENT)
		return error_create(ERROR_GONE, "nobody serves at %s", path);
	return number ? error_system(number, "cannot connect to %s", path)
		      : NULL;
}

/* Waits for the lock on the folder of the path, under which socket files appear
 * and are removed. Where other users may open the folder, and could keep the
 * lock, the function does not wait. Returns a descriptor that the caller
 * closes, or -1 if the folder cannot be opened. */
static int lock_folder(const char *path)
{
	const char *end = strrchr(path, '/');
	CLEANUP(free_pointer)
	char *folder =
		end ? xstrndup(path, (size_t)(end - path) + 1) : xstrdup(".");
	int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int how = LOCK_EX;
	struct stat status;

	if (lock < 0 || fstat(lock, &status) != 0)
		return lock;
	if (status.st_uid != geteuid() || (status.st_mode & 077))
		how |= LOCK_NB;
	while (flock(lock, how) != 0 && errno == EINTR)
		continue;
	return lock;
}

static void unlock_folder(int lock)
{
	if (lock >= 0)
		close(lock);
}

/* Does a server listen there? Returns 0 or the number of the error, as
 * connect_to() does. */
static int try_connection(const struct sockaddr_un *address)
{
	int fd, number = connect_to(address, SOCK_NONBLOCK, &fd);

	if (!number)
		close(fd);
	return number;
}

void socket_remove_stale(const char *path)
{
	struct sockaddr_un address;
	struct error *error = make_address(path, &address);
	struct stat status;
	int lock;

	if (error) {
		error_destroy(error);
		return;
	}
	lock = lock_folder(path);
	/* connect(2) also refuses a file that is no socket. */
	if (lstat(path, &status) == 0 && S_ISSOCK(status.st_mode) &&
	    try_connection(&address) == ECONNREFUSED)
		unlink(path);
	unlock_folder(lock);
}

/* Removes the socket file of a server that has died. Returns an error if a
 * server listens there, or if there is another kind of file. */
static struct error *make_room(const struct sockaddr_un *address)
{
	const char *path = address->sun_path;
	struct stat status;
	int number;

	if (lstat(path, &status) != 0)
		return NULL;
	if (!S_ISSOCK(status.st_mode))
		return error_create(ERROR_OTHER,
				    "cannot make the socket %s: there is a "
				    "file of that name that is no socket",
				    path);
	number = try_connection(address);
	if (number == 0 || number == EAGAIN)
		return error_create(ERROR_OTHER,
				    "another perftool serves at %s", path);
	if (number != ECONNREFUSED)
		return error_system(number, "cannot connect to %s", path);
	unlink(path);
	return NULL;
}

/* Binds the socket to a new file, and listens. Returns 0 or the number of the
 * error. */
static int bind_and_listen(int fd, const struct sockaddr_un *address)
{
	/* bind(2) gives the file the rights that the mask leaves. A chmod(2)
	 * after it would leave a moment in which others may connect. */
	mode_t mask = umask(0177);
	int number = 0;

	if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) != 0)
		number = errno;
	umask(mask);
	if (!number && listen(fd, BACKLOG) != 0) {
		number = errno;
		unlink(address->sun_path);
	}
	return number;
}

/* Moves the socket file to its place, if no server listens there. */
static struct error *move_into_place(const struct sockaddr_un *from,
				     const struct sockaddr_un *to)
{
	int lock = lock_folder(to->sun_path);
	struct error *error = make_room(to);

	if (!error && rename(from->sun_path, to->sun_path) != 0)
		error = error_system(errno, "cannot make the socket %s",
				     to->sun_path);
	unlock_folder(lock);
	return error;
}

struct error *socket_listen(const char *path, int *fd)
{
	const char *name = strrchr(path, '/');
	CLEANUP(free_pointer)
	char *first = xasprintf("%.*s.%d", name ? (int)(name - path + 1) : 0,
				path, (int)getpid());
	struct sockaddr_un own, address;
	struct error *error;
	int number;

	TRY(make_address(path, &address));
	TRY(make_address(first, &own));
	/* A server that had the same PID may have died before its rename(). */
	TRY(make_room(&own));
	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd < 0)
		return error_system(errno, "cannot make a socket");
	number = bind_and_listen(*fd, &own);
	error = number ? error_system(number, "cannot make the socket %s", path)
		       : move_into_place(&own, &address);
	if (error && !number)
		unlink(first);
	if (error)
		close(*fd);
	return error;
}

bool socket_is_allowed(int fd)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
	       (peer.uid == geteuid() || peer.uid == 0);
}
