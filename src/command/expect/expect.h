/*
 * expect.h - what scripts have expected, and how it came out
 *
 * What is expected before anything has run is kept until the run has ended.
 */
#ifndef COMMAND_EXPECT_H
#define COMMAND_EXPECT_H

#include <stdbool.h>

#include "expectation.h"
#include "perftool/base/vec.h"

struct interpreter;

struct kept_expectation {
	struct expectation expectation;
	char *place; /* "script:3"; NULL: it stands in no script */
};

struct expectations {
	VEC(struct kept_expectation) kept;
	bool is_unmet;   /* one was not met, */
	bool has_failed; /* or could not be checked */
};

void expectations_deinit(struct expectations *expectations);

/* Are there any that are kept, and has the run ended that they are about? */
bool expectations_are_due(const struct interpreter *interpreter);

/* Check those that are kept, all of them, and keep them no more. */
void expectations_check(struct interpreter *interpreter);

#endif
