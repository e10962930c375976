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

/* Makes the folder, or checks that the one that exists belongs to this user and
 * is closed to others. */
struct error *socket_make_folder(void);

/* Opens a socket that listens. A socket file that a server which died has left
 * is replaced. The caller closes the descriptor and removes the file. */
struct error *socket_listen(const char *path, int *fd);
/* Connects to a socket. Returns ERROR_GONE if nobody listens there. */
struct error *socket_connect(const char *path, int *fd);

/* May the process at the other end of the connection give commands? It must be
 * of the same user, or of root. */
bool socket_is_allowed(int fd);

#endif
