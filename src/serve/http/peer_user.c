/*
 * peer_user.c - see peer_user.h
 */
#include "peer_user.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Asks for the one socket that has these two ends. The kernel looks it up in
 * its hash table, so that it does not matter how many sockets there are. */
static bool ask(int fd, const struct sockaddr_in *peer,
		const struct sockaddr_in *own)
{
	struct {
		struct nlmsghdr header;
		struct inet_diag_req_v2 body;
	} request = {.header = {.nlmsg_len = sizeof(request),
				.nlmsg_type = SOCK_DIAG_BY_FAMILY,
				.nlmsg_flags = NLM_F_REQUEST},
		     .body = {.sdiag_family = AF_INET,
			      .sdiag_protocol = IPPROTO_TCP,
			      .idiag_states = UINT32_MAX}};
	struct inet_diag_sockid *id = &request.body.id;

	id->idiag_sport = peer->sin_port;
	id->idiag_dport = own->sin_port;
	id->idiag_src[0] = peer->sin_addr.s_addr;
	id->idiag_dst[0] = own->sin_addr.s_addr;
	id->idiag_cookie[0] = id->idiag_cookie[1] = INET_DIAG_NOCOOKIE;
	return send(fd, &request, sizeof(request), 0) ==
	       (ssize_t)sizeof(request);
}

/* The kernel puts the answer into the buffer of the socket before send(2)
 * returns. */
static bool hear(int fd, uid_t *out)
{
	struct {
		struct nlmsghdr header;
		struct inet_diag_msg body;
		char rest[4096];
	} answer;
	ssize_t length = recv(fd, &answer, sizeof(answer), MSG_DONTWAIT);

	if (length < (ssize_t)offsetof(__typeof__(answer), rest) ||
	    answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return false;
	/* A socket that its owner has closed has no file any more. The kernel
	 * names user 0 for it. */
	if (!answer.body.idiag_inode)
		return false;
	*out = answer.body.idiag_uid;
	return true;
}

bool peer_user_find(const struct sockaddr_in *peer,
		    const struct sockaddr_in *own, uid_t *out)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	bool is_known = fd >= 0 && ask(fd, peer, own) && hear(fd, out);

	if (fd >= 0)
		close(fd);
	return is_known;
}

/* Is our end still that of a connection? If so, no other connection can have
 * had the same two ends meanwhile. */
static bool is_connected(int fd)
{
	struct tcp_info info;
	socklen_t length = sizeof(info);

	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 &&
	       (info.tcpi_state == TCP_ESTABLISHED ||
		info.tcpi_state == TCP_CLOSE_WAIT);
}

bool peer_user_of(int fd, uid_t *out)
{
	struct sockaddr_in peer, own;
	socklen_t peer_length = sizeof(peer), own_length = sizeof(own);

	return getpeername(fd, (struct sockaddr *)&peer, &peer_length) == 0 &&
	       getsockname(fd, (struct sockaddr *)&own, &own_length) == 0 &&
	       peer.sin_family == AF_INET && own.sin_family == AF_INET &&
	       peer_user_find(&peer, &own, out) && is_connected(fd);
}

bool peer_user_is_allowed(uid_t user, uid_t own, const char *sudo_uid)
{
	unsigned long caller;
	char *end;

	if (user == own || user == 0)
		return true;
	if (own != 0 || !sudo_uid || !*sudo_uid)
		return false;
	errno = 0;
	caller = strtoul(sudo_uid, &end, 10);
	return !errno && !*end && user == caller;
}
