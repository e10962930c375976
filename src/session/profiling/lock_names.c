/*
 * lock_names.c - the names of locks, of threads, and of the functions that wait
 * for locks
 *
 * Names are found when something is first met, because its process may have
 * ended when the report is made.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lock_waits.h"
#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/target/memory_maps.h"
#include "perftool/target/process_status.h"
#include "session/run/run.h"

static uint64_t number_of(pid_t pid, uint64_t address)
{
	return (uint64_t)(uint32_t)pid << 47 ^ address;
}

static struct process *process_of(struct session *session, pid_t pid)
{
	const struct followed *followed = find_followed(session, pid);

	return followed ? followed->process : NULL;
}

/* ---- sites --------------------------------------------------------------- */

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

/* Is it a file of the system, such as the header of std::mutex? What is inlined
 * from there is not where the user looks for the lock. */
static bool is_of_system(const char *path)
{
	return path && (strncmp(path, "/usr/include/", 13) == 0 ||
			strncmp(path, "/usr/lib/", 9) == 0);
}

/* Chooses the innermost call in a file that is the program's own, else the
 * function itself. */
static const struct source_frame *
choose_frame(const struct source_frame_list *frames)
{
	for (size_t i = 0; i < frames->count; i++)
		if (frames->data[i].file && !is_of_system(frames->data[i].file))
			return &frames->data[i];
	return &frames->data[frames->count - 1];
}

/* Names a function without a name by where it begins, so that all places in it
 * have one name. */
static char *name_by_address(struct debugfile *file,
			     const struct module *module, uint64_t address)
{
	struct function function;

	if (debugfile_function_at(file, address, &function))
		address = function.address;
	return xasprintf("%s+0x%" PRIx64, module_name(module), address);
}

