/*
 * spot_resolution.c - finding the spots of a breakpoint: the addresses in a
 * file that its location means
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "call_spots.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/go_program.h"
#include "perftool/probe/loaded_modules.h"
#include "probe/arrival/arrival.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "request.h"

/* Replace an indirect function by the implementation that was chosen for it.
 * Returns false if the implementation is not known yet. */
static bool choose_implementation(struct space *space, struct module *module,
				  struct function *function)
{
	struct function chosen;

	if (!function->indirect || !space || !space->process)
		return true;
	if (find_implementation(space, module, function, &chosen)) {
		*function = chosen;
		return true;
	}
	space->awaits_start |= !space->has_started;
	return space->has_started;
}

static void warn_of_resolver(struct probe *probe,
			     const struct breakpoint *breakpoint,
			     const struct function *function)
{
	/* If the user also asks for an exit of the function, the remark is made
	 * once, for the entry. */
	if (!function->indirect || request_is_at_end(breakpoint->kind) ||
	    debuginfo_is_glob(breakpoint->location.name) ||
	    !probe_is_live(probe))
		return;
	note(probe,
	     "%s is an indirect function (ifunc), and perftool does not know "
	     "which code was chosen for it: the breakpoint is in the code that "
	     "chooses",
	     function->name);
}

static struct error *spots_of_exits(struct probe *probe, struct debugfile *file,
				    const struct breakpoint *breakpoint,
				    const struct function *function,
				    struct spot_list *out)
{
	size_t first = out->count;

	TRY(known_exits_find(probe, file, function, out));
	if (breakpoint->location.kind != LOCATION_FUNCTION ||
	    !debuginfo_is_glob(breakpoint->location.name))
		note_jumps(probe, file, function, out->data + first,
			   out->count - first);
	return NULL;
}

/* Tell the user of loops that count as calls: once for the entry and the exits
 * of a function. Functions that a pattern means are too many for that. */
static void tell_of_loop(struct probe *probe, struct debugfile *file,
			 const struct breakpoint *breakpoint,
			 const struct function *function)
{
	const bool is_apart = breakpoint->id & PROBE_APART;
	struct spot_list exits = {0};

	/* who uses a breakpoint that is apart says what it means */
	if ((is_apart && !breakpoint->is_of_calls) ||
	    breakpoint->location.kind != LOCATION_FUNCTION ||
	    debuginfo_is_glob(breakpoint->location.name) ||
	    (request_is_at_end(breakpoint->kind) &&
	     has_entry(probe, breakpoint)))
		return;
	error_destroy(known_exits_find(probe, file, function, &exits));
	note_loop(probe, function, &exits);
	vec_free(&exits);
}

/* Tell the user why a function has no exits, see exits_are_foreign(). */
static void tell_of_foreign(struct probe *probe, struct debugfile *file,
			    const struct breakpoint *breakpoint,
			    const struct function *function)
{
	if (breakpoint->is_of_calls ||
	    breakpoint->location.kind != LOCATION_FUNCTION ||
	    debuginfo_is_glob(breakpoint->location.name) ||
	    !known_exits_are_foreign(probe, file, function))
		return;
	note(probe,
	     "%s leaves its frame as code of Haskell does, by jumps and not by "
	     "a return: perftool does not see where its calls end",
	     function->name ? function->name : "the function");
}

static struct error *spots_of_function(struct probe *probe,
				       struct debugfile *file,
				       const struct breakpoint *breakpoint,
				       const struct function *function,
				       struct spot_list *out)
{
	struct spot spot = {.address = function->address,
			    .role = ROLE_ENTRY,
			    .function = *function};
	uint8_t byte;

