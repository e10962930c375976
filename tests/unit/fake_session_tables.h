/*
 * fake_session_tables.h - breakpoints, nodes, legs and tables of the session
 * that does nothing: part of fake_session.h
 */
#ifndef TESTS_FAKE_SESSION_TABLES_H
#define TESTS_FAKE_SESSION_TABLES_H

#include "fake_session.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/session/measurements.h"

struct error *session_break(struct session *session, enum break_kind kind,
			    const char *location, const char *mechanism,
			    const char *condition, uint32_t *id,
			    struct str *out)
{
	static const char *const kinds[] = {
		"place",     "entry",      "exit",     "return",
		"begin",     "blocks",     "calls",    "allocations",
		"sync test", "sync enter", "sync exit"};

	(void)session;
	if (mechanism)
		return called("break %s [%s] by [%s] if [%s]", kinds[kind],
			      location, mechanism, condition ? condition : "");
	*id = 1;
	str_append(out, "Breakpoint #1.\n");
	if (condition)
		return called("break %s [%s] if [%s]", kinds[kind], location,
			      condition);
	return called("break %s [%s]", kinds[kind], location);
}

struct error *session_watch(struct session *session, const char *text,
			    bool reads, const char *condition, uint32_t *id,
			    struct str *out)
{
	(void)session;
	*id = 1;
	str_append(out, "Watchpoint #1.\n");
	return called("watch %s [%s] if [%s]", reads ? "access" : "write", text,
		      condition ? condition : "");
}

struct error *session_condition(struct session *session, uint32_t id,
				const char *condition, struct str *out)
{
	(void)session;
	(void)out;
	if (!condition)
		return called("condition %u cleared", id);
	return called("condition %u [%s]", id, condition);
}

struct error *session_attach_condition(struct session *session, uint32_t id,
				       const char *condition, struct str *out)
{
	(void)session;
	(void)out;
	return called("attach condition %u [%s]", id, condition);
}

struct error *session_condition_breaks(struct session *session, struct str *out)
{
	(void)session;
	str_append(out, "Conditionalized breaks\n");
	return called("condition breaks");
}

struct error *session_delete_break(struct session *session, uint32_t id)
{
	(void)session;
	return called("delete break %u", id);
}

struct error *session_delete_breaks(struct session *session)
{
	(void)session;
	return called("delete breaks");
}

struct error *session_enable_break(struct session *session, uint32_t id,
				   bool enabled)
{
	(void)session;
	return called("%s %u", enabled ? "enable" : "disable", id);
}

void session_list_breaks(struct session *session, struct str *out)
{
	(void)session;
	str_append(out, "breaks\n");
	for (unsigned i = 0; i < fake.lines; i++)
		str_printf(out, "line %u of a list that is long\n", i);
	noted(called("list breaks"));
}

struct error *session_monitor(struct session *session, bool on)
{
	(void)session;
	return called("monitor %s", on ? "on" : "off");
}

bool session_monitor_is_on(const struct session *session)
{
	(void)session;
	return true;
}

struct error *session_collect_nodes(struct session *session, struct str *out)
{
	(void)session;
	str_append(out, "Collected nodes\n");
	return called("collect nodes");
}

/* What a request says of a split, if it does. */
static const char *const sort_words[] = {"", " sort=time", " sort=count",
					 " sort=mean"};

static void split_words(char out[static 64], const char *by,
			const struct split_view *view)
{
	out[0] = '\0';
	if (by)
		snprintf(out, 64, " by=%s rows=%u%s", by, view->rows,
			 sort_words[view->sort]);
}

/* "2", "main", "exit:main". */
static void leg_end_words(char out[static 64], const struct leg_end *end)
{
	static const char *const kinds[] = {
		"",       "entry:", "exit:", "return:", "begin:", "blocks:",
		"calls:", "",       "",      "",        ""};

	if (end->place)
		snprintf(out, 64, "%s%s", kinds[end->kind], end->place);
	else
		snprintf(out, 64, "%u", end->id);
}

struct error *session_add_leg(struct session *session,
			      const struct leg_request *request,
			      struct str *out)
{
	static const char *const owners[] = {"thread", "leg", "key"};
	static const char *const matches[] = {"last", "first", "nested",
					      "outermost"};
	char by[64], from[64], to[64];

