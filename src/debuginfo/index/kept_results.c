/*
 * kept_results.c - what the scans have found, in a cache file; see
 * index_cache.h
 *
 * The tables have the results of all scans, one behind the other. Each member
 * of a result has a table of its own, without gaps.
 */
#include "index_cache.h"
#include "perftool/base/alloc.h"

/* What is stored of a type besides its DIE: the tag has 16 bits. */
#define DECLARATION (1u << 16)
/* What is stored of a variable: twice the offset of its DIE, and this. */
#define EXTERNAL 1u

struct results_foot {
	uint64_t names, calls, types, variables, texts;
	uint64_t unused[3];
};

/* ---- writing ------------------------------------------------------------- */

static void keep_names(struct cache_writer *writer, const struct index *index,
		       struct kept_texts *texts, struct results_foot *foot)
{
	for (size_t i = 0; i < index->scan_count; i++) {
		const struct scan *scan = &index->scans[i];

		for (size_t j = 0; j < scan->names.count; j++)
			cache_write_32(writer,
				       kept_text(texts, scan->names.data[j]));
		foot->names += scan->names.count;
	}
	cache_align(writer);
}

static void keep_calls(struct cache_writer *writer, const struct index *index,
		       struct results_foot *foot)
{
	uint32_t names = 0;

	for (size_t i = 0; i < index->scan_count; i++) {
		const struct scan *scan = &index->scans[i];

		for (size_t j = 0; j < scan->calls.count; j++)
			cache_write_64(writer, scan->calls.data[j].address);
		foot->calls += scan->calls.count;
	}
	cache_align(writer);
	for (size_t i = 0; i < index->scan_count; i++) {
		const struct scan *scan = &index->scans[i];

		for (size_t j = 0; j < scan->calls.count; j++)
			cache_write_32(writer,
				       names + scan->calls.data[j].name);
		names += (uint32_t)scan->names.count;
	}
	cache_align(writer);
}

static void keep_types(struct cache_writer *writer, const struct index *index,
		       struct results_foot *foot)
{
	for (size_t i = 0; i < index->scan_count; i++) {
		const struct scan *scan = &index->scans[i];

		for (size_t j = 0; j < scan->types.count; j++) {
			const struct scan_type *type = &scan->types.data[j];

			cache_write_64(writer, type->die);
			cache_write_32(writer, type->hash);
			cache_write_32(
				writer,
				type->tag |
					(type->declaration ? DECLARATION : 0));
		}
		foot->types += scan->types.count;
	}
	cache_align(writer);
}

static void keep_variables(struct cache_writer *writer,
			   const struct index *index, struct kept_texts *texts,
			   struct results_foot *foot)
{
	for (size_t i = 0; i < index->scan_count; i++) {
		const struct scan *scan = &index->scans[i];

		for (size_t j = 0; j < scan->variables.count; j++) {
			const struct scan_variable *variable =
				&scan->variables.data[j];

			cache_write_64(
				writer,
				variable->die << 1 |
					(variable->external ? EXTERNAL : 0));
		}
		foot->variables += scan->variables.count;
	}
	cache_align(writer);
	for (size_t i = 0; i < index->scan_count; i++) {
		const struct scan *scan = &index->scans[i];

		for (size_t j = 0; j < scan->variables.count; j++)
			cache_write_32(
				writer,
				kept_text(texts, scan->variables.data[j].name));
	}
	cache_align(writer);
}

void keep_results(struct cache_writer *writer, const struct index *index,
		  struct kept_texts *texts)
{
	struct results_foot foot = {0};

	keep_names(writer, index, texts, &foot);
	keep_calls(writer, index, &foot);
	keep_types(writer, index, &foot);
	keep_variables(writer, index, texts, &foot);
	foot.texts = texts->own.length;
	cache_write(writer, texts->own.data, texts->own.length);
	cache_align(writer);
	cache_write(writer, &foot, sizeof(foot));
}