	warn_of_resolver(probe, breakpoint, function);
	switch (breakpoint->kind) {
	case REQUEST_ENTRY:
	case REQUEST_BEGIN:
		spot.address = debugfile_go_begins(file, function);
		tell_of_loop(probe, file, breakpoint, function);
		break;
	case REQUEST_EXIT:
		tell_of_foreign(probe, file, breakpoint, function);
		tell_of_loop(probe, file, breakpoint, function);
		return spots_of_exits(probe, file, breakpoint, function, out);
	case REQUEST_RETURN:
		tell_of_foreign(probe, file, breakpoint, function);
		tell_of_loop(probe, file, breakpoint, function);
		return known_exits_find(probe, file, function, out);
	case REQUEST_BLOCKS:
		return spots_of_blocks(probe, file, function, out);
	case REQUEST_RUNS:
		return spots_of_runs(probe, file, function, out);
	case REQUEST_CALLS:
	case REQUEST_ALLOCATIONS:
	case REQUEST_SYNC_TEST:
	case REQUEST_SYNC_ENTER:
	case REQUEST_SYNC_EXIT:
	case REQUEST_WATCH:
	case REQUEST_UNWINDS:
	case REQUEST_WAITS:
	case REQUEST_WAIT_ENDS:
	case REQUEST_WAKES:
		return NULL; /* resolve_in_module() finds their spots */
	case REQUEST_PLACE:
		spot.role = ROLE_PLACE;
		if (breakpoint->location.kind == LOCATION_OFFSET)
			spot.address += breakpoint->location.number;
		else
			TRY(debugfile_skip_prologue(file, function,
						    &spot.address));
		if (spot.address == function->address)
			spot.role = ROLE_ENTRY;
		if (spot.role == ROLE_ENTRY &&
		    breakpoint->location.kind != LOCATION_OFFSET)
			spot.address = debugfile_go_begins(file, function);
		break;
	}
	if (!debugfile_read(file, spot.address, &byte, 1))
		return error_create(ERROR_NOT_FOUND,
				    "%s is outside of the code",
				    breakpoint->location.text);
	if (breakpoint->kind == REQUEST_PLACE &&
	    breakpoint->location.kind == LOCATION_OFFSET)
		TRY(check_instruction_begin(file, breakpoint, spot.address));
	vec_push(out, spot);
	return NULL;
}

static void add_address(struct debugfile *file, uint64_t address,
			struct spot_list *out)
{
	struct spot spot = {.address = address, .role = ROLE_PLACE};

	if (!debugfile_function_at(file, address, &spot.function))
		spot.function = (struct function){0};
	else if (spot.function.address == address)
		spot.role = ROLE_ENTRY;
	vec_push(out, spot);
}

/* Is the text after the @ a version that the module defines, and not the name
 * of a module? */
static bool has_version(const struct module *module, const char *version)
{
	struct debugfile *file;

	/* Files are opened only if the text looks like a version. */
	if (*version < 'A' || *version > 'Z' || !strchr(version, '_'))
		return false;
	file = module_file(module);
	return file && debugfile_has_version(file, version);
}

bool location_means_module(const struct location *location,
			   const struct module *module)
{
	return !location->module || module_matches(module, location->module) ||
	       has_version(module, location->module);
}

/* Does the FILE of FILE:FUNC contain the code at this address? `inlined`: the
 * code is an inlined copy of FUNC. */
static bool is_of_source(struct debugfile *file,
			 const struct location *location, uint64_t address,
			 bool inlined)
{
	return !location->source ||
	       debugfile_is_written_in(file, address,
				       inlined ? location->name : NULL,
				       location->source);
}

bool location_means_function(const struct location *location,
			     const struct module *module,
			     const struct function *function)
{
	if (!is_of_source(module->file, location, function->address, false))
		return false;
	return !location->module || module_matches(module, location->module) ||
	       debugfile_is_version(module->file, function->address,
				    location->name, location->module);
}

/* Is a profile of calls to count all functions? Those without a name are then
 * among them. */
static bool means_all(const struct breakpoint *breakpoint)
{
	return breakpoint->is_of_calls && !breakpoint->location.source &&
	       str_equal(breakpoint->location.name, "*");
}

/* ---- room for the places of a pattern ------------------------------------ */

/* So many of the places that can be watched are left to places that are not
 * known yet: the tool's own, those in libraries, and the ends of functions to
 * which others jump. */
#define KEPT_PLACES 2048
#define MOST_PLACES (STORE_ENTRIES - KEPT_PLACES)

/* The places that a process would have to watch if a breakpoint was added. */
struct room {
	bool is_counted; /* False: the breakpoint cannot have very many. */
	struct map here; /* addresses in the file of the module, plus 1 */
	size_t elsewhere;
};

