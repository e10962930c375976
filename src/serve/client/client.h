/*
 * client.h - the other side of the socket: `perftool who` and `perftool ctl`
 */
#ifndef SERVE_CLIENT_H
#define SERVE_CLIENT_H

#include "perftool/serve.h"
#include "serve/wire/wire.h"

/* Connects to the socket. Returns ERROR_GONE if nobody listens there. The
 * caller calls control_destroy(). */
struct error *control_open(const char *path, struct control **out);
/* Limits the wait for each reply. Without this call the wait has no limit. */
void control_set_patience(struct control *control, unsigned seconds);

/* Has the server carry out an operation. The function takes `params`. `*result`
 * becomes NULL if the server has closed the connection. The caller frees it. */
struct error *control_call(struct control *control, const char *method,
			   struct json_object *params,
			   struct json_object **result);

#endif
