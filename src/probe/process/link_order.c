/*
 * link_order.c - the modules in the order in which expressions look names up in
 * them
 *
 * This is the order of loading, which the run-time linker keeps in a list
 * (r_debug in link.h). For a program that has not run yet, the modules are the
 * libraries that the program asks for, if they are where libraries usually are.
 * So a name that a library defines is not refused as a mistake before the
 * program runs.
 */
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "callers.h"
#include "module.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/probe/loaded_modules.h"
#include "probe/probe_state.h"
#include "space_users.h"

/* The largest number of modules in the list. A list that is read while it is
 * being changed may be circular. */
#define MOST_MODULES 65536

static void add_file(struct file_list *files, struct debugfile *file)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->data[i] == file)
			return;
	if (file)
		vec_push(files, file);
}

/* ---- modules that are loaded --------------------------------------------- */

static bool read_at(struct space *space, uint64_t address, void *out,
		    size_t size)
{
	return target_read_callback(space->process, address, out, size);
}

/* Find the beginning of the run-time linker's list. Returns false if the list
 * does not exist yet. */
static bool find_list(struct space *space, uint64_t *first)
{
	const struct module *program = space->modules.data[0].module;
	const struct debugfile *file = module_file(program);
	uint64_t at = file ? debugfile_facts(file)->dynamic : 0;
	struct r_debug debug;
	Elf64_Dyn entry;

	if (!at)
		return false;
	for (at += program->bias; read_at(space, at, &entry, sizeof(entry)) &&
				  entry.d_tag != DT_NULL;
	     at += sizeof(entry)) {
		if (entry.d_tag != DT_DEBUG)
			continue;
		if (!entry.d_un.d_ptr ||
		    !read_at(space, entry.d_un.d_ptr, &debug, sizeof(debug)))
			return false;
		*first = (uint64_t)(uintptr_t)debug.r_map;
		return *first != 0;
	}
	return false;
}

static void add_in_order(struct space *space, struct file_list *files)
{
	struct link_map map;
	uint64_t at;

	if (!space->process || !find_list(space, &at))
		return;
	for (int i = 0;
	     at && i < MOST_MODULES && read_at(space, at, &map, sizeof(map));
	     i++) {
		const struct module *module =
			space_module_at(space, (uint64_t)(uintptr_t)map.l_ld);

		if (module)
			add_file(files, module_file(module));
		at = (uint64_t)(uintptr_t)map.l_next;
	}
}

/* ---- libraries that will be loaded --------------------------------------- */

struct wanted {
	struct probe *probe;
	struct debugfile *by;  /* the file that needs libraries */
	const char *directory; /* the directory of that file, for $ORIGIN */
	const char *linker;    /* the directory of the run-time linker */
	struct file_list *files;
};

static bool add_path(struct wanted *wanted, const char *path)
{
	struct debugfile *file;
	struct error *error = probe_open_file(wanted->probe, path, &file);

	error_destroy(error);
	if (!error)
		add_file(wanted->files, file);
	return !error;
}

/* Look for a library in directories that are separated by colons. */
static bool find_in(struct wanted *wanted, const char *path, const char *name)
{
	bool found = false;

	while (path && *path && !found) {
		size_t length = strcspn(path, ":");
		const char *rest = path;
		bool origin = str_starts(path, "$ORIGIN") ||
			      str_starts(path, "${ORIGIN}");
		char *whole;

		if (origin)
			rest += path[1] == '{' ? 9 : 7;
		whole = xasprintf("%s%.*s/%s", origin ? wanted->directory : "",
				  (int)(length - (size_t)(rest - path)), rest,
				  name);
		found = add_path(wanted, whole);
		free(whole);
		path += length;
		path += *path == ':';
	}
	return found;
}

static bool add_needed(void *context, const char *name)
{
	static const char usual[] =
		"/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:"
		"/usr/lib64:/usr/local/lib:/lib:/usr/lib";
	struct wanted *wanted = context;
	CLEANUP(free_pointer)
	char *own = debugfile_library_path(wanted->by);

	if (strchr(name, '/'))
		add_path(wanted, name);
	else if (!find_in(wanted, own, name) &&
		 !find_in(wanted, getenv("LD_LIBRARY_PATH"), name) &&
		 !find_in(wanted, wanted->linker, name))
		find_in(wanted, usual, name);
	return true;
}

/* The directory of a file after all links are resolved, or NULL. The caller
 * frees it. */
static char *directory_of(const char *path)
{
	char *whole = path ? realpath(path, NULL) : NULL, *slash;

	slash = whole ? strrchr(whole, '/') : NULL;
	if (slash)
		*slash = '\0';
	return whole;
}

static void add_wanted(struct probe *probe, struct file_list *files)
{
	CLEANUP(free_pointer)
	char *linker =
		directory_of(debugfile_facts(files->data[0])->interpreter);
	struct wanted wanted = {
		.probe = probe, .linker = linker, .files = files};

	for (size_t i = 0; i < files->count; i++) {
		CLEANUP(free_pointer)
		char *directory = directory_of(debugfile_path(files->data[i]));

		wanted.by = files->data[i];
		wanted.directory = directory ? directory : ".";
		debugfile_each_needed(wanted.by, add_needed, &wanted);
	}
}

/* ---- the files for expressions ------------------------------------------- */

static void find_files(struct space *space)
{
	struct file_list *files = &space->files;
	const struct module *program = space->modules.data[0].module;

	add_file(files, module_file(program));
	add_in_order(space, files);
	for (size_t i = 1; i < space->modules.count; i++)
		add_file(files, module_file(space->modules.data[i].module));
	if (!space->process && files->count == 1)
		add_wanted(program->probe, files);
}

static size_t files_of(void *context, struct debugfile *const **out)
{
	struct space *space = context;

	if (!space->files.count && space->modules.count)
		find_files(space);
	*out = space->files.data;
	return space->files.count;
}

static bool bias_of(void *context, const struct debugfile *file, uint64_t *bias)
{
	const struct space *space = context;

	for (size_t i = 0; i < space->modules.count; i++) {
		const struct module *module = space->modules.data[i].module;

		if (module->file != file)
			continue;
		*bias = module->bias;
		return true;
	}
	return false;
}

static void caller_of(void *context, uint64_t address, unsigned frame,
		      struct expr_caller *out)
{
	space_find_caller(context, address, frame, out);
}

struct expr_modules space_expr_modules(struct space *space)
{
	if (!space)
		return (struct expr_modules){0};
	return (struct expr_modules){.files = files_of,
				     .bias = bias_of,
				     .caller = caller_of,
				     .context = space};
}

struct expr_modules probe_expr_modules(const struct process *process)
{
	return space_expr_modules(space_of(process));
}

size_t probe_linked_files(struct probe *probe, struct debugfile *const **out)
{
	struct space *space =
		probe->spaces.count ? probe->spaces.data[0] : NULL;

	return space && !space->process ? files_of(space, out) : 0;
}