static void count_places(const struct breakpoint *breakpoint,
			 const struct module *module, struct room *room)
{
	for (size_t i = 0; i < breakpoint->places.count; i++) {
		const struct place *at = &breakpoint->places.data[i];

		if (at->module == module)
			map_set_number(&room->here,
				       at->address - module->bias + 1, 1);
		else
			room->elsewhere++;
	}
}

/* A pattern that is too much is refused when the user gives it: before the
 * program runs, and before a place is inserted. Other
 * requests than patterns have no great number of places. */
static void begin_room(const struct probe *probe, const struct module *module,
		       const struct breakpoint *breakpoint, struct room *room)
{
	room->is_counted = probe->adding == breakpoint &&
			   debuginfo_is_glob(breakpoint->location.name);
	for (size_t i = 0; room->is_counted && i < probe->breakpoints.count;
	     i++) {
		const struct breakpoint *at = probe->breakpoints.data[i];

		if (at && !at->deleted)
			count_places(at, module, room);
	}
}

static struct error *take_room(const struct breakpoint *breakpoint,
			       const struct spot_list *spots, size_t first,
			       struct room *room)
{
	const char *text = breakpoint->location.text;
	const char *command =
		breakpoint->is_of_calls ? "profile functions " : "";
	CLEANUP(free_pointer) char *example = NULL;

	if (!room->is_counted)
		return NULL;
	for (size_t i = first; i < spots->count; i++)
		map_set_number(&room->here, spots->data[i].address + 1, 1);
	if (room->here.count + room->elsewhere <= MOST_PLACES)
		return NULL;
	if (*text == '*')
		example = xasprintf(", for example those that begin with a: "
				    "%s'a%s'",
				    command, text);
	return error_create(ERROR_OTHER,
			    "perftool watches at most %u places in a process, "
			    "and with %s there would be more%s; name fewer "
			    "functions%s",
			    MOST_PLACES, text,
			    breakpoint->is_of_calls
				    ? " (the entry and each end of a function "
				      "is one)"
				    : "",
			    example ? example : "");
}

/* The ends of these functions are inserted after all their entries. */
static struct error *take_room_of_ends(struct probe *probe,
				       struct debugfile *file,
				       const struct breakpoint *breakpoint,
				       const struct spot_list *entries,
				       struct room *room)
{
	struct spot_list ends = {0};
	struct error *error = NULL;

	if (!room->is_counted || !probe->keeps_exits ||
	    breakpoint->kind != REQUEST_ENTRY)
		return NULL;
	for (size_t i = 0; !error && i < entries->count; i++) {
		vec_clear(&ends);
		error = known_exits_find(probe, file,
					 &entries->data[i].function, &ends);
		if (!error)
			error = take_room(breakpoint, &ends, 0, room);
		if (!error)
			error = interrupt_check(&probe->client.interrupt);
	}
	vec_free(&ends);
	return error;
}

static struct error *resolve_function(struct probe *probe, struct space *space,
				      struct module *module,
				      struct debugfile *file,
				      const struct breakpoint *breakpoint,
				      struct spot_list *out)
{
	struct function_list functions = {0};
	struct room room = {0};
	struct error *error;

	error = debugfile_find_functions(file, breakpoint->location.name,
					 &functions);
	if (!error && means_all(breakpoint))
		debugfile_unnamed_functions(file, &functions);
	if (!error)
		error = interrupt_check(&probe->client.interrupt);
	begin_room(probe, module, breakpoint, &room);
	for (size_t i = 0; !error && i < functions.count; i++) {
		size_t first = out->count;

		if (!location_means_function(&breakpoint->location, module,
					     &functions.data[i]) ||
		    !choose_implementation(space, module, &functions.data[i]))
			continue;
		error = spots_of_function(probe, file, breakpoint,
					  &functions.data[i], out);
		if (!error)
			error = take_room(breakpoint, out, first, &room);
		error = error_first(error,
				    interrupt_check(&probe->client.interrupt));
	}
	if (!error)
		error = take_room_of_ends(probe, file, breakpoint, out, &room);
	map_deinit(&room.here);
	vec_free(&functions);
	return error;
}

