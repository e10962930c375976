/*
 * report_operations.c - REPORT: everything that was measured so far
 */
#include "desk.h"

#include <strings.h>

#include "operations/samples/samples.h"
#include "perftool/base/alloc.h"
#include "perftool/document.h"
#include "perftool/session/contended_locks.h"
#include "perftool/session/measurements.h"
#include "perftool/session/ticks.h"
#include "thread_figures.h"

static void add_number(struct json_object *object, const char *name,
		       int64_t number)
{
	json_object_object_add(object, name, json_object_new_int64(number));
}

static struct json_object *threads_array(const struct desk *desk)
{
	struct json_object *list = json_object_new_array();
	struct thread_figures_list threads = {0};

	thread_figures_read(desk->session, &threads);
	for (size_t i = 0; i < threads.count; i++) {
		const struct thread_figures *at = &threads.data[i];
		struct json_object *one = json_object_new_object();
		char state[2] = {at->state, '\0'};

		add_number(one, "id", at->tid);
		json_object_object_add(one, "name", document_text(at->name));
		json_object_object_add(one, "state", document_text(state));
		add_number(one, "cpu_ns", at->cpu);
		add_number(one, "queue_ns", at->queue);
		add_number(one, "switches", (int64_t)at->switches);
		json_object_array_add(list, one);
	}
	vec_free(&threads);
	return list;
}

/* Adds what `print contention` prints, if waits were recorded. */
static void add_contention(struct session *session, struct json_object *out)
{
	const struct report_options options = {0};
	CLEANUP(str_deinit) struct str text = {0};

	if (!session_watched_locks(session))
		return;
	error_destroy(session_print_contention(session, FORMAT_JSON, &options,
					       &text));
	json_object_object_add(out, "contention",
			       json_tokener_parse(str_text(&text)));
}

static struct json_object *member(const struct json_object *object,
				  const char *name)
{
	return json_object_object_get(object, name);
}

static int64_t number_at(const struct json_object *array, size_t index)
{
	return json_object_get_int64(json_object_array_get_idx(array, index));
}

/* Are the buckets of the leg those of the histogram? A histogram that was made
 * later has less. */
static bool are_same(const struct json_object *leg,
		     const struct json_object *histogram)
{
	static const char *const names[] = {"from", "to", "count"};
	const struct json_object *of_leg = member(leg, "buckets");
	const struct json_object *all = member(histogram, "buckets");
	size_t count = json_object_array_length(all);

	if (!of_leg || json_object_array_length(of_leg) != count)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct json_object *bucket =
			json_object_array_get_idx(all, i);
		const struct json_object *same =
			json_object_array_get_idx(of_leg, i);

		for (size_t j = 0; j < 3; j++)
			if (number_at(same, j) !=
			    json_object_get_int64(member(bucket, names[j])))
				return false;
	}
	return true;
}

static bool is_of_times(const struct json_object *histogram)
{
	return str_equal(json_object_get_string(member(histogram, "of")),
			 "leg") &&
	       str_equal(json_object_get_string(member(histogram, "class")),
			 "hdr");
}

/* Lets the histograms of legs whose own `buckets` are the same have none. Both
 * lists are in the order of the legs. */
static void leave_out_doubles(struct json_object *report)
{
	const struct json_object *legs = member(report, "legs");
	const struct json_object *list = member(report, "histograms");
	size_t at = 0, count = json_object_array_length(legs);

	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *histogram =
			json_object_array_get_idx(list, i);
		int64_t id = json_object_get_int64(member(histogram, "id"));
		const struct json_object *leg;

		if (!is_of_times(histogram))
			continue;
		while (at < count &&
		       json_object_get_int64(member(
			       json_object_array_get_idx(legs, at), "id")) < id)
			at++;
		leg = at < count ? json_object_array_get_idx(legs, at) : NULL;
		if (leg && json_object_get_int64(member(leg, "id")) == id &&
		    are_same(leg, histogram))
			json_object_object_add(histogram, "buckets", NULL);
	}
}

static struct error *whole_report(struct desk *desk, bool buckets_once,
				  struct json_object **out)
{
	CLEANUP(str_deinit) struct str text = {0};

	report_json_line(session_tables(desk->session), &text);
	*out = json_tokener_parse(str_text(&text));
	if (!*out)
		return error_create(ERROR_OTHER,
				    "the report could not be made");
	if (buckets_once)
		leave_out_doubles(*out);
	json_object_object_add(*out, "threads", threads_array(desk));
	if (session_ticks_were_on(desk->session))
		json_object_object_add(*out, "samples", samples_object(desk));
	add_contention(desk->session, *out);
	json_object_object_add(*out, "agents", agents_report(desk, NULL));
	return NULL;
}