/* Finds the function that has called. */
static void describe(struct session *session, struct lock_site *site)
{
	struct process *process = process_of(session, site->pid);
	const struct module *module =
		process ? probe_module_at(session->probe, process,
					  site->address)
			: NULL;
	struct debugfile *file = module ? module_file(module) : NULL;
	struct source_frame_list frames = {0};
	const struct source_frame *frame;
	uint64_t address;

	if (!file)
		return;
	/* The return address is behind the call. */
	address = site->address - module_bias(module) - 1;
	debugfile_source_frames(file, address, 0, &frames);
	frame = choose_frame(&frames);
	site->module = xstrdup(module_name(module));
	site->function = copy(frame->function ? frame->function : frame->name);
	if (!site->function)
		site->function = name_by_address(file, module, address);
	site->file = frame->file ? xstrdup(path_file_name(frame->file)) : NULL;
	site->line = frame->line;
	source_frames_clear(&frames);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Returns the number of a site with the same texts, or 0. */
static uint32_t find_equal(const struct lock_waits *waits,
			   const struct lock_site *site)
{
	for (size_t i = 0; i < waits->sites.count; i++) {
		const struct lock_site *at = &waits->sites.data[i];

		if (at->line == site->line &&
		    same_text(at->function, site->function) &&
		    same_text(at->file, site->file) &&
		    same_text(at->module, site->module))
			return (uint32_t)i + 1;
	}
	return 0;
}

static void free_site(struct lock_site *site)
{
	free(site->function);
	free(site->module);
	free(site->file);
}

/* Enters a site, unless there is one with the same texts. Takes the texts over.
 */
static uint32_t enter_site(struct lock_waits *waits, struct lock_site *site)
{
	uint32_t number = site->function ? find_equal(waits, site) : 0;

	if (number) {
		free_site(site);
		return number;
	}
	vec_push(&waits->sites, *site);
	return (uint32_t)waits->sites.count;
}

/* Enters the function of a site as a site of its own. */
static void enter_function(struct lock_waits *waits, uint32_t number)
{
	const struct lock_site *of = &waits->sites.data[number - 1];
	struct lock_site site = {.pid = of->pid,
				 .address = of->address,
				 .function = copy(of->function),
				 .module = copy(of->module),
				 .file = copy(of->file)};
	uint32_t function;

	if (of->of_function)
		return;
	function = of->line ? enter_site(waits, &site) : number;
	if (!of->line)
		free_site(&site);
	waits->sites.data[number - 1].of_function = function;
	waits->sites.data[function - 1].of_function = function;
}

uint32_t lock_function_of(const struct lock_waits *waits, uint32_t site)
{
	return site ? waits->sites.data[site - 1].of_function : 0;
}

uint32_t lock_site_of(struct lock_waits *waits, pid_t pid, uint64_t address)
{
	const uint64_t key = number_of(pid, address);
	struct lock_site site = {.pid = pid, .address = address};
	uint32_t number;

	if (!address)
		return 0;
	number = (uint32_t)map_get_number(&waits->site_index, key);
	if (number)
		return number;
	describe(waits->session, &site);
	number = enter_site(waits, &site);
	enter_function(waits, number);
	map_set_number(&waits->site_index, key, number);
	return number;
}

bool lock_site_is_of_condition(const struct lock_waits *waits, uint32_t site)
{
	const char *name = site ? waits->sites.data[site - 1].function : NULL;

	return name && strstr(name, "pthread_cond_");
}

/* ---- locks --------------------------------------------------------------- */

static struct lock_name *find_name(const struct lock_waits *waits, pid_t pid,
				   uint64_t address)
{
	for (size_t i = waits->names.count; i-- > 0;) {
		struct lock_name *at = &waits->names.data[i];

		if (at->pid == pid && at->address == address)
			return at;
	}
	return NULL;
}

/* Names a lock by the mapping that it is in. */
static char *name_mapping(pid_t pid, uint64_t address)
{
	struct mapping_list maps = {0};
	struct error *error = target_read_maps(pid, &maps);
	size_t at = mapping_list_above(&maps, address);
	const char *path =
		!error && at < maps.count && maps.data[at].low <= address
			? maps.data[at].path
			: "";
	char *name = xstrdup(strncmp(path, "[stack", 6) == 0 ? "stack"
			     : *path == '/' ? path_file_name(path)
					    : "heap");

	error_destroy(error);
	mapping_list_deinit(&maps);
	return name;
}

/* " <name+8>" becomes "name+8". */
static char *without_brackets(const struct str *text)
{
	const char *begin = strchr(str_text(text), '<');
	const char *name = begin ? begin + 1 : str_text(text);
	const char *end = strrchr(name, '>');

	return end ? xasprintf("%.*s", (int)(end - name), name) : xstrdup(name);
}

static char *make_name(struct session *session, pid_t pid, uint64_t address)
{
	struct process *process = process_of(session, pid);
	const struct module *module =
		process ? probe_module_at(session->probe, process, address)
			: NULL;
	struct debugfile *file = module ? module_file(module) : NULL;
	struct str text = {0};
	char *name;

	if (!module)
		return name_mapping(pid, address);
	if (file &&
	    debugfile_append_symbol(file, address - module_bias(module), &text))
		name = without_brackets(&text);
	else
		name = xasprintf("%s+0x%" PRIx64, module_name(module),
				 address - module_bias(module));
	str_deinit(&text);
	return name;
}

void lock_note_name(struct lock_waits *waits, pid_t pid, uint64_t address)
{
	/* The profile has it if threads have waited for it before. */
	if (contention_has(&waits->contention, pid, address))
		return;
	vec_push(&waits->names,
		 (struct lock_name){
			 .pid = pid,
			 .address = address,
			 .name = make_name(waits->session, pid, address)});
}

const char *lock_name_of(const struct lock_waits *waits, pid_t pid,
			 uint64_t address)
{
	const struct lock_name *name = find_name(waits, pid, address);

	return name ? name->name : "?";
}

/* ---- threads ------------------------------------------------------------- */

static char *read_name(const struct session *session, pid_t tid)
{
	const struct thread *thread = target_find_thread(session->target, tid);
	char comm[17] = "?", state;

	if (thread)
		target_thread_info(thread, &state, comm);
	return str_equal(comm, "?") ? NULL : xstrdup(comm);
}

void lock_note_thread(struct lock_waits *waits, pid_t tid)
{
	char *name;

	if (map_get(&waits->thread_names, (uint64_t)tid))
		return;
	name = read_name(waits->session, tid);
	if (name)
		map_set(&waits->thread_names, (uint64_t)tid, name);
}

void lock_renew_thread(struct lock_waits *waits, pid_t tid)
{
	char *now = read_name(waits->session, tid);

	if (!now)
		return;
	free(map_get(&waits->thread_names, (uint64_t)tid));
	map_set(&waits->thread_names, (uint64_t)tid, now);
}

const char *lock_thread_name(const struct lock_waits *waits, pid_t tid)
{
	return map_get(&waits->thread_names, (uint64_t)tid);
}

void lock_names_deinit(struct lock_waits *waits)
{
	size_t cursor = 0;
	void *name;

	for (size_t i = 0; i < waits->sites.count; i++)
		free_site(&waits->sites.data[i]);
	vec_free(&waits->sites);
	map_deinit(&waits->site_index);
	for (size_t i = 0; i < waits->names.count; i++)
		free(waits->names.data[i].name);
	vec_free(&waits->names);
	while ((name = map_next(&waits->thread_names, &cursor, NULL)))
		free(name);
	map_deinit(&waits->thread_names);
}