static void add_line(struct debugfile *file, const struct line_place *line,
		     struct spot_list *out)
{
	struct spot *spot;

	add_address(file, line->address, out);
	spot = &out->data[out->count - 1];
	/* Other lines may have code at the same address, so the spot keeps the
	 * line that was asked for. */
	spot->file = line->file;
	spot->line = line->line;
}

/* Find the source file of a line that is given without a file: the file of
 * main. */
static const char *default_source(struct debugfile *file)
{
	struct function_list functions = {0};
	const char *path = NULL;
	struct error *error;
	uint32_t line;

	error = debugfile_find_functions(file, "main", &functions);
	error_destroy(error);
	if (!functions.count ||
	    (!debugfile_written_at(file, functions.data[0].address, &path,
				   &line) &&
	     !debugfile_source_at(file, functions.data[0].address, &path,
				  &line)))
		path = NULL;
	vec_free(&functions);
	return path;
}

static struct error *resolve_line(struct probe *probe, struct debugfile *file,
				  const struct breakpoint *breakpoint,
				  struct spot_list *out)
{
	const struct location *location = &breakpoint->location;
	const char *name = location->name;
	struct line_list lines = {0};
	struct error *error;

	if (!name)
		name = default_source(file);
	if (!name)
		return NULL;
	error = debugfile_find_line(file, name, location->line, &lines);
	if (!error && lines.count && probe->adding == breakpoint &&
	    lines.data[0].line != location->line)
		note(probe,
		     "line %u of %s has no code; the next line that has code "
		     "is %u",
		     location->line, name, lines.data[0].line);
	for (size_t i = 0; !error && i < lines.count; i++)
		add_line(file, &lines.data[i], out);
	vec_free(&lines);
	return error;
}

/*
 * With @MODULE, *ADDRESS is an address of the file. It is also an address of
 * the file as long as the program has not run, as in a disassembly. Otherwise
 * it is an address of the process that runs, or that ran last.
 */
bool address_in_module(struct probe *probe, const struct location *location,
		       const struct module *module, uint64_t *out)
{
	const struct debugfile_facts *facts;
	struct debugfile *file;

	*out = location->number;
	if (location->path)
		return str_equal(location->path, module->path);
	if (!location->module) {
		if (location->number >= module->low &&
		    location->number < module->high) {
			*out -= module->bias;
			return true;
		}
		if (probe_is_live(probe) || module != probe_module(probe, 0))
			return false;
	}
	file = module_file(module);
	facts = file ? debugfile_facts(file) : NULL;
	return facts && location->number >= facts->low &&
	       location->number < facts->high;
}

/* If the request is for entries or exits, replace each spot by the entry or the
 * exits of its function. */
static struct error *whole_functions(struct probe *probe,
				     struct debugfile *file,
				     const struct breakpoint *breakpoint,
				     struct spot_list *out, size_t first)
{
	struct spot_list found = {0};
	struct error *error = NULL;

	if (breakpoint->kind == REQUEST_PLACE)
		return NULL;
	/* `break exit x.c:7` means the function that contains the line. */
	for (size_t i = first; !error && i < out->count; i++) {
		struct spot *spot = &out->data[i];

		if (function_is_known(&spot->function)) {
			error = spots_of_function(probe, file, breakpoint,
						  &spot->function, &found);
		} else if (breakpoint->kind == REQUEST_ENTRY &&
			   breakpoint->location.kind == LOCATION_ADDRESS) {
			/* The user says that a function begins at the address,
			 * and knows more than the file. */
			spot->role = ROLE_ENTRY;
			vec_push(&found, *spot);
		}
	}
	out->count = first;
	for (size_t i = 0; i < found.count; i++)
		vec_push(out, found.data[i]);
	vec_free(&found);
	return error;
}

static void resolve_probe(struct debugfile *file,
			  const struct location *location,
			  struct spot_list *out)
{
	const struct static_probe_list *probes = debugfile_probes(file);

