/*
 * gate.h - decides which HTTP requests are answered
 *
 * A browser sends requests for whatever page is open in it, so a foreign page
 * must not reach the tool. The rules are:
 *
 * - `Host` is 127.0.0.1:PORT or localhost:PORT. The name of a foreign server
 *   that was made to mean 127.0.0.1 (DNS rebinding) is refused.
 * - `Origin`, and `Sec-Fetch-Site` of a message, say that the request comes
 *   from our own page, if the browser sends them.
 * - The request has the key, which is a cookie. The address of the page has a
 *   token instead. Every user of the machine can see the address in the command
 *   line of the browser, so the token is good for one request: the browser gets
 *   the key, and there is a new token.
 * - There are two requests: GET / and POST /rpc. The latter has the type
 *   application/json, which a form of a foreign page cannot send.
 */
#ifndef SERVE_HTTP_GATE_H
#define SERVE_HTTP_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/error.h"

#define TOKEN_BYTES 16 /* 128 bits */
/* The length of the text, which is hexadecimal digits. */
#define TOKEN_LENGTH (2 * TOKEN_BYTES)

struct gate {
	uint16_t port;
	char token[TOKEN_LENGTH + 1];
	char key[TOKEN_LENGTH + 1]; /* of all browsers that had a token */
};

/* What is known of a request; NULL: the request does not say. */
struct visit {
	const char *method, *path, *token, *key;
	const char *host, *origin, *site, *type;
};

/* Writes hexadecimal digits that nobody can guess, and a NUL. `length` is even.
 */
struct error *gate_make_secret(char *out, size_t length);

/* Returns the status of HTTP with which the request must be refused, or 200;
 * 303 if the request has the token, and gets the key. `*why` gets the reason of
 * a refusal, for the one who sent it. */
unsigned gate_check(const struct gate *gate, const struct visit *visit,
		    const char **why);

#endif
