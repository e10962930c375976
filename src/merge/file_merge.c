/*
 * file_merge.c - adds files to a merge, and says what the user should know of
 * them
 */
#include <inttypes.h>
#include <stdlib.h>

#include "merge_state.h"
#include "perftool/base/alloc.h"
#include "perftool/base/rank.h"

struct merge *merge_create(bool by_rank)
{
	struct merge *merge = xcalloc(1, sizeof(*merge));

	merge->by_rank = by_rank;
	merge->sum = saved_sum_create();
	return merge;
}

void merge_destroy(struct merge *merge)
{
	if (!merge)
		return;
	saved_sum_destroy(merge->sum);
	vec_free(&merge->ranks);
	map_deinit(&merge->rank_index);
	text_set_deinit(&merge->hosts);
	text_set_deinit(&merge->programs);
	text_set_deinit(&merge->builds);
	text_set_deinit(&merge->versions);
	text_set_deinit(&merge->clocks);
	text_set_deinit(&merge->added);
	vec_free(&merge->legs);
	vec_free(&merge->shares);
	free(merge);
}

/* ---- what cannot be added ------------------------------------------------ */

static struct error *only_a_part(const struct saved_tables *tables)
{
	return error_create(
		ERROR_BAD_FILE,
		"%s: its last tables are about a part of the measured time "
		"only (--delta, or tables that were saved before the end), so "
		"that a sum would lack the rest; measure without --delta, and "
		"merge what perftool writes at the end",
		tables->path);
}

static struct error *no_rank(const struct saved_tables *tables)
{
	return error_create(
		ERROR_USAGE,
		"%s: by=rank needs a rank in each file, and this one has none "
		"(it was not measured under mpirun or srun, or it is a merge "
		"itself); merge it without by=rank",
		tables->path);
}

/* What tells these tables from all others: the process, and when the tables
 * were made. The caller frees the text. */
static char *identity(const struct saved_tables *tables)
{
	return xasprintf("%s %" PRId64 " %s %s",
			 tables->host ? tables->host : "", tables->pid,
			 tables->started ? tables->started : "",
			 tables->at ? tables->at : "");
}

/* Were these tables added before? Merged tables belong to no process, and the
 * caller compares the files. */
static struct error *check_added(const struct merge *merge,
				 const struct saved_tables *tables)
{
	CLEANUP(free_pointer) char *key = identity(tables);

	if (!tables->pid || !tables->at ||
	    text_set_find(&merge->added, key) == SIZE_MAX)
		return NULL;
	return error_create(
		ERROR_USAGE,
		"%s: a copy of this file was given already (process %" PRId64
		" on %s, tables of %s), and its counts would be there twice; "
		"give each file once",
		tables->path, tables->pid,
		tables->host ? tables->host : "an unknown machine", tables->at);
}

/* ---- a file -------------------------------------------------------------- */

static struct merged_rank *find_rank(struct merge *merge, int64_t rank)
{
	size_t index = map_get_number(&merge->rank_index, (uint64_t)rank);

	if (index)
		return &merge->ranks.data[index - 1];
	vec_push(&merge->ranks,
		 (struct merged_rank){.rank = rank,
				      .part = (uint32_t)merge->ranks.count});
	map_set_number(&merge->rank_index, (uint64_t)rank, merge->ranks.count);
	return &merge->ranks.data[merge->ranks.count - 1];
}

/* Adds what a merge says of its files. */
static void add_merged(struct merge *merge, const struct saved_tables *tables)
{
	for (size_t i = 0; i < tables->merged_ranks.count; i++)
		find_rank(merge, tables->merged_ranks.data[i])->files++;
	for (size_t i = 0; i < tables->merged_hosts.count; i++)
		text_set_add(&merge->hosts, tables->merged_hosts.data[i]);
	for (size_t i = 0; i < tables->merged_programs.count; i++)
		text_set_add(&merge->programs, tables->merged_programs.data[i]);
	merge->file_count += tables->merged_files;
}

/* Adds the tables to the sum, and to what their rank has. */
static void add_tables(struct merge *merge, const struct saved_tables *tables)
{
	struct merged_rank *rank = NULL;

	if (tables->rank != RANK_NONE) {
		rank = find_rank(merge, tables->rank);
		rank->files++;
	}
	if (rank && merge->by_rank)
		saved_sum_add_part(merge->sum, tables, rank->part);
	else
		saved_sum_add(merge->sum, tables);
}

