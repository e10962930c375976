/*
 * spy_outline.h - the order of the procedures in the Spy's display, and the
 * columns before their lines that show what stands under what
 *
 * A level of indentation is two columns wide. Its mark is `!' along a set of
 * disjoint procedures, and `.' between sets. If there is one procedure only at
 * the top level, that level has no mark, and takes no room.
 */
#ifndef REPORT_SPY_OUTLINE_H
#define REPORT_SPY_OUTLINE_H

#include "perftool/profile/disjoint_sets.h"
#include "spy_text.h"

/* The procedures of one level, under one parent: set after set. */
struct level {
	uint32_t *members;
	uint32_t *sets; /* the set of each */
	size_t count;
	size_t next;    /* the member that comes next */
	bool is_parted; /* the gap before that member was told */
	size_t prefix;  /* length of what is before the mark of this level */
};

struct outline {
	const struct spy_text *text;
	bool *is_shown;    /* by procedure */
	uint32_t *parents; /* by procedure */
	struct disjoint_sets *disjoint;
	/* The procedures that are shown, those of greater weight first, and of
	 * each parent its first child and of each child the next. */
	VEC(uint32_t) order;
	uint32_t *first_child, *next;
	uint32_t first_at_top;
	VEC(struct level) levels; /* that of the last procedure, and above it */
	uint32_t last;     /* whose children come next; NO_PROCEDURE: none */
	struct str prefix; /* the marks before the line */
};

/* Choose the procedures that are above the threshold of the report, and find
 * their parents. The caller frees the outline with outline_deinit(). */
void outline_init(struct outline *outline, const struct spy_text *text);
void outline_deinit(struct outline *outline);

enum outline_line {
	OUTLINE_PROCEDURE,
	OUTLINE_GAP, /* a line that has nothing but marks, between two sets */
	OUTLINE_END,
};

/* Go to the next line, and set the prefix of the outline for it. The prefix is
 * also that of all further lines about the procedure. */
enum outline_line outline_next(struct outline *outline, uint32_t *procedure);

#endif
