/*
 * gmon.c - the files that GNU gprof reads: one of the program, and beside it
 * one of each library
 */
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "gmon_module.h"
#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "profile_writers.h"

/* Return the name of a library's file: gmon.libc.so.6.out beside gmon.out. The
 * caller frees it. */
static char *library_path(const char *path, const char *module)
{
	const char *name = path_file_name(path);
	const char *dot = strrchr(name, '.');
	const char *ending = dot && dot > name ? dot : name + strlen(name);
	int stem = (int)(ending - path);
	size_t taken = (size_t)(ending - name) + strlen(ending) + 1;
	size_t room = taken < NAME_MAX ? NAME_MAX - taken : 0;
	char *text;

	text = xasprintf("%.*s.%.*s%s", stem, path, (int)room, module, ending);
	/* a module may be called by anything: [vdso], a deleted file */
	for (char *at = text + stem; *at; at++) {
		if (*at == '/')
			*at = '_';
	}
	return text;
}

#define NO_CALLERS "gprof knows no callers outside of a file;"

static void remark(const struct profile *profile,
		   const struct gmon_modules *modules, struct str *remarks)
{
	uint64_t told = modules->from_else - modules->unsaid;

	if (!profile->arcs)
		str_append(remarks,
			   "gprof will show no calls, because none were "
			   "counted; `profile calls' counts them\n");
	if (told)
		str_printf(remarks,
			   NO_CALLERS " calls from other modules that it will "
				      "show as calls from _start or _init: "
				      "%" PRIu64 "\n",
			   told);
	if (modules->unsaid)
		str_printf(remarks,
			   NO_CALLERS " calls from other modules that are not "
				      "in the files: %" PRIu64 "\n",
			   modules->unsaid);
	if (modules->waits)
		str_printf(remarks,
			   "gprof knows no waits; ticks of waits that are not "
			   "in the files: %" PRIu64 "\n",
			   modules->waits);
	if (modules->nowhere)
		str_printf(remarks,
			   "Ticks that are not in the files, because it is not "
			   "known in which file their code is: %" PRIu64 "\n",
			   modules->nowhere);
}

/* Begin a file and write all of it, but do not give it its name yet. */
static struct error *write_module(struct whole_file *file,
				  const struct gmon_modules *modules,
				  struct gmon_module *module, const char *path,
				  const struct writer *writer)
{
	CLEANUP(str_deinit) struct str text = {0};

	TRY(whole_file_begin(file, writer, path));
	gmon_write(modules, module, &text);
	return whole_file_write(file, str_text(&text), text.length);
}

/* Write the files of all modules; `files` has room for them. The first module
 * of a program has the file `path`. */
static struct error *write_modules(struct whole_file *files,
				   struct gmon_modules *modules,
				   const char *path,
				   const struct writer *writer)
{
	bool has_program = false;

	for (size_t i = 0; i < modules->list.count; i++) {
		struct gmon_module *module = &modules->list.data[i];
		CLEANUP(free_pointer) char *library = NULL;

		if (has_program || !module->facts ||
		    !module->facts->is_program) {
			library = library_path(path, module->name);
			TRY(write_module(&files[i], modules, module, library,
					 writer));
		} else {
			has_program = true;
			TRY(write_module(&files[i], modules, module, path,
					 writer));
		}
	}
	return NULL;
}

static bool knows_program(const struct profile *profile)
{
	for (size_t i = 0; i < profile->module_count; i++) {
		if (profile->modules[i].is_program)
			return true;
	}
	return false;
}

struct error *write_gmon(const struct profile *profile, const char *path,
			 const struct writer *writer, struct str *remarks)
{
	struct gmon_modules modules;
	struct whole_file *files;
	struct error *error;

	if (!knows_program(profile))
		return error_create(ERROR_OTHER,
				    "%s cannot be written: the program's file "
				    "is not known",
				    path);
	gmon_modules_init(&modules, profile);
	files = xcalloc(modules.list.count + 1, sizeof(*files));
	error = write_modules(files, &modules, path, writer);
	for (size_t i = 0; i < modules.list.count; i++) {
		if (!error && files[i].path)
			error = whole_file_finish(&files[i]);
		else
			whole_file_give_up(&files[i]);
	}
	if (!error)
		remark(profile, &modules, remarks);
	free(files);
	gmon_modules_deinit(&modules);
	return error;
}
