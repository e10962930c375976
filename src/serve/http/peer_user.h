/*
 * peer_user.h - which users of this machine may use the live page
 *
 * Whoever can connect can occupy connections, of which there are few. So
 * connections of foreign users are closed at once. Whoever has sent a request
 * and has closed the connection has no user any more that the kernel knows. So
 * the user is also looked up when a request has been read, which is refused if
 * the user is not known.
 */
#ifndef SERVE_HTTP_PEER_USER_H
#define SERVE_HTTP_PEER_USER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/types.h>

/* Finds the user who owns the other end of a TCP connection over IPv4, when
 * both ends are on this machine: `peer` is the address of the other end, and
 * `own` that of our end. The source is sock_diag(7). Returns false if the
 * kernel does not tell, or if nobody has the other end any more. */
bool peer_user_find(const struct sockaddr_in *peer,
		    const struct sockaddr_in *own, uid_t *out);

/* Finds the user who owns the other end of a connection; `fd` is our end. */
bool peer_user_of(int fd, uid_t *out);

/* May this user connect? The user of perftool and root may. If root has started
 * perftool by sudo(8), the user who has called sudo may, too, because the
 * browser is this user's. `sudo_uid` is the environment variable SUDO_UID, or
 * NULL. */
bool peer_user_is_allowed(uid_t user, uid_t own, const char *sudo_uid);

#endif