/* Reports what one agent has accumulated. */
static struct error *agent_report(struct desk *desk, const char *name,
				  struct json_object **out)
{
	if (!agents_find(&desk->agents, name))
		return error_create(ERROR_USAGE,
				    "there is no report of the type `%s'; a "
				    "type is ALL, or the name of an agent that "
				    "AGENT has added or that SETDETAIL names",
				    name);
	*out = json_object_new_object();
	json_object_object_add(*out, "agents", agents_report(desk, name));
	return NULL;
}

static struct error *report(struct invocation *invocation)
{
	const char *type = "ALL";
	bool buckets_once = false;

	TRY(params_text(invocation->params, "type", &type));
	TRY(params_flag(invocation->params, "buckets_once", &buckets_once));
	if (strcasecmp(type, "ALL") != 0)
		return agent_report(invocation->desk, type,
				    &invocation->result);
	return whole_report(invocation->desk, buckets_once,
			    &invocation->result);
}

static const struct member report_parameters[] = {
	{"type", "text",
	 "ALL, which is the default, or the name of an agent: only what that "
	 "has accumulated"},
	{"buckets_once", "flag",
	 "`buckets` of a histogram is null where it says the same as `buckets` "
	 "of its leg"},
	{0}};

static const struct member report_reply[] = {
	{"...", "object",
	 "the object that `save tables x.json` writes; doc/FORMATS.md "
	 "describes it"},
	{"threads[].id", "number", "a thread of the program"},
	{"threads[].name", "text", "its name"},
	{"threads[].state", "text", "its state, as proc(5) has it"},
	{"threads[].cpu_ns", "number", "how long it was on a CPU, in ns"},
	{"threads[].queue_ns", "number",
	 "how long it could run and had no CPU, in ns"},
	{"threads[].switches", "number", "how often it went on a CPU"},
	{"samples.ticks", "number",
	 "ticks of the agent cpu; `samples` is missing if it was never on. "
	 "(REPORT has no samples of the Spy: the command `spy display` has "
	 "them)"},
	{"samples.io", "number",
	 "those of them in I/O classes, which are waiting"},
	{"samples.rate, elapsed_ns, missed, lost", "number",
	 "ticks a second of each thread's time on a CPU; the measured time; "
	 "ticks that were not taken, or were lost"},
	{"samples.thread[].id, name, ticks", "number, text, number",
	 "the ticks of each thread"},
	{"samples.class[].name, module, type", "text",
	 "a class: a source file, or else a module"},
	{"samples.class[].ticks, io, total", "number",
	 "ticks in the class, those of them that are waiting, and ticks in it "
	 "or in what it has called"},
	{"samples.class[].method[].name, line, ticks, io, total",
	 "text and numbers", "the same for each of its functions"},
	{"contention.elapsed_ns", "number",
	 "for how long waits for locks were recorded; `contention` is missing "
	 "if they never were. doc/FORMATS.md describes it"},
	{"contention.locks[].lock, address, kind, pid, waits, total_ns, "
	 "mean_ns, max_ns",
	 "text and numbers", "a lock for which threads have waited"},
	{"contention.locks[].waiters[].tid, thread, function, file, line, "
	 "waits, total_ns, mean_ns, max_ns",
	 "text and numbers", "who has waited, and in which function"},
	{"contention.locks[].holders[].tid, thread, function, waits, holds, "
	 "blocked_ns, mean_held_ns, max_held_ns",
	 "text and numbers",
	 "who held the lock meanwhile, and for how long others waited then"},
	{"agents[].name", "text",
	 "an agent that AGENT has added or that SETDETAIL names"},
	{"agents[].function[].leg, name, module, count, total_ns",
	 "numbers and text",
	 "the legs of the agent, and those of SETDETAIL that name it, since it "
	 "was cleared"},
	{"agents[].node[].id, name, count", "numbers and text",
	 "of a script: the nodes that it has added, since it was cleared"},
	{"agents[].samples", "object",
	 "of the agent cpu, if AGENT has added it: as `samples`"},
	{"agents[].thread[].id, name, state, cpu_ns, switches",
	 "numbers and text", "of the agent threads, since it was cleared"},
	{0}};

const struct operation report_operations[] = {
	{.name = "report",
	 .request_wrapper = "report",
	 .reply_wrapper = "REPORT",
	 .summary = "Everything that was measured so far.",
	 .parameters = report_parameters,
	 .reply = report_reply,
	 .run = report},
	{0}};
