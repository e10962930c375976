/*
 * index.c - see index.h
 *
 * The index first scans the units of the program's own file (index_threads.c).
 * The root DIEs of these units say which units are split off, and their imports
 * (DW_TAG_imported_unit) say which units of the shared file they use. The index
 * then opens the files with these units and scans them. Units of the shared
 * file may import others, so the index scans them in rounds, until a round
 * finds no new imports. In the end one thread finds the names that are in other
 * units.
 */
#include "index.h"

#include "debuginfo/dwarf/dwarf.h"
#include "index_cache.h"
#include "perftool/base/alloc.h"

/* The most rounds of scanning imported units. Files that dwz writes need
 * fewer. */
#define MAX_ROUNDS 64

/* ---- the results --------------------------------------------------------- */

static int compare_units(const void *a_, const void *b_)
{
	const struct unit *a = a_, *b = b_;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Copy from a scan's copy of a unit what the scan has read of the root DIE, and
 * the bytes of the unit if the scan kept them, so that nobody reads them
 * again. */
static void adopt_root(struct unit *unit, const struct unit *read)
{
	if (unit->root_state == ROOT_UNREAD && !unit->data)
		*unit = *read;
	else if (read->owns_data)
		free((void *)read->data);
}

/* Enter the units that the scans have inflated in the source's list of units,
 * in the order of their offsets. The first units may be in the list already. */
static void collect_units(struct source *source, const struct index *index)
{
	VEC(struct unit) units = {0};

	for (size_t i = 0; i < index->scan_count; i++)
		for (size_t j = 0; j < index->scans[i].units.count; j++)
			vec_push(&units, index->scans[i].units.data[j]);
	if (units.count)
		qsort(units.data, units.count, sizeof(*units.data),
		      compare_units);
	for (size_t i = 0; i < units.count; i++) {
		if (i < source->units.count)
			adopt_root(source->units.data[i], &units.data[i]);
		else
			source_add_unit(source, &units.data[i]);
	}
	vec_free(&units);
}

static void adopt_roots(struct debugfile *file, struct index *index)
{
	for (size_t i = 0; i < index->scan_count; i++) {
		struct scan *scan = &index->scans[i];

		for (size_t j = 0; j < scan->units.count; j++)
			adopt_root(unit_with_header(file,
						    scan->units.data[j].offset),
				   &scan->units.data[j]);
		vec_free(&scan->units);
	}
}

/* Find the names that a scan did not find because they are in other units. For
 * this, other units may have to be loaded, so only one thread may do it. */
static void read_far_names(struct debugfile *file, struct scan *scan)
{
	struct map numbers = {0};

	for (size_t i = 0; i < scan->left_over.count; i++) {
		struct unit *unit =
			unit_with_header(file, scan->left_over.data[i]);

		scan_again(scan, unit);
	}
	vec_free(&scan->left_over);
	for (size_t i = 0; i < scan->far_calls.count; i++) {
		const struct scan_far_call *call = &scan->far_calls.data[i];
		void *known = map_get(&numbers, call->origin);

		if (!known) {
			known = (void *)((uintptr_t)scan_far_name(
						 scan, call->origin) +
					 1);
			map_set(&numbers, call->origin, known);
		}
		if ((uintptr_t)known > 1)
			vec_push(&scan->calls,
				 (struct scan_call){
					 call->address,
					 (uint32_t)((uintptr_t)known - 2)});
	}
	vec_free(&scan->far_calls);
	map_deinit(&numbers);
}

/* ---- rounds -------------------------------------------------------------- */

VEC_STRUCT(unit_list, struct unit *);

static void set_budgets(struct dwarf *dwarf, uint64_t times)
{
	struct index *index = dwarf->main->file->index;

	index->shared.abbrev_budget = times * dwarf->abbrev_budget;
	for (size_t i = 0; i < index->scan_count; i++)
		index->scans[i].range_budget = dwarf->range_budget;
}

struct index *index_begin(struct debugfile *file)
{
	struct dwarf *dwarf = file->dwarf;
	struct index *index = xcalloc(1, sizeof(*index));

	file->index = index;
	scan_shared_init(&index->shared, file, dwarf->main->packed != NULL,
			 file->expected);
	index->scan_count = index_processors();
	index->scans = xcalloc(index->scan_count, sizeof(*index->scans));
	for (size_t i = 0; i < index->scan_count; i++)
		scan_init(&index->scans[i], &index->shared);
	set_budgets(dwarf, 4);
	return index;
}

void index_read_packed(struct debugfile *file)
{
	struct index *index = index_begin(file);

	index_scan(file, index, NULL, 0);
	collect_units(file->dwarf->main, index);
	for (size_t i = 0; i < index->scan_count; i++) {
		vec_free(&index->scans[i].units);
		scan_finish(&index->scans[i]);
	}
	/* The bytes of all other units stay in memory, so strings in them need
	 * not be copied. */
	index->shared.copy_strings = false;
}

static void scan_list(struct debugfile *file, struct unit_list *units)
{
	struct index *index = file->index;

	if (units->count) {
		index_scan(file, index, units->data, units->count);
		adopt_roots(file, index);
	}
	units->count = 0;
}

/* Scan the units of the program's own file that were not inflated. */
static void scan_main(struct debugfile *file, struct unit_list *units)
{
	struct source *source = file->dwarf->main;

	for (size_t i = 0; i < source->units.count; i++) {
		struct unit *unit = source->units.data[i];

		if (!source->packed || unit->offset >= source->info_size)
			vec_push(units, unit);
	}
	scan_list(file, units);
}

/* Scan the split units of all skeletons, and the type units in the files of
 * split units. */
static void scan_split(struct debugfile *file, struct unit_list *units)
{
	struct source *source = file->dwarf->main;
	struct map sources = {0};

	for (size_t i = 0; i < source->units.count; i++) {
		struct unit *unit = unit_whole(file, source->units.data[i]);
		struct source *other = unit->source;

		if (other == source)
			continue;
		vec_push(units, unit);
		if (map_get(&sources, other->base))
			continue;
		map_set(&sources, other->base, other);
		source_read_all(other);
		for (size_t j = 0; j < other->units.count; j++)
			if (other->units.data[j]->type == DW_UT_type)
				vec_push(units, other->units.data[j]);
	}
	map_deinit(&sources);
	if (units->count)
		set_budgets(file->dwarf, 4);
	scan_list(file, units);
}

/* Append to `units` the units of the shared file that the scans found imports
 * of, except for those in `seen`. Add the new units to `seen`. False: there are
 * no new units. */
static bool collect_imported(struct debugfile *file, struct map *seen,
			     struct unit_list *units)
{
	struct index *index = file->index;

	for (size_t i = 0; i < index->scan_count; i++) {
		struct scan *scan = &index->scans[i];

		for (size_t j = 0; j < scan->imports.count; j++) {
			struct unit *unit =
				unit_with_header(file, scan->imports.data[j]);

			if (!unit || map_get(seen, unit->offset))
				continue;
			map_set(seen, unit->offset, unit);
			vec_push(units, unit);
		}
		scan->imports.count = 0;
	}
	return units->count > 0;
}

static void scan_rest(struct debugfile *file, struct unit_list *units)
{
	struct dwarf *dwarf = file->dwarf;
	struct index *index = file->index;
	struct map seen = {0};
	int rounds = 0;

	scan_main(file, units);
	if (file_may_be_split(file))
		scan_split(file, units);
	if (file_shared_source(file))
		set_budgets(dwarf, 4);
	do {
		while (collect_imported(file, &seen, units) &&
		       rounds++ < MAX_ROUNDS)
			scan_list(file, units);
		units->count = 0;
		/* The names that one thread finds alone have a budget of their
		 * own. */
		if (!rounds++)
			set_budgets(dwarf, 64);
		for (size_t i = 0; i < index->scan_count; i++)
			read_far_names(file, &index->scans[i]);
	} while (rounds < MAX_ROUNDS && collect_imported(file, &seen, units));
	map_deinit(&seen);
}

static void finish(struct debugfile *file)
{
	struct unit_list units = {0};
	struct index *index;

	/* If the units were in a cache file, they were not scanned yet. */
	if (!file->index && file->dwarf->main->packed)
		index_read_packed(file);
	index = file->index ? file->index : index_begin(file);
	index->complete = true;
	scan_rest(file, &units);
	vec_free(&units);
	for (size_t i = 0; i < index->scan_count; i++)
		scan_finish(&index->scans[i]);
	index->shared.expected = NULL; /* The caller may free the names now. */
	index_keep(file);
}

const struct index *file_index_for(struct debugfile *file,
				   const struct expected_names *expected)
{
	struct dwarf *dwarf = file_dwarf(file);

	file->expected = expected;
	source_complete(dwarf->main);
	if ((!file->index || !file->index->complete) && !index_recall(file))
		finish(file);
	file->expected = NULL;
	return file->index;
}

const struct index *file_index(struct debugfile *file)
{
	return file_index_for(file, NULL);
}

void index_destroy(struct index *index)
{
	if (!index)
		return;
	for (size_t i = 0; i < index->scan_count; i++)
		scan_deinit(&index->scans[i]);
	free(index->scans);
	pthread_mutex_destroy(&index->shared.lock);
	free(index);
}
