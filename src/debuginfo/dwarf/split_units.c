/* split_units.c - finds the files of split units; see split_units.h */
#include "split_units.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "unit.h"

struct splits {
	char *root;      /* "" or "/proc/PID/root"; see separate_root() */
	char *whole;     /* the path of the linked file, with links resolved */
	char *directory; /* the directory of `whole` */
	struct source *package; /* the package of split units, or NULL */
	/* sources[i]: the .dwo file that was opened for unit i of the main
	 * source, or NULL */
	struct source **sources;
	size_t source_count;
	struct strmap by_path; /* the .dwo files by their paths */
	bool package_sought;
	/* of the current search for a unit: the path of the first file of
	 * another build that the search has found, or NULL */
	char *passed;
	/* the path at which the first missing unit should be */
	char *missing;
	/* the path of a file of another build that the search for the first
	 * missing unit found, or NULL */
	char *mismatch;
};

static struct splits *splits_of(struct debugfile *file)
{
	struct dwarf *dwarf = file->dwarf;
	struct splits *splits = dwarf->splits;
	const char *slash;

	if (splits)
		return splits;
	splits = dwarf->splits = xcalloc(1, sizeof(*splits));
	splits->root = separate_root(file->path);
	splits->whole = *splits->root ? NULL : realpath(file->path, NULL);
	if (!splits->whole)
		splits->whole = xstrdup(file->path);
	slash = strrchr(splits->whole, '/');
	splits->directory =
		slash ? xstrndup(splits->whole, (size_t)(slash - splits->whole))
		      : xstrdup(".");
	source_complete(dwarf->main);
	splits->source_count = dwarf->main->units.count;
	splits->sources =
		xcalloc(splits->source_count + 1, sizeof(*splits->sources));
	return splits;
}

void splits_destroy(struct splits *splits)
{
	if (!splits)
		return;
	for (size_t i = 0; i < splits->source_count; i++)
		source_destroy(splits->sources[i]);
	source_destroy(splits->package);
	strmap_deinit(&splits->by_path);
	free(splits->sources);
	free(splits->root);
	free(splits->whole);
	free(splits->directory);
	free(splits->passed);
	free(splits->missing);
	free(splits->mismatch);
	free(splits);
}

int splits_take_failure(const struct splits *splits)
{
	int failure = 0;

	for (size_t i = 0; i < splits->source_count && !failure; i++)
		failure = source_take_failure(splits->sources[i]);
	return failure ? failure : source_take_failure(splits->package);
}

struct source *splits_source(const struct splits *splits, uint64_t number)
{
	if (!splits)
		return NULL;
	if (number == SOURCE_PACKAGE)
		return splits->package;
	return number - SOURCE_SPLIT < splits->source_count
		       ? splits->sources[number - SOURCE_SPLIT]
		       : NULL;
}

/* ---- files -----------------------------------------------------------------
 */

/* The number (dwo_id) of a split unit before DWARF 5, where the number is an
 * attribute of the unit's root DIE. 0: the unit has no number. */
static uint64_t old_number(struct debugfile *file, struct unit *unit)
{
	struct attribute attribute;
	struct die root;

	if (die_read(file, unit, unit->root, &root) && root.abbrev &&
	    die_attribute(file, &root, DW_AT_GNU_dwo_id, &attribute) &&
	    attribute.class == ATTRIBUTE_UNSIGNED)
		return attribute.number;
	return 0;
}

/* Enter the units of a .dwo file in the source's map from numbers (dwo_id) to
 * units. */
static void read_numbers(struct debugfile *file, struct source *source)
{
	for (size_t i = 0; i < source->units.count; i++) {
		struct unit *unit = source->units.data[i];

		if (unit->type == DW_UT_type || unit->root_state == ROOT_BAD)
			continue;
		if (unit->version < 5)
			unit->dwo_id = old_number(file, unit);
		if (unit->dwo_id &&
		    !map_get(&source->split_units, unit->dwo_id))
			map_set(&source->split_units, unit->dwo_id, unit);
	}
}

/* Open the file at `path` as a source. The function takes ownership of `path`.
 * NULL: the file cannot be opened. */
static struct source *open_source(struct debugfile *file, uint64_t number,
				  char *path)
{
	struct separate separate = {.path = path};
	struct source *source;
	struct error *error;

	error = image_open(path, IMAGE_PART, &separate.image);
	if (error) {
		error_destroy(error);
		free(path);
		return NULL;
	}
	source = source_create(file, number, true, &separate);
	/* A package is large, and its sections are not all needed, so only a
	 * .dwo file is read as a whole. */
	if (number != SOURCE_PACKAGE)
		source_read_all(source);
	source_read_units(source);
	dwarf_add_budgets(file->dwarf, source);
	return source;
}

static bool try_package(struct debugfile *file, char *path)
{
	struct splits *splits = file->dwarf->splits;

	splits->package = open_source(file, SOURCE_PACKAGE, path);
	if (!splits->package)
		return false;
	split_read_package(splits->package);
	return true;
}

static void find_package(struct debugfile *file)
{
	struct splits *splits = splits_of(file);
	const char *whole = splits->whole;
	bool found;

	if (splits->package_sought)
		return;
	splits->package_sought = true;
	found = try_package(file, xasprintf("%s.dwp", whole)) ||
		(file->debug.path &&
		 try_package(file, xasprintf("%s.dwp", file->debug.path)));
	for (size_t i = 0; !found && i < file->directories.count; i++) {
		const char *directory = file->directories.data[i];
		const char *slash = strrchr(whole, '/');

		whole += strlen(splits->root);
		found = try_package(file,
				    xasprintf("%s%s.dwp", directory, whole)) ||
			try_package(file, xasprintf("%s/%s.dwp", directory,
						    slash ? slash + 1 : whole));
		whole = splits->whole;
	}
}

