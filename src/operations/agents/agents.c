/*
 * agents.c - adds agents and removes them: see agents.h
 */
#include "agents.h"

#include <stdlib.h>
#include <unistd.h>

#include "operations/desk.h"
#include "perftool/base/alloc.h"
#include "perftool/session/inventory.h"
#include "perftool/session/measurements.h"
#include "perftool/session/ticks.h"

/* The ticks of FULLMONITORING, and the limits of the rate, in ticks a second.
 */
#define FULL_RATE 1000
#define LEAST_RATE 0.1
#define MOST_RATE 10000

/* The functions of each agent, which have these names in a C library or in the
 * program. `by`: the expression that splits their legs, or NULL. */
static const struct {
	const char *name, *by;
	const char *functions[32];
} builtin[] = {
	{"heap",
	 NULL,
	 {"malloc", "calloc", "realloc", "free", "aligned_alloc",
	  "posix_memalign"}},
	{"io", NULL, {"read",      "write",  "pread64",    "pwrite64",
		      "readv",     "writev", "recv",       "recvfrom",
		      "recvmsg",   "send",   "sendto",     "sendmsg",
		      "connect",   "accept", "accept4",    "poll",
		      "ppoll",     "select", "epoll_wait", "fsync",
		      "fdatasync", "open64", "openat64",   "close"}},
	{"sync",
	 "$arg1",
	 {"pthread_mutex_lock", "pthread_mutex_timedlock", "pthread_cond_wait",
	  "pthread_cond_timedwait", "pthread_rwlock_rdlock",
	  "pthread_rwlock_wrlock", "pthread_spin_lock", "sem_wait",
	  "sem_timedwait", "pthread_barrier_wait", "pthread_join"}}};
#define BUILTIN (sizeof(builtin) / sizeof(*builtin))

void agent_clear_past(struct agent *agent)
{
	size_t cursor = 0;
	void *past;

	while ((past = map_next(&agent->past, &cursor, NULL)))
		free(past);
	map_deinit(&agent->past);
	agent->past = (struct map){0};
}

static void agent_deinit(struct agent *agent)
{
	free(agent->name);
	string_list_deinit(&agent->locations);
	vec_free(&agent->legs);
	vec_free(&agent->nodes);
	agent_clear_past(agent);
	holders_deinit(&agent->holders);
}

void agents_deinit(struct agent_list *agents)
{
	for (size_t i = 0; i < agents->list.count; i++)
		agent_deinit(&agents->list.data[i]);
	vec_free(&agents->list);
}

static struct agent *find(const struct agent_list *agents, const char *name)
{
	for (size_t i = 0; i < agents->list.count; i++)
		if (str_equal(agents->list.data[i].name, name))
			return &agents->list.data[i];
	return NULL;
}

const struct agent *agents_find(const struct agent_list *agents,
				const char *name)
{
	return find(agents, name);
}

static struct error *unknown(const char *name)
{
	return error_create(ERROR_USAGE,
			    "there is no agent `%s': an agent is cpu, heap, "
			    "io, sync, threads or the path of a script of "
			    "commands",
			    name);
}

/* Returns the index in `builtin`, or BUILTIN. */
static size_t find_builtin(const char *name)
{
	size_t i = 0;

	while (i < BUILTIN && !str_equal(builtin[i].name, name))
		i++;
	return i;
}

struct error *agents_check_name(const struct desk *desk, const char *name)
{
	if (find(&desk->agents, name) || str_equal(name, "cpu") ||
	    str_equal(name, "threads") || find_builtin(name) < BUILTIN)
		return NULL;
	return unknown(name);
}

/* ---- cpu ----------------------------------------------------------------- */

static double rate_of(const struct desk *desk)
{
	double rate = desk->is_full ? FULL_RATE : 1000 / desk->check_time;

	return rate < LEAST_RATE  ? LEAST_RATE
	       : rate > MOST_RATE ? MOST_RATE
				  : rate;
}

static struct error *begin_ticks(struct desk *desk)
{
	struct str said = {0};
	struct error *error;

	/* The user may have turned the ticks on already, at another rate. */
	if (session_ticks_are_on(desk->session))
		return NULL;
	error = session_ticks_rate(desk->session, rate_of(desk));
	if (!error)
		error = session_ticks_on(desk->session, &said);
	str_deinit(&said);
	return error;
}

/* Has a front end added the agent cpu, which ticks? */
static bool ticks(const struct desk *desk)
{
	const struct agent *agent = find(&desk->agents, "cpu");

	return agent && agent->kind == AGENT_CPU;
}

struct error *agents_set_rate(struct desk *desk)
{
	if (!ticks(desk) || !session_ticks_are_on(desk->session))
		return NULL;
	TRY(session_ticks_off(desk->session));
	return begin_ticks(desk);
}

struct error *agents_pause(struct desk *desk, bool paused)
{
	if (!ticks(desk))
		return NULL;
	return paused ? session_ticks_off(desk->session) : begin_ticks(desk);
}

/* ---- functions ----------------------------------------------------------- */

/* Is the function that of the C library or of the program, and not that which
 * the dynamic linker has for itself? */
static bool is_wanted(const struct function_facts *function)
{
	return !str_starts(function->module, "ld-linux");
}

/* Finds the functions in the modules whose paths are no keys of `searched`;
 * NULL: in all. */