/* ---- reading ------------------------------------------------------------- */

/* The tables of a part. */
struct results {
	struct results_foot foot;
	const uint32_t *names;
	const uint64_t *call_addresses;
	const uint32_t *call_names;
	const struct kept_type {
		uint64_t die;
		uint32_t hash, tag;
	} * types;
	const uint64_t *variable_dies;
	const uint32_t *variable_names;
};

static bool find_tables(struct recalled *recalled, struct results *out)
{
	const struct results_foot *foot =
		recalled_foot(recalled, sizeof(*foot));

	if (!foot)
		return false;
	out->foot = *foot;
	return (out->names = recalled_table(recalled, foot->names, 4)) &&
	       (out->call_addresses =
			recalled_table(recalled, foot->calls, 8)) &&
	       (out->call_names = recalled_table(recalled, foot->calls, 4)) &&
	       (out->types = recalled_table(recalled, foot->types,
					    sizeof(*out->types))) &&
	       (out->variable_dies =
			recalled_table(recalled, foot->variables, 8)) &&
	       (out->variable_names =
			recalled_table(recalled, foot->variables, 4)) &&
	       recalled_texts(recalled, foot->texts);
}

/* Make room for exactly `count` elements. */
#define reserve(vec, number)                                                   \
	((vec)->data = xcalloc((number) + 1, sizeof(*(vec)->data)),            \
	 (vec)->capacity = (number) + 1)

static bool take_names(const struct recalled *recalled,
		       const struct results *results, struct scan *scan)
{
	reserve(&scan->names, results->foot.names);
	for (uint64_t i = 0; i < results->foot.names; i++) {
		const char **name = &scan->names.data[i];

		if (!recalled_text(recalled, results->names[i], name) || !*name)
			return false;
	}
	scan->names.count = results->foot.names;
	return true;
}

static bool take_calls(const struct results *results, struct scan *scan)
{
	reserve(&scan->calls, results->foot.calls);
	for (uint64_t i = 0; i < results->foot.calls; i++) {
		if (results->call_names[i] >= results->foot.names)
			return false;
		scan->calls.data[i] = (struct scan_call){
			results->call_addresses[i], results->call_names[i]};
	}
	scan->calls.count = results->foot.calls;
	return true;
}

static bool take_types(const struct results *results, struct scan *scan)
{
	reserve(&scan->types, results->foot.types);
	for (uint64_t i = 0; i < results->foot.types; i++) {
		const struct kept_type *type = &results->types[i];

		if (type->die >= SOURCE_MAX_SIZE ||
		    !is_named_type(type->tag & ~DECLARATION))
			return false;
		scan->types.data[i] = (struct scan_type){
			.die = type->die,
			.hash = type->hash,
			.tag = (uint16_t)type->tag,
			.declaration = (type->tag & DECLARATION) != 0,
		};
	}
	scan->types.count = results->foot.types;
	return true;
}

static bool take_variables(const struct recalled *recalled,
			   const struct results *results, struct scan *scan)
{
	reserve(&scan->variables, results->foot.variables);
	for (uint64_t i = 0; i < results->foot.variables; i++) {
		struct scan_variable *variable = &scan->variables.data[i];
		uint64_t die = results->variable_dies[i];

		variable->die = die >> 1;
		variable->external = die & EXTERNAL;
		if (variable->die >= SOURCE_MAX_SIZE ||
		    !recalled_text(recalled, results->variable_names[i],
				   &variable->name) ||
		    !variable->name)
			return false;
	}
	scan->variables.count = results->foot.variables;
	return true;
}

bool take_results(struct recalled *recalled, struct scan *scan)
{
	struct results results;

	if (!find_tables(recalled, &results))
		return false;
	vec_push(&scan->strings, recalled_own_texts(recalled));
	return take_names(recalled, &results, scan) &&
	       take_calls(&results, scan) && take_types(&results, scan) &&
	       take_variables(recalled, &results, scan);
}
