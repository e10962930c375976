/*
 * socket_file.h - where the sockets of servers are, and who may use them
 *
 * The usual folder is $XDG_RUNTIME_DIR/perftool, or /tmp/perftool-UID. Only its
 * owner may enter it. A socket is named PID.sock after the measured program.
 */
#ifndef SERVE_SOCKET_FILE_H
#define SERVE_SOCKET_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"

/* Appends the path of the folder. */
void socket_folder(struct str *out);
/* Appends the path of the socket for a process. */
void socket_path(pid_t pid, struct str *out);

/* Checks that the usual folder belongs to this user, that others may not enter
 * it, and that no other user can replace it: each folder above it belongs to
 * this user or to root, and is sticky if everybody may write to it. (The rights
 * of groups are not looked at.) A socket in a folder that fails this check may
 * belong to another user. Returns ERROR_GONE if there is no folder. */
struct error *socket_check_folder(void);
/* The same, but makes the folder if there is none. */
struct error *socket_make_folder(void);

/* Opens a socket that listens. The file gets this path only when the socket
 * listens already. So if connect(2) is refused there, the server has died; the
 * file of such a server is replaced. The caller closes the descriptor, and then
 * calls socket_remove_stale(). */
struct error *socket_listen(const char *path, int *fd);
/* Removes the file of a socket if nobody listens there: the file may be that of
 * another server by now. */
void socket_remove_stale(const char *path);
/* Connects to a socket. Returns ERROR_GONE if nobody listens there. */
struct error *socket_connect(const char *path, int *fd);

/* May the process at the other end of the connection give commands? It must be
 * of the same user, or of root. */
bool socket_is_allowed(int fd);

#endif