	for (size_t i = 0; i < probes->count; i++) {
		const struct static_probe *probe = &probes->data[i];
		struct spot *spot;
		uint8_t byte;

		if (fnmatch(location->source, probe->provider, 0) != 0 ||
		    fnmatch(location->name, probe->name, 0) != 0 ||
		    !debugfile_read(file, probe->address, &byte, 1))
			continue;
		add_address(file, probe->address, out);
		spot = &out->data[out->count - 1];
		spot->is_probe = true;
		spot->semaphore = probe->semaphore;
	}
}

struct error *resolve_in_module(struct probe *probe, struct space *space,
				struct module *module,
				const struct breakpoint *breakpoint,
				struct spot_list *out)
{
	const struct location *location = &breakpoint->location;
	struct debugfile *file = NULL;
	size_t first = out->count;
	uint64_t address;

	if (breakpoint->kind == REQUEST_WATCH)
		return NULL;
	if (request_is_of_calls(breakpoint->kind) ||
	    request_is_of_waits(breakpoint->kind) ||
	    location_means_module(location, module))
		file = module_file(module);
	if (!file)
		return NULL;
	if (breakpoint->kind == REQUEST_UNWINDS)
		return spots_of_unwinds(file, out);
	if (request_is_of_waits(breakpoint->kind))
		return spots_of_waits(file, breakpoint->kind, out);
	if (breakpoint->kind == REQUEST_CALLS || location->within)
		return spots_of_calls(probe, module, breakpoint, out);
	if (request_is_of_calls(breakpoint->kind))
		return spots_of_callees(probe, module, breakpoint, out);
	switch (location->kind) {
	case LOCATION_FUNCTION:
	case LOCATION_OFFSET:
		return resolve_function(probe, space, module, file, breakpoint,
					out);
	case LOCATION_LINE:
		TRY(resolve_line(probe, file, breakpoint, out));
		return whole_functions(probe, file, breakpoint, out, first);
	case LOCATION_ADDRESS:
		if (!address_in_module(probe, location, module, &address))
			return NULL;
		/* Other requests are about the function around it. */
		if (breakpoint->kind == REQUEST_PLACE)
			TRY(check_instruction_begin(file, breakpoint, address));
		add_address(file, address, out);
		return whole_functions(probe, file, breakpoint, out, first);
	case LOCATION_PROBE:
		resolve_probe(file, location, out);
		return whole_functions(probe, file, breakpoint, out, first);
	case LOCATION_DATA:
		break;
	}
	return NULL;
}

/* Return the module's file if it may have inlined copies of the location's
 * function, else NULL. */
static struct debugfile *file_of_copies(struct module *module,
					const struct location *location)
{
	struct debugfile *file;

	if (location->kind != LOCATION_FUNCTION ||
	    (location->module && !module_matches(module, location->module)))
		return NULL;
	/* No code calls main, so it has no inlined copies. But the strings of
	 * any library may end in this word, and would cause a search. */
	if (str_equal(location->name, "main"))
		return NULL;
	file = module_file(module);
	return file && debugfile_facts(file)->has_dwarf ? file : NULL;
}

void prepare_copies(struct module *module, const struct breakpoint *breakpoint)
{
	const struct location *location = &breakpoint->location;
	struct debugfile *file = file_of_copies(module, location);

	if (file)
		debugfile_prepare_inlined(file, location->name);
}

struct error *resolve_inlined(struct module *module,
			      struct breakpoint *breakpoint,
			      struct spot_list *out)
{
	const struct location *location = &breakpoint->location;
	struct debugfile *file = file_of_copies(module, location);
	struct line_list copies = {0};
	struct error *error;
	bool no_code;

	if (!file)
		return NULL;
	error = debugfile_find_inlined(file, location->name, &copies, &no_code);
	breakpoint->is_gone |= no_code;
	for (size_t i = 0; i < copies.count; i++) {
		struct spot *spot;

		if (!is_of_source(file, location, copies.data[i].address, true))
			continue;
		add_line(file, &copies.data[i], out);
		spot = &out->data[out->count - 1];
		spot->role = ROLE_PLACE;
		spot->inlined = true;
		spot->frame = copies.data[i].frame;
	}
	vec_free(&copies);
	return error;
}
