/*
 * probe_list.c - `list probes`: the static probes of the program and its
 * libraries, and their names as candidates for completion
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/session/session_settings.h"

/* Does PROVIDER:NAME match the pattern, which may be a name alone? */
static bool is_meant(const char *pattern, const struct static_probe *probe)
{
	CLEANUP(free_pointer)
	char *name = xasprintf("%s:%s", probe->provider, probe->name);

	if (!pattern)
		return true;
	if (str_starts(pattern, "probe:"))
		pattern += strlen("probe:");
	return fnmatch(pattern, strchr(pattern, ':') ? name : probe->name, 0) ==
	       0;
}

/* A file with static probes. */
struct probed {
	const char *name;
	uint64_t bias; /* 0 before the program runs */
	struct debugfile *file;
};
VEC_STRUCT(probed_list, struct probed);

/* Append the files of the program: those of its modules, or, before it runs,
 * its own file and the libraries that it is linked with. */
static void add_files(struct session *session, struct probed_list *out)
{
	const struct module *module;
	struct debugfile *const *linked;
	size_t count = probe_linked_files(session->probe, &linked);

	for (size_t i = 0; (module = probe_module(session->probe, i)); i++) {
		struct probed probed = {.name = module_name(module),
					.bias = module_bias(module),
					.file = module_file(module)};

		if (probed.file)
			vec_push(out, probed);
	}
	/* The first one is the program, which is a module already. */
	for (size_t i = 1; i < count; i++) {
		const char *path = debugfile_path(linked[i]);
		struct probed probed = {.name = path_file_name(path),
					.file = linked[i]};

		vec_push(out, probed);
	}
}

static void list_probe(const struct probed *probed,
		       const struct static_probe *probe, struct str *out)
{
	str_printf(out, "%#14" PRIx64 "  %s  probe:%s:%s",
		   probe->address + probed->bias, probed->name, probe->provider,
		   probe->name);
	if (probe->arguments[0])
		str_printf(out, "  %s", probe->arguments);
	str_append(out, probe->semaphore ? "  (semaphore)\n" : "\n");
}

struct error *session_list_probes(struct session *session, const char *pattern,
				  struct str *out)
{
	struct probed_list files = {0};
	bool any = false;

	TRY(need_program(session));
	add_files(session, &files);
	for (size_t i = 0; i < files.count; i++) {
		const struct static_probe_list *probes =
			debugfile_probes(files.data[i].file);

		for (size_t j = 0; j < probes->count; j++) {
			if (!is_meant(pattern, &probes->data[j]))
				continue;
			list_probe(&files.data[i], &probes->data[j], out);
			any = true;
		}
	}
	vec_free(&files);
	if (any)
		return NULL;
	return error_create(ERROR_NOT_FOUND,
			    "no static probe %s%s; those of libraries that the "
			    "program loads by itself are found when it has "
			    "loaded them",
			    pattern ? "is named " : "is there",
			    pattern ? pattern : "");
}

/* Visit the names of the probes of a file. Returns false when the visitor wants
 * no more. */
static bool complete_file(struct debugfile *file, const char *prefix,
			  session_visit_fn *visit, void *context)
{
	const struct static_probe_list *probes = debugfile_probes(file);

	for (size_t i = 0; i < probes->count; i++) {
		CLEANUP(free_pointer)
		char *name = xasprintf("probe:%s:%s", probes->data[i].provider,
				       probes->data[i].name);

		if (str_starts(name, prefix) && !visit(context, name))
			return false;
	}
	return true;
}

void complete_probes(struct session *session, const char *prefix,
		     session_visit_fn *visit, void *context)
{
	struct probed_list files = {0};

	add_files(session, &files);
	for (size_t i = 0; i < files.count; i++)
		if (!complete_file(files.data[i].file, prefix, visit, context))
			break;
	vec_free(&files);
}
