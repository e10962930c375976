/*
 * site_hits.h - making the hits of the breakpoints at a site that a thread has
 * reached: site_hits.c, goroutine_hits.c
 */
#ifndef PROBE_SITE_HITS_H
#define PROBE_SITE_HITS_H

#include "perftool/debuginfo/go_program.h"
#include "perftool/probe.h"
#include "perftool/target/target_events.h"

struct attachment;
struct site;

/* The size of a label's text, with its terminating zero. A longer text is
 * cut. */
#define LABEL_SIZE 96
struct label_text {
	char bytes[LABEL_SIZE];
};

/* The values of the hit that is being made. The keys and labels of the hit
 * point here. */
struct hit_values {
	VEC(struct value) keys;
	VEC(struct label) labels;
	VEC(struct label_text) label_texts;
};

/* The thread of the event has reached the site: report the hits of the enabled
 * breakpoints there. The first breakpoint that stops the program is entered in
 * the outcome. */
struct error *count_hits(struct probe *probe, const struct event *event,
			 struct site *site, struct probe_outcome *outcome);

/* The thread of the event has touched the object of a watchpoint. */
struct error *count_watch(struct probe *probe, const struct event *event,
			  struct attachment *attachment,
			  struct probe_outcome *outcome);

/* goroutine_hits.c: how to find the goroutine that makes a hit of this
 * attachment. NULL if no goroutine makes it, or if nothing needs the goroutine.
 */
const struct go_runtime *goroutine_runtime(const struct probe *probe,
					   const struct attachment *attachment);
/* Is it certain that no goroutine makes hits of this attachment? It is not
 * while the file of the code has not been opened. */
bool is_known_not_go(const struct attachment *attachment);

#endif
