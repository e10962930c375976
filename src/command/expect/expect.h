/*
 * expect.h - the expectations of scripts (statements about the tables that
 * shall be true, such as `leg("f").p99 < 3ms`), and whether they were met
 *
 * An expectation that comes before the program has run is kept until the run
 * has ended.
 */
#ifndef COMMAND_EXPECT_H
#define COMMAND_EXPECT_H

#include <stdbool.h>

#include "expectation.h"
#include "perftool/base/vec.h"

struct interpreter;

struct kept_expectation {
	struct expectation expectation;
	/* where the expectation stands, for example "script:3"; NULL: the
	 * expectation does not stand in a script */
	char *place;
};

struct expectations {
	VEC(struct kept_expectation) kept;
	bool is_unmet;   /* an expectation was not met */
	bool has_failed; /* an expectation could not be checked */
};

void expectations_deinit(struct expectations *expectations);

/* Are expectations kept, and has the run ended whose tables they are about? */
bool expectations_are_due(const struct interpreter *interpreter);

/* Checks all kept expectations and then removes them. */
void expectations_check(struct interpreter *interpreter);

#endif