/* ---- units -----------------------------------------------------------------
 */

/* If the source (which may be NULL) has the split unit of the skeleton, connect
 * both units. False: the source does not have the unit. */
static bool take(struct unit *skeleton, struct source *source)
{
	struct unit *unit =
		source ? map_get(&source->split_units, skeleton->dwo_id) : NULL;

	/* If the unit has a skeleton already, two skeletons have the same
	 * number, and the file is broken. */
	if (!unit || unit->skeleton)
		return false;
	unit->skeleton = skeleton;
	skeleton->split = unit;
	return true;
}

/* If the file at `path` has the split unit of the skeleton, open the file as a
 * source and connect both units. The function takes ownership of `path`. False:
 * there is no such file, or the file does not have the unit. */
static bool try(struct debugfile *file, struct unit *skeleton, char *path)
{
	struct dwarf *dwarf = file->dwarf;
	struct splits *splits = dwarf->splits;
	size_t number = source_unit_number(dwarf->main, skeleton->offset);
	struct source *source = strmap_get(&splits->by_path, path);

	if (source) {
		free(path);
		return take(skeleton, source);
	}
	source = open_source(file, SOURCE_SPLIT + number, path);
	if (!source)
		return false;
	/* read_numbers() reads DIEs of the .dwo file that `source` stands for.
	 * The code that reads a DIE calls file_source(), which looks for the
	 * source in this array by its number. */
	splits->sources[number] = source;
	read_numbers(file, source);
	if (take(skeleton, source)) {
		strmap_set(&splits->by_path, source->separate.path, source);
		return true;
	}
	splits->sources[number] = NULL;
	if (!splits->passed)
		splits->passed = xstrdup(source->separate.path);
	source_destroy(source);
	return false;
}

/* Look for the unit's file below a directory: at its whole relative path and at
 * the last component of its path. */
static bool try_in(struct debugfile *file, struct unit *skeleton,
		   const char *directory)
{
	const char *name = skeleton->dwo_name, *last = strrchr(name, '/');

	if (*name != '/' &&
	    try(file, skeleton, xasprintf("%s/%s", directory, name)))
		return true;
	return last &&
	       try(file, skeleton, xasprintf("%s/%s", directory, last + 1));
}

/* The path at which the compiler has put the unit's file, behind the directory
 * `root` ("" or a debug directory, for example). If the compilation directory
 * is relative, `root` is not used, and the path begins with the directory of
 * the linked file. The caller frees the path. */
static char *expected_path(const struct splits *splits,
			   const struct unit *skeleton, const char *root)
{
	const char *directory = skeleton->directory, *name = skeleton->dwo_name;

	if (*name == '/')
		return xasprintf("%s%s", root, name);
	if (!directory)
		directory = "";
	if (*directory == '/')
		return xasprintf("%s%s/%s", root, directory, name);
	/* -fdebug-prefix-map can make the compilation directory relative. It is
	 * then sought in the directory of the linked file. */
	return xasprintf("%s/%s/%s", splits->directory, directory, name);
}

/* Look for the split unit of the skeleton in all files that may have it, and
 * connect both units. */
static void find(struct debugfile *file, struct unit *skeleton)
{
	struct splits *splits = splits_of(file);
	bool found;

	/* The kernel allows no path of this length, so the debug information is
	 * broken. */
	if (strnlen(skeleton->dwo_name, PATH_MAX) == PATH_MAX ||
	    (skeleton->directory &&
	     strnlen(skeleton->directory, PATH_MAX) == PATH_MAX))
		return;
	find_package(file);
	found = take(skeleton, splits->package) ||
		try(file, skeleton,
		    expected_path(splits, skeleton, splits->root)) ||
		try_in(file, skeleton, splits->directory);
	for (size_t i = 0; !found && i < file->directories.count; i++) {
		const char *directory = file->directories.data[i];

		found = try(file, skeleton,
			    expected_path(splits, skeleton, directory)) ||
			try_in(file, skeleton, directory);
	}
	if (!found && !splits->missing) {
		splits->missing = expected_path(splits, skeleton, "");
		splits->mismatch = splits->passed;
		splits->passed = NULL;
	}
	free(splits->passed);
	splits->passed = NULL;
	if (found && !unit_read_root(file, skeleton->split))
		skeleton->split = NULL;
}

struct unit *unit_whole(struct debugfile *file, struct unit *unit)
{
	if (unit->source != file->dwarf->main || !unit_read_root(file, unit) ||
	    !unit->dwo_name)
		return unit;
	if (!unit->split_sought) {
		unit->split_sought = true;
		find(file, unit);
	}
	return unit->split ? unit->split : unit;
}

bool file_may_be_split(struct debugfile *file)
{
	/* The addresses of split units are in .debug_addr of the linked file,
	 * so a file without this section has no split units. */
	return file_section_size(file, SECTION_ADDR) > 0;
}

void file_split_facts(struct debugfile *file, struct split_facts *out)
{
	struct dwarf *dwarf = file_dwarf(file);

	*out = (struct split_facts){0};
	if (!file_may_be_split(file))
		return;
	source_complete(dwarf->main);
	for (size_t i = 0; i < dwarf->main->units.count; i++) {
		struct unit *unit = dwarf->main->units.data[i];

		if (unit_whole(file, unit) != unit) {
			out->count++;
			continue;
		}
		if (unit->root_state != ROOT_GOOD || !unit->dwo_name)
			continue;
		out->count++;
		out->missing++;
	}
	if (dwarf->splits) {
		out->first = dwarf->splits->missing;
		out->mismatch = dwarf->splits->mismatch;
	}
}
