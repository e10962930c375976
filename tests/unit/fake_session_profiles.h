/*
 * fake_session_profiles.h - what the fake session answers to the commands of
 * profiles
 *
 * Included by fake_session.h.
 */
#ifndef FAKE_SESSION_PROFILES_H
#define FAKE_SESSION_PROFILES_H

#include "perftool/session/calls.h"
#include "perftool/session/source.h"

static struct error *profile_called(const char *command,
				    const char *const *patterns, size_t count)
{
	struct str text = {0};
	struct error *error;

	for (size_t i = 0; i < count; i++)
		str_printf(&text, " [%s]", patterns[i]);
	error = called("%s%s", command, str_text(&text));
	str_deinit(&text);
	return error;
}

struct error *session_profile_functions(struct session *session,
					const char *const *patterns,
					size_t count, struct str *out)
{
	(void)session, (void)out;
	return profile_called("profile functions", patterns, count);
}

struct error *session_profile_calls(struct session *session,
				    const char *const *patterns, size_t count,
				    struct str *out)
{
	(void)session, (void)out;
	return profile_called("profile calls", patterns, count);
}

struct error *session_profile_calls_off(struct session *session)
{
	(void)session;
	return called("profile calls off");
}

void session_profile_limit_arcs(struct session *session, size_t limit)
{
	(void)session;
	noted(called("profile arcs %zu", limit));
}

struct error *session_profile_flush(struct session *session)
{
	(void)session;
	return called("profile flush");
}

struct error *session_initialize_profile(struct session *session)
{
	(void)session;
	return called("initialize profile");
}

bool session_profiles_calls(const struct session *session)
{
	(void)session;
	return false;
}

struct error *session_profile_source(struct session *session, const char *name,
				     struct str *out)
{
	(void)session;
	(void)out;
	return called("profile source %s", name);
}

struct error *session_print_source(struct session *session, const char *name,
				   struct str *out)
{
	(void)session;
	(void)out;
	return called("print source %s", name ? name : "-");
}

struct error *session_print_functions(struct session *session,
				      enum report_format format,
				      const struct report_options *options,
				      struct str *out)
{
	(void)session, (void)format;
	str_append(out, "functions\n");
	return called("print functions%s", options->verbose ? " -v" : "");
}

#endif
