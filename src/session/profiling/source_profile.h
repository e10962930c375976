/*
 * source_profile.h - the profiles of source lines of a session: `profile
 * source`
 */
#ifndef SESSION_SOURCE_PROFILE_H
#define SESSION_SOURCE_PROFILE_H

#include "perftool/profile/line_runs.h"
#include "session/session_state.h"
#include "source_statements.h"

/* One function whose lines are counted. */
struct profiled_source {
	char *name; /* as the user wrote it */
	struct breakpoint *breakpoint;
	/* place of a hit -> index of the breakpoint's place + 1 */
	struct map places;
	struct source_statements statements;
	size_t place_count; /* how many places `places` has */
	struct line_runs runs;
};

struct source_profiles {
	struct session *session;
	VEC(struct profiled_source *) list;
};

void source_profiles_init(struct source_profiles *profiles,
			  struct session *session);
void source_profiles_deinit(struct source_profiles *profiles);
/* A breakpoint that is not one of the user's was hit. */
void source_profiles_hit(struct source_profiles *profiles,
			 const struct probe_event *event);
/* `initialize profile`: forget all functions. */
void source_profiles_clear(struct source_profiles *profiles);

#endif