struct error *merge_add(struct merge *merge, const struct saved_tables *tables)
{
	CLEANUP(free_pointer) char *key = NULL;

	if (tables->is_interval)
		return only_a_part(tables);
	if (merge->by_rank && tables->rank == RANK_NONE)
		return no_rank(tables);
	TRY(check_added(merge, tables));
	key = identity(tables);
	text_set_add(&merge->added, key);
	text_set_add(&merge->hosts, tables->host);
	text_set_add(&merge->programs, tables->program);
	text_set_add(&merge->builds, tables->build_id);
	text_set_add(&merge->versions, tables->version);
	text_set_add(&merge->clocks, tables->clock);
	add_tables(merge, tables);
	if (tables->merged_files)
		add_merged(merge, tables);
	else
		merge->file_count++;
	return NULL;
}

/* ---- remarks ------------------------------------------------------------- */

/* The most values that a remark lists. */
#define MOST_LISTED 4

static void list(const struct text_set *set, struct str *out)
{
	for (size_t i = 0; i < set->texts.count && i < MOST_LISTED; i++)
		str_printf(out, "%s%s", i ? ", " : "", set->texts.data[i]);
	if (set->texts.count > MOST_LISTED)
		str_printf(out, " and %zu more",
			   set->texts.count - MOST_LISTED);
}

/* Appends a line if the files differ. */
static void if_differ(const struct text_set *set, const char *what,
		      const char *therefore, struct str *out)
{
	if (set->texts.count < 2)
		return;
	str_printf(out, "the files are of %zu %s (", set->texts.count, what);
	list(set, out);
	str_printf(out, "): %s\n", therefore);
}

static void repeated_ranks(const struct merge *merge, struct str *out)
{
	size_t count = 0;
	int64_t first = 0;

	for (size_t i = 0; i < merge->ranks.count; i++) {
		const struct merged_rank *rank = &merge->ranks.data[i];

		if (rank->files < 2)
			continue;
		if (!count || rank->rank < first)
			first = rank->rank;
		count++;
	}
	if (count)
		str_printf(out,
			   "%zu rank%s in several files, the first is rank "
			   "%" PRId64 ": are these several runs, or is a file "
			   "merged with a merge of it?\n",
			   count, count == 1 ? " is" : "s are", first);
}

/* Which ranks are missing below the largest one? A process that died, or whose
 * file was not named, is easily overlooked among many. */
static void missing_ranks(const struct merge *merge, struct str *out)
{
	int64_t largest = -1, first = -1;
	size_t missing;

	for (size_t i = 0; i < merge->ranks.count; i++)
		if (merge->ranks.data[i].rank > largest)
			largest = merge->ranks.data[i].rank;
	missing = (size_t)(largest + 1) - merge->ranks.count;
	if (!missing)
		return;
	for (int64_t rank = 0; first < 0; rank++)
		if (!map_get_number(&merge->rank_index, (uint64_t)rank))
			first = rank;
	str_printf(out,
		   "%zu rank%s below %" PRId64 " missing, the first is rank "
		   "%" PRId64 "\n",
		   missing, missing == 1 ? " is" : "s are", largest, first);
}

void merge_remarks(const struct merge *merge, struct str *out)
{
	if_differ(&merge->programs, "programs",
		  "what has the same name is added up", out);
	if (merge->programs.texts.count < 2)
		if_differ(&merge->builds, "builds of the program, by build ID",
			  "what has the same name is added up", out);
	if_differ(&merge->versions, "versions of perftool",
		  "the tables of one may have fields that those of another "
		  "lack",
		  out);
	if_differ(&merge->clocks, "clocks",
		  "their times are all in ns, but not equally fine", out);
	if (saved_sum_left_out(merge->sum))
		str_printf(out,
			   "the histogram of %s is left out, because it does "
			   "not have the same buckets in all files\n",
			   saved_sum_left_out(merge->sum));
	if (saved_sum_unsplit(merge->sum))
		str_printf(out,
			   "the rows of `by' of %s are left out where the "
			   "files have another expression, or none with "
			   "buckets (of an older perftool)\n",
			   saved_sum_unsplit(merge->sum));
	repeated_ranks(merge, out);
	missing_ranks(merge, out);
}
