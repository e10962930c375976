/*
 * flame_graph.h - the parts of a flame graph: its frames, and what stands
 * around them
 */
#ifndef REPORT_FLAME_GRAPH_H
#define REPORT_FLAME_GRAPH_H

#include "flame_colors.h"
#include "flame_tree.h"
#include "profile_names.h"
#include "profile_sink.h"
#include "weight_columns.h"

enum {
	FLAME_WIDTH = 1200, /* of the figure, in user units */
	FLAME_MARGIN = 10,
	FLAME_ROW = 16,      /* height of a frame */
	FLAME_LEVELS = 200,  /* of procedures that are drawn */
	FLAME_FRAMES = 6000, /* that are drawn at most */
	/* the same, in a page that has other figures, too */
	FLAME_PAGE_FRAMES = 200,
};

struct flame_graph {
	const struct profile *profile;
	const struct call_stacks *stacks;
	struct stack_weights weights;
	struct flame_tree tree;
	struct profile_names names;
	struct flame_colors colors;
	struct weight_columns columns;
	uint64_t total;
	uint32_t highest; /* level of the highest frame that is drawn */
	unsigned least;   /* a frame has at least this part of the weight */
	size_t left_out;  /* frames that have less */
	/* the weight of each procedure where it is innermost */
	uint64_t *own;
	int top; /* where the highest frame begins */
	struct profile_sink *sink;
	bool is_in_page; /* it is an element of a page, and no document */
};

/* What the weights are numbers of. */
const char *flame_unit(const struct flame_graph *graph);
/* Append a weight with its unit, such as "1 tick", or as a percentage. */
void flame_weight(const struct flame_graph *graph, uint64_t weight,
		  struct str *out);
void flame_share(const struct flame_graph *graph, uint64_t weight,
		 struct str *out);

/* Begin the figure with what is above the frames, and set `graph->top`. */
void flame_begin(struct flame_graph *graph);
/* Write what is below the frames, and end the figure. */
void flame_end(const struct flame_graph *graph);

#endif
