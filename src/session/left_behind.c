/*
 * left_behind.c - what perftools that died have left of legs that programs have
 * counted by themselves
 */
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/session/measurements.h"
#include "session_state.h"

void keep_left_counts(struct session *session, const struct left_counts *counts)
{
	struct left_counts kept = *counts;

	kept.name = xstrdup(counts->name);
	vec_push(&session->left_counts, kept);
}

void forget_left_counts(struct session *session)
{
	for (size_t i = 0; i < session->left_counts.count; i++)
		free(session->left_counts.data[i].name);
	vec_clear(&session->left_counts);
}

const struct left_counts *session_left_counts(const struct session *session,
					      size_t *count)
{
	*count = session->left_counts.count;
	return session->left_counts.data;
}