	(void)session;
	leg_end_words(from, &request->from);
	leg_end_words(to, &request->to);
	str_printf(out, "Leg from %s to %s added\n", from, to);
	split_words(by, request->by, &request->view);
	return called("add leg %s %s owner=%s match=%s key=%s%s", from, to,
		      request->owner_given ? owners[request->owner] : "-",
		      request->match_given ? matches[request->match] : "-",
		      request->key ? request->key : "-", by);
}

struct error *session_split(struct session *session,
			    const struct split_request *request,
			    struct str *out)
{
	(void)session;
	(void)out;
	return called("split %s %u by=%s rows=%u%s",
		      request->of_leg ? "leg" : "node", request->id,
		      request->by ? request->by : "-", request->view.rows,
		      sort_words[request->view.sort]);
}

struct error *session_unsplit(struct session *session, bool of_leg, uint32_t id)
{
	(void)session;
	return called("unsplit %s %u", of_leg ? "leg" : "node", id);
}

struct error *session_delete_leg(struct session *session, uint32_t id)
{
	(void)session;
	return called("delete leg %u", id);
}

struct error *session_set_add(struct session *session, bool successor)
{
	(void)session;
	return called("add %s", successor ? "successor" : "none");
}

struct error *session_set_track(struct session *session,
				enum measure_track track)
{
	static const char *const names[] = {"none", "successor", "all"};

	(void)session;
	return called("track %s", names[track]);
}

uint64_t session_histogram_lost(const struct session *session,
				const struct histogram_request *request)
{
	(void)session;
	/* one of 99 has values */
	return request->id == 99 ? 7 : 0;
}

struct error *session_add_histogram(struct session *session,
				    const struct histogram_request *request,
				    struct str *out)
{
	static const char *const classes[] = {"linear", "log", "hdr"};
	const struct histogram_spec *spec = &request->spec;

	(void)session;
	(void)out;
	return called("add histogram %s %u %s buckets=%u scale=%lld base=%lld "
		      "value=%s",
		      request->of_leg ? "leg" : "node", request->id,
		      classes[spec->class], spec->buckets,
		      (long long)spec->scale, (long long)spec->base,
		      request->value ? request->value : "-");
}

struct error *session_delete_histogram(struct session *session, bool of_leg,
				       uint32_t id)
{
	(void)session;
	return called("delete histogram %s %u", of_leg ? "leg" : "node", id);
}

struct error *session_time(struct session *session,
			   const struct time_request *request, struct str *out)
{
	struct str text = {0};
	struct error *error;
	char by[64];

	(void)session;
	(void)out;
	split_words(by, request->by, &request->view);
	for (size_t i = 0; i < request->count; i++)
		str_printf(&text, " [%s]", request->patterns[i]);
	if (request->condition)
		str_printf(&text, " if [%s]", request->condition);
	str_append(&text, by);
	if (request->most)
		str_printf(&text, " most=%zu", request->most);
	error = called("time%s", str_text(&text));
	str_deinit(&text);
	return error;
}

struct error *session_initialize_tables(struct session *session)
{
	(void)session;
	return called("initialize tables");
}

struct error *session_zero_tables(struct session *session)
{
	(void)session;
	return called("zero tables");
}

const struct tables *session_tables(struct session *session)
{
	static const char *const none[] = {NULL};

	(void)session;
	noted(called("tables"));
	fake.tables.version = "0";
	fake.tables.clock_source = "tsc";
	fake.tables.program.path = "fake";
	fake.tables.program.args = none;
	fake.tables.program.state = "exited";
	return &fake.tables;
}

const struct tables *session_tables_since_last(struct session *session)
{
	noted(called("since last"));
	return session_tables(session);
}

const struct left_counts *session_left_counts(const struct session *session,
					      size_t *count)
{
	(void)session;
	noted(called("left counts"));
	*count = 0;
	return NULL;
}

struct error *session_slowest(struct session *session, int64_t leg, size_t max,
			      struct execution_list *out, bool *added_up)
{
	(void)session;
	*added_up = false;
	*out = (struct execution_list){0};
	return called("slowest %zu leg %lld", max, (long long)leg);
}

struct error *session_slowest_inside(struct session *session, int64_t leg,
				     size_t max, struct execution_list *out)
{
	(void)session;
	*out = (struct execution_list){0};
	return called("inside %zu leg %lld", max, (long long)leg);
}

#endif
