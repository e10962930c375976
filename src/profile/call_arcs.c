/* call_arcs.c - see perftool/profile/call_arcs.h */
#include "perftool/profile/call_arcs.h"

#include "perftool/base/hash.h"

void call_arcs_deinit(struct call_arcs *arcs)
{
	vec_free(&arcs->list);
	map_deinit(&arcs->by_hash);
}

void call_arcs_clear(struct call_arcs *arcs)
{
	size_t limit = arcs->limit;

	call_arcs_deinit(arcs);
	*arcs = (struct call_arcs){.limit = limit};
}

void call_times_add(struct call_times *to, const struct call_times *times)
{
	to->count += times->count;
	to->unreturned += times->unreturned;
	to->elapsed += times->elapsed;
	to->self += times->self;
	to->outermost += times->outermost;
	to->self_waiting += times->self_waiting;
	to->waiting += times->waiting;
}

static bool is_same(const struct call_arc *a, const struct call_arc *b)
{
	return a->thread == b->thread && a->caller == b->caller &&
	       a->callee == b->callee && a->site == b->site &&
	       a->site_module == b->site_module && a->by_site == b->by_site;
}

static uint64_t hash_arc(const struct call_arc *arc)
{
	uint64_t hash = hash_bytes(HASH_START, &arc->site, sizeof(arc->site));

	hash = hash_bytes(hash, &arc->site_module, sizeof(arc->site_module));
	hash = hash_bytes(hash, &arc->thread, sizeof(arc->thread));
	hash = hash_bytes(hash, &arc->caller, sizeof(arc->caller));
	return hash_bytes(hash, &arc->callee, sizeof(arc->callee));
}

void call_arcs_add(struct call_arcs *arcs, const struct call_arc *arc)
{
	uint64_t hash = hash_arc(arc), number;

	/* other arcs of the same hash have the next keys */
	for (; (number = map_get_number(&arcs->by_hash, hash)); hash++) {
		struct call_arc *known = &arcs->list.data[number - 1];

		if (is_same(known, arc)) {
			call_times_add(&known->times, &arc->times);
			return;
		}
	}
	if (arcs->limit && arcs->list.count >= arcs->limit) {
		call_times_add(&arcs->other, &arc->times);
		arcs->others++;
		return;
	}
	vec_push(&arcs->list, *arc);
	map_set_number(&arcs->by_hash, hash, arcs->list.count);
}
