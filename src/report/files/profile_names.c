/* profile_names.c - see profile_names.h */
#include "profile_names.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/map.h"
#include "perftool/base/path.h"
#include "report/figures/figures.h"

/* How many procedures have a name; and a name in a module. */
struct shared_names {
	struct strmap names, names_of_modules;
};

static void count_text(struct strmap *map, const char *text)
{
	strmap_set(map, text, (void *)((uintptr_t)strmap_get(map, text) + 1));
}

static bool is_shared(const struct strmap *map, const char *text)
{
	return (uintptr_t)strmap_get(map, text) > 1;
}

static bool has_module(const struct procedure *procedure)
{
	return procedure->module && *procedure->module;
}

static char *with_module(const struct procedure *procedure)
{
	return xasprintf("%s@%s", procedure->name, procedure->module);
}

static void count_names(const struct procedures *procedures,
			struct shared_names *shared)
{
	for (size_t i = 0; i < procedures->list.count; i++)
		count_text(&shared->names, procedures->list.data[i].name);
	for (size_t i = 0; i < procedures->list.count; i++) {
		const struct procedure *at = &procedures->list.data[i];

		if (is_shared(&shared->names, at->name) && has_module(at)) {
			CLEANUP(free_pointer) char *text = with_module(at);

			count_text(&shared->names_of_modules, text);
		}
	}
}

/* Return a name that tells the procedure from others. The caller frees it. */
static char *distinct_name(const struct shared_names *shared,
			   const struct procedure *procedure)
{
	CLEANUP(free_pointer) char *text = NULL;

	if (!is_shared(&shared->names, procedure->name) ||
	    !has_module(procedure))
		return xstrdup(procedure->name);
	text = with_module(procedure);
	if (is_shared(&shared->names_of_modules, text) && procedure->file)
		return xasprintf("%s:%s", path_file_name(procedure->file),
				 text);
	return xstrdup(text);
}

void profile_names_init(struct profile_names *names,
			const struct procedures *procedures,
			void (*write)(const char *name, struct str *out))
{
	struct shared_names shared = {{0}, {0}};

	names->count = procedures->list.count;
	names->texts = xcalloc(names->count + 1, sizeof(*names->texts));
	count_names(procedures, &shared);
	for (size_t i = 0; i < names->count; i++) {
		CLEANUP(free_pointer)
		char *name = distinct_name(&shared, &procedures->list.data[i]);
		struct str text = {0};

		write(name, &text);
		names->texts[i] = str_take(&text);
	}
	strmap_deinit(&shared.names);
	strmap_deinit(&shared.names_of_modules);
}

void profile_names_deinit(struct profile_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->texts[i]);
	free(names->texts);
	*names = (struct profile_names){0};
}

char *thread_name(const struct sampled_thread *thread,
		  void (*write)(const char *name, struct str *out))
{
	CLEANUP(free_pointer) char *number = NULL;
	struct str text = {0};

	if (!thread->name || !*thread->name)
		number = xasprintf("thread %d", (int)thread->tid);
	write(number ? number : thread->name, &text);
	return str_take(&text);
}
