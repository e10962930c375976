/*
 * top_calls.c - `top`: how often the first functions of the table are called
 *
 * The functions are counted at the same time, so that their numbers can be
 * compared.
 *
 * Hits slow the program down, so that it makes fewer calls than without. The
 * table has what it makes without: its calls in the time on CPUs that was its
 * own, which is what hits have left, by the part of the time for which it was
 * on CPUs while only ticks were taken. Where hits took most of the time, it is
 * not known well what they have left: the table then has a least number. After
 * half of the time, such functions make way for the others, whose numbers are
 * then known.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "call_profile.h"
#include "perftool/base/alloc.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/session/calls.h"
#include "perftool/session/top.h"
#include "recorded_profiles.h"
#include "session/requests/requests.h"

void top_forget_calls(struct top_profile *top)
{
	for (size_t i = 0; i < top->calls.count; i++)
		free(top->calls.data[i].location);
	vec_clear(&top->calls);
	free(top->calls_problem);
	top->calls_problem = NULL;
}

char *top_location(const struct procedures *procedures, uint32_t number)
{
	const struct procedure *procedure = &procedures->list.data[number];

	if (procedure->is_wait || !procedure->module[0] ||
	    !procedure->address || str_equal(procedure->module, PROBE_VDSO))
		return NULL;
	return top_is_nameless(procedure)
		       ? xasprintf("*0x%" PRIx64 "@%s", procedure->address,
				   procedure->module)
		       : xasprintf("%s@%s", procedure->name, procedure->module);
}

const struct top_calls *top_calls_of(const struct top_profile *top,
				     const char *location)
{
	for (size_t i = 0; location && i < top->calls.count; i++)
		if (str_equal(top->calls.data[i].location, location))
			return &top->calls.data[i];
	return NULL;
}

size_t top_count_rates(const struct top_profile *top)
{
	size_t count = 0;

	for (size_t i = 0; i < top->calls.count; i++)
		count += top->calls.data[i].rate >= 0;
	return count;
}

/* ---- counting ------------------------------------------------------------ */

/* Begins to count the calls of one function. If that fails, the table says why.
 */
static bool count(struct session *session, const char *location)
{
	struct top_profile *top = &session->recorded->top;
	struct str said = {0};
	struct error *error =
		session_profile_functions(session, &location, 1, &said);
	bool is_counted = !error;

	str_deinit(&said);
	if (error && !top->calls_problem)
		top->calls_problem = xstrdup(error_message(error));
	error_destroy(error);
	return is_counted;
}

/* Sets the counts to 0: the first function was counted before the breakpoints
 * of the last one were made. Returns false if nothing is counted. */
static bool begin(struct session *session)
{
	if (!session_profiles_calls(session))
		return false;
	error_destroy(session_profile_flush(session));
	session->recorded->top.cpu = program_cpu(session);
	return true;
}

bool session_top_count(struct session *session, size_t rows)
{
	struct top_profile *top = &session->recorded->top;
	struct tallied tallied;

	top->came_to_calls = true;
	if (session_profiles_calls(session) || !session_has_process(session))
		return false;
	top_tally(&top->recorder, &tallied);
	top->cpus = top_cpus(&top->recorder, &tallied);
	for (size_t i = 0; i < rows && i < tallied.list.count; i++) {
		char *location = top_location(&tallied.stacks.procedures,
					      tallied.list.data[i].procedure);

		if (location && count(session, location))
			vec_push(&top->calls,
				 (struct top_calls){.location = location,
						    .rate = -1});
		else
			free(location);
	}
	tallied_deinit(&tallied);
	return begin(session);
}

/* Counts only these functions from now on. */
static bool count_only(struct session *session, const struct string_list *kept)
{
	error_destroy(session_initialize_profile(session));
	for (size_t i = 0; session_has_process(session) && i < kept->count; i++)
		count(session, kept->data[i]);
	return begin(session);
}

bool session_top_spare_threads(struct session *session)
{
	struct string_list kept = {0};
	bool is_counting = session_profiles_calls(session);

	if (!call_profile_stops_threads(session))
		return is_counting;
	call_profile_unstopping(session, &kept);
	is_counting = count_only(session, &kept);
	string_list_deinit(&kept);
	return is_counting;
}

/* ---- rates --------------------------------------------------------------- */

/* Hits that take no more than this part of the time on CPUs change nothing. */
#define LITTLE 0.02
/* Functions whose hits take more than this part of the own time make way for
 * the others. */
#define DEAR 0.1

