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

/* Checks that the folder belongs to this user and is closed to others, and that
 * nobody else can put another folder in its place. What is in an unsafe folder
 * may be another user's. Returns ERROR_GONE if there is no folder.
 * socket_make_folder() makes the folder in this case. */
struct error *socket_check_folder(void);
struct error *socket_make_folder(void);

/* Opens a socket that listens. The file appears when the socket listens
 * already, so a file to which nobody can connect is one that a server which
 * died has left; such a file is replaced. The caller closes the descriptor and
 * removes the file. */
struct error *socket_listen(const char *path, int *fd);
/* Removes the file of a socket if nobody listens there. */
void socket_remove_stale(const char *path);
/* Connects to a socket. Returns ERROR_GONE if nobody listens there. */
struct error *socket_connect(const char *path, int *fd);

/* May the process at the other end of the connection give commands? It must be
 * of the same user, or of root. */
bool socket_is_allowed(int fd);

#endif
