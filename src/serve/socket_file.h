/*
 * socket_file.h - the sockets of servers, and who may use them
 *
 * A socket is named PID.sock after the measured program. It is in the folder of
 * runtime_folder.h, unless the user names another path.
 */
#ifndef SERVE_SOCKET_FILE_H
#define SERVE_SOCKET_FILE_H

#include <stdbool.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"

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
