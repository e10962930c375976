/*
 * notices.h - what the server sends front ends that have not asked for it: the
 * reports of REPORTTIME and the stacks of SHOWSTACK (frontends.md, "DyPer")
 */
#ifndef SERVE_NOTICES_H
#define SERVE_NOTICES_H

#include <stdint.h>

#include "server.h"

void notice_send(struct front_end *front_end, const struct notice *notice);

/* Send the reports, and the stacks, that are due at `now` of CLOCK_MONOTONIC.
 * A front end that has not read the last one gets no other. */
void notices_report(struct server *server, uint64_t now);
void notices_dump(struct server *server, uint64_t now);

/* Returns the time of CLOCK_MONOTONIC at which the next one is due; UINT64_MAX:
 * none is. */
uint64_t notices_next(const struct server *server);

#endif
