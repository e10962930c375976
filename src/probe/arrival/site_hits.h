/*
 * site_hits.h - what a thread that has reached a site means to the breakpoints
 * there: site_hits.c, goroutine_hits.c
 */
#ifndef PROBE_SITE_HITS_H
#define PROBE_SITE_HITS_H

#include "perftool/probe.h"

struct attachment;
struct site;

/* How much of a label's text is kept, with its zero. */
#define LABEL_SIZE 96
struct label_text {
	char bytes[LABEL_SIZE];
};

/* What the hit that is being made has, which its keys and labels point to. */
struct hit_values {
	VEC(struct value) keys;
	VEC(struct label) labels;
	VEC(struct label_text) label_texts;
};

/* Report what the enabled breakpoints of a site count, now that the thread of
 * the event has reached it; one that stops the program goes to the outcome. */
struct error *count_hits(struct probe *probe, const struct event *event,
			 struct site *site, struct probe_outcome *outcome);

/* goroutine_hits.c: how to find the goroutine that makes a hit; NULL: none
 * does, or nobody wants to know. */
const struct go_runtime *goroutine_runtime(const struct probe *probe,
					   const struct attachment *attachment);

#endif