/* What was counted, and in which time of the program. */
struct counted_calls {
	struct session_calls calls;
	struct string_list locations;
	double hit; /* what one costs, ns */
	struct detail_own_time own;
};

/* Adds up the calls of a function from all callers. */
static double calls_of(const struct counted_calls *counted,
		       const char *location)
{
	const struct session_calls *calls = &counted->calls;
	uint64_t sum = 0;

	for (size_t i = 0; i < calls->arcs.list.count; i++) {
		const struct call_arc *arc = &calls->arcs.list.data[i];
		CLEANUP(free_pointer)
		char *callee = top_location(&calls->procedures, arc->callee);

		if (callee && str_equal(callee, location))
			sum += arc->times.count;
	}
	return (double)sum;
}

static double all_calls(const struct session_calls *calls)
{
	uint64_t sum = calls->arcs.other.count;

	for (size_t i = 0; i < calls->arcs.list.count; i++)
		sum += calls->arcs.list.data[i].times.count;
	return (double)sum;
}

/* Returns the part of the time on CPUs that was the program's own, without its
 * hits. A rate is the number of calls in this time, times `top->cpus`. Where
 * hits took next to nothing, all of the elapsed time counts as the program's
 * own, so that the rate is the one with which the calls were counted. */
static struct detail_own_time own_time(const struct top_profile *top,
				       const struct program_cpu *cpu,
				       double elapsed, double spent)
{
	double on_cpu;

	if (!program_cpu_between(&top->cpu, cpu, &on_cpu)) {
		/* Processes came or went. Hits have slowed the program down, by
		 * how much is not known. */
		on_cpu = elapsed * top->cpus;
		return (struct detail_own_time){on_cpu, spent > on_cpu * DEAR};
	}
	if (spent <= on_cpu * LITTLE)
		return (struct detail_own_time){.ns = elapsed * top->cpus};
	/* What hits cost in this run is known to some ten percent. Of those
	 * that took more than half of the time, that says too little about what
	 * they left. */
	return detail_own_time(on_cpu, 0, spent, 0);
}

/* The kernel's time of a thread on CPUs is exact while the thread stands still.
 */
static void read_counted(struct session *session, struct counted_calls *out)
{
	struct program_cpu cpu;

	*out = (struct counted_calls){0};
	error_destroy(stand_still(session));
	call_profile_unstopping(session, &out->locations);
	session_read_calls(session, &out->calls);
	cpu = program_cpu(session);
	out->hit = program_hit_costs(session, session->calls->account).fast;
	/* A call has two hits. */
	out->own = own_time(&session->recorded->top, &cpu,
			    (double)out->calls.elapsed,
			    2 * all_calls(&out->calls) * out->hit);
}

static void counted_deinit(struct counted_calls *counted)
{
	session_calls_deinit(&counted->calls);
	string_list_deinit(&counted->locations);
}

static bool is_counted(const struct counted_calls *counted,
		       const char *location)
{
	for (size_t i = 0; i < counted->locations.count; i++)
		if (str_equal(counted->locations.data[i], location))
			return true;
	return false;
}

/* Sets the rates of the functions that were counted. */
static void set_rates(struct top_profile *top,
		      const struct counted_calls *counted)
{
	for (size_t i = 0; i < top->calls.count; i++) {
		struct top_calls *row = &top->calls.data[i];

		if (!is_counted(counted, row->location) || counted->own.ns <= 0)
			continue;
		row->rate = calls_of(counted, row->location) / counted->own.ns *
			    1e9 * top->cpus;
		row->is_least = counted->own.is_most && row->rate > 0;
	}
}

bool session_top_spare_dear(struct session *session)
{
	struct top_profile *top = &session->recorded->top;
	struct string_list kept = {0};
	struct counted_calls counted;
	bool is_counting = true;

	read_counted(session, &counted);
	for (size_t i = 0; i < counted.locations.count; i++) {
		const char *location = counted.locations.data[i];

		if (2 * calls_of(&counted, location) * counted.hit <
		    DEAR * counted.own.ns)
			vec_push(&kept, xstrdup(location));
	}
	if (counted.own.is_most || !session_has_process(session)) {
		set_rates(top, &counted);
		is_counting = kept.count && count_only(session, &kept);
	}
	string_list_deinit(&kept);
	counted_deinit(&counted);
	return is_counting;
}

void session_top_end_count(struct session *session)
{
	struct counted_calls counted;

	read_counted(session, &counted);
	set_rates(&session->recorded->top, &counted);
	counted_deinit(&counted);
	error_destroy(session_initialize_profile(session));
}
