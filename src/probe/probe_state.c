/*
 * probe_state.c - creating and destroying the state of the layer
 */
#include <stdlib.h>
#include <sys/random.h>

#include "perftool/base/alloc.h"
#include "probe/arrival/arrival.h"
#include "probe/process/process.h"
#include "probe/request/request.h"
#include "probe/rings/rings.h"
#include "probe_state.h"

/* Make a number by which the tool recognizes its own rings. Rings of a tool
 * that died, or of a tool that attaches later, have another number. */
static uint32_t make_cookie(void)
{
	uint32_t cookie = 0;

	while (!cookie)
		if (getrandom(&cookie, sizeof(cookie), 0) < 0)
			cookie = (uint32_t)clock_read_tsc();
	return cookie;
}

struct probe *probe_create(struct target *target, const struct clock *clock,
			   const struct probe_client *client)
{
	struct probe *probe = xcalloc(1, sizeof(*probe));

	probe->target = target;
	probe->clock = clock;
	probe->client = *client;
	probe->rings.cookie = make_cookie();
	probe->rings.bytes = RING_BYTES;
	backlog_init(&probe->rings.backlog);
	probe->follow_fork = probe->follow_exec = true;
	probe->fast.mechanism = DEFAULT_MECHANISM;
	probe->fast.ordered = true;
	tails_init(&probe->tails);
	return probe;
}

void probe_destroy(struct probe *probe)
{
	if (!probe)
		return;
	while (probe->spaces.count)
		space_destroy(probe, probe->spaces.data[0]);
	vec_free(&probe->spaces);
	switches_free(probe);
	rings_free(probe);
	vec_free(&probe->fast.sites);
	tails_deinit(&probe->tails);
	forget_problem(probe);
	forget_searched(probe);
	vec_free(&probe->search.searched);
	vec_free(&probe->search.addressed);
	vec_free(&probe->added);
	vec_free(&probe->bound_anew);
	module_unref(probe->program);
	forget_linked(probe);
	free(probe->search.found_in);
	for (size_t i = 0; i < probe->breakpoints.count; i++)
		if (probe->breakpoints.data[i])
			breakpoint_destroy(probe->breakpoints.data[i]);
	vec_free(&probe->breakpoints);
	map_deinit(&probe->by_number);
	known_exits_forget(probe);
	called_functions_deinit(&probe->called);
	vec_free(&probe->interrupted);
	vec_free(&probe->amid);
	vec_free(&probe->merged);
	vec_free(&probe->hit_values.keys);
	vec_free(&probe->hit_values.labels);
	vec_free(&probe->hit_values.label_texts);
	strmap_deinit(&probe->remarks.noted);
	close_kernel_images(probe);
	close_files(probe);
	free(probe);
}
