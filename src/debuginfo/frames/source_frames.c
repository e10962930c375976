/*
 * source_frames.c - the source frames of one machine frame: the calls that
 * were inlined at its pc, and the function around them
 */
#include <stdlib.h>
#include <string.h>

#include "debuginfo/dwarf/dwarf.h"
#include "debuginfo/lines/lines.h"
#include "debuginfo/scopes/scopes.h"
#include "debuginfo/symbols/symbols.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/code_lines.h"

void source_frames_clear(struct source_frame_list *frames)
{
	for (size_t i = 0; i < frames->count; i++) {
		free(frames->data[i].name);
		free(frames->data[i].function);
	}
	vec_free(frames);
	*frames = (struct source_frame_list){0};
}

static void set_names(struct debugfile *file, struct source_frame *frame,
		      const char *linked)
{
	if (!linked)
		return;
	frame->name = debugfile_demangle(file, linked);
	frame->function = demangle_plain(linked);
	if (!frame->function && file_symbols(file)->has_ada)
		frame->function = demangle_ada(linked);
	if (!frame->function)
		frame->function = xstrdup(linked);
}

/* The name, without parameters, of a part that the compiler has split off a
 * function: that of the function with the suffix, as a pattern may have it. The
 * caller frees the result. */
static char *part_name(const char *linked)
{
	CLEANUP(free_pointer) char *plain = demangle_plain(linked);
	CLEANUP(free_pointer) char *full = debuginfo_demangle(linked);
	const char *suffix = strstr(full, " [clone ");

	return plain ? xasprintf("%s%s", plain, suffix ? suffix : "")
		     : xstrdup(linked);
}

/* The linked name of the function at `address`. For a copy that the compiler
 * made, such as f.isra.0, this is the name of the original. */
static const char *name_in_source(struct debugfile *file, uint64_t address,
				  const char *linked)
{
	struct die die;
	const char *name = function_at(file, address, &die)
				   ? die_linkage_name(file, &die)
				   : NULL;

	return name && str_starts(linked, name) && linked[strlen(name)] == '.'
		       ? name
		       : linked;
}

/*
 * Append the inlined calls at `address` from number `first` on, innermost
 * first. `*place` has the source file and line of the frame that is added next.
 * At the end, these are of the function around the calls.
 */
static void add_inlined(struct debugfile *file, uint64_t address,
			unsigned first, struct source_frame *place,
			struct source_frame_list *out)
{
	struct scope_chain chain;
	struct die die;

	if (!scope_chain_at(file, address, &chain))
		return;
	for (unsigned i = 0; i + 1 < chain.count; i++) {
		if (!scope_chain_die(file, &chain, i, &die))
			return;
		if (i >= first) {
			set_names(file, place, die_linkage_name(file, &die));
			die_written(file, &die, &place->written_file,
				    &place->written_line);
			place->inlined = true;
			vec_push(out, *place);
		}
		*place = (struct source_frame){0};
		die_call_site(file, &die, &place->file, &place->line);
	}
}

void debugfile_source_frames(struct debugfile *file, uint64_t address,
			     unsigned first, struct source_frame_list *out)
{
	struct source_frame place = {0};
	struct function function = {0};

	debugfile_source_at(file, address, &place.file, &place.line);
	add_inlined(file, address, first, &place, out);
	if (debugfile_function_at(file, address, &function) && function.name)
		set_names(file, &place,
			  name_in_source(file, address, function.name));
	else if (!function.name && plt_entry_at(file, address, &function))
		place.function = xstrdup(function.name);
	if (function.is_part) {
		free(place.function);
		place.function = part_name(function.name);
	}
	debugfile_written_at(file, address, &place.written_file,
			     &place.written_line);
	vec_push(out, place);
}

unsigned debugfile_frames_begun(struct debugfile *file, uint64_t address)
{
	struct scope_chain chain;

	return scope_chain_at(file, address, &chain) ? chain.begins : 0;
}

unsigned debugfile_frame_of_line(struct debugfile *file, uint64_t address,
				 const char *path, uint32_t line)
{
	struct scope_chain chain;
	const char *call_path;
	uint32_t call_line;
	struct die die;

	if (!scope_chain_at(file, address, &chain))
		return 0;
	for (unsigned i = chain.begins; i-- > 0;)
		if (scope_chain_die(file, &chain, i, &die) &&
		    die_call_site(file, &die, &call_path, &call_line) &&
		    call_line == line && str_equal(call_path, path))
			return i + 1;
	return 0;
}