static void find_locations(struct session *session, size_t index,
			   const struct strmap *searched,
			   struct string_list *out)
{
	for (size_t i = 0; builtin[index].functions[i]; i++) {
		struct function_facts_list found = {0};

		error_destroy(session_new_functions(session,
						    builtin[index].functions[i],
						    true, searched, &found));
		for (size_t j = 0; j < found.count; j++) {
			const struct function_facts *at = &found.data[j];

			if (is_wanted(at))
				vec_push(out,
					 xasprintf("%s@%s",
						   builtin[index].functions[i],
						   at->module));
		}
		function_facts_deinit(&found);
	}
}

/* Splits the legs at locations of the agent from index `from` on. */
static void split(struct desk *desk, const struct agent *agent, size_t from,
		  const char *by)
{
	for (size_t i = from; by && i < agent->locations.count; i++) {
		const struct timed_function *timed =
			timed_set_find(&desk->timed, agent->locations.data[i]);
		struct split_request request = {.of_leg = true, .by = by};
		struct str said = {0};

		if (!timed)
			continue;
		request.id = timed->leg;
		error_destroy(session_split(desk->session, &request, &said));
		str_deinit(&said);
	}
}

static struct error *time_functions(struct desk *desk, size_t index,
				    const struct strmap *searched,
				    struct agent *agent)
{
	size_t before = agent->locations.count;
	struct string_list fresh = {0};

	find_locations(desk->session, index, searched, &fresh);
	TRY(timed_set_extend(&desk->timed, desk->session, &fresh,
			     &agent->locations));
	split(desk, agent, before, builtin[index].by);
	return NULL;
}

void agents_look_again(struct desk *desk, const struct strmap *searched)
{
	for (size_t i = 0; i < desk->agents.list.count; i++) {
		struct agent *agent = &desk->agents.list.data[i];

		if (agent->kind == AGENT_FUNCTIONS)
			desk_note(desk, time_functions(
						desk, find_builtin(agent->name),
						searched, agent));
	}
}

/* ---- in and out ---------------------------------------------------------- */

static struct error *begin(struct desk *desk, struct agent *agent)
{
	size_t index = find_builtin(agent->name);

	if (str_equal(agent->name, "cpu")) {
		agent->kind = AGENT_CPU;
		return session_monitor_is_on(desk->session) ? begin_ticks(desk)
							    : NULL;
	}
	if (str_equal(agent->name, "threads")) {
		agent->kind = AGENT_THREADS;
		return NULL;
	}
	if (index < BUILTIN) {
		agent->kind = AGENT_FUNCTIONS;
		return time_functions(desk, index, NULL, agent);
	}
	agent->kind = AGENT_SCRIPT;
	if (access(agent->name, R_OK) != 0)
		return unknown(agent->name);
	return script_begin(desk, agent);
}

static void leave(struct agent_list *agents, struct agent *agent)
{
	agent_deinit(agent);
	vec_remove(&agents->list, (size_t)(agent - agents->list.data));
}

/* Removes an agent that nobody has added and for which nothing is detailed. */
static void leave_unneeded(struct desk *desk, struct agent *agent)
{
	if (agent->kind == AGENT_DETAILS &&
	    !details_have_agent(&desk->details, agent->name))
		leave(&desk->agents, agent);
}

/* Enters an agent that has begun, in the place of one that was there only
 * because of details. Its figures go on since that was cleared. */
static void enter(struct desk *desk, struct agent *fresh)
{
	struct agent *known = find(&desk->agents, fresh->name);

	if (known) {
		fresh->past = known->past;
		known->past = (struct map){0};
		leave(&desk->agents, known);
	}
	vec_push(&desk->agents.list, *fresh);
}

struct error *agents_add(struct desk *desk, const char *name, uint32_t owner)
{
	struct agent *known = find(&desk->agents, name);
	struct agent agent = {0};
	struct error *error;

	if (known && known->kind != AGENT_DETAILS) {
		holders_add(&known->holders, owner);
		return NULL;
	}
	agent.name = xstrdup(name);
	error = begin(desk, &agent);
	if (error) {
		agent_deinit(&agent);
		return error;
	}
	holders_add(&agent.holders, owner);
	enter(desk, &agent);
	return NULL;
}

static struct error *remove_one(struct desk *desk, struct agent *agent)
{
	struct error *error = NULL;

	if (agent->kind == AGENT_CPU)
		error = session_ticks_off(desk->session);
	timed_set_remove(&desk->timed, desk->session, &agent->locations, false);
	if (agent->kind == AGENT_SCRIPT)
		error = script_end(desk, agent);
	/* What is detailed for it stays, since when it was cleared. */
	string_list_clear(&agent->locations);
	vec_clear(&agent->legs);
	vec_clear(&agent->nodes);
	holders_deinit(&agent->holders);
	agent->holders = (struct holders){0};
	agent->kind = AGENT_DETAILS;
	leave_unneeded(desk, agent);
	return error;
}

struct error *agents_remove(struct desk *desk, const char *name)
{
	struct agent *agent = find(&desk->agents, name);

	return agent ? remove_one(desk, agent) : NULL;
}

void agents_detailed(struct desk *desk, const char *name)
{
	struct agent *agent = find(&desk->agents, name);

	if (agent)
		leave_unneeded(desk, agent);
	else if (details_have_agent(&desk->details, name))
		vec_push(&desk->agents.list,
			 (struct agent){.name = xstrdup(name),
					.kind = AGENT_DETAILS});
}

void agents_forget(struct desk *desk, uint32_t owner)
{
	struct agent_list *agents = &desk->agents;

	for (size_t i = agents->list.count; i-- > 0;)
		if (holders_drop(&agents->list.data[i].holders, owner))
			error_destroy(remove_one(desk, &agents->list.data[i]));
}
