/*
 * errand.h - a request that waits for something while others are served
 *
 * A line of COMMAND may wait: for the end of a duration (`continue for 10s`,
 * `top`), or for a shell command. It is carried out on a stack of its own. When
 * it waits, the server leaves that stack, and comes back when the wait is over.
 * The front end gets no other reply before this one.
 */
#ifndef SERVE_ERRAND_H
#define SERVE_ERRAND_H

#include "server.h"

struct errand;

/* Carries out the request, which the function takes over, by `work`. Returns
 * NULL if it is done, or the errand if it waits. */
struct errand *errand_begin(struct server *server, struct front_end *front_end,
			    struct request *request,
			    void (*work)(struct server *server,
					 struct front_end *front_end,
					 struct request *request));

/* Is the wait over? */
bool errand_is_due(const struct errand *errand);

/* Goes on with it. Returns whether it is done, and freed. `must_end`: its waits
 * fail from now on, so it is. */
bool errand_go_on(struct errand *errand, bool must_end);

/* Frees the stack that is kept for the next errand. */
void errand_free_stack(struct server *server);

#endif
