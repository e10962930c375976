/* index_cache.c - see index_cache.h */
#include "index_cache.h"

#include <string.h>

#include "perftool/base/alloc.h"

/* ---- texts --------------------------------------------------------------- */

/* The section up to its last zero byte: every text that begins in it ends. */
static struct bytes terminated(struct bytes section)
{
	while (section.size && section.data[section.size - 1])
		section.size--;
	return section;
}

static struct kept_texts texts_begin(struct source *source)
{
	struct bytes section = source_section(source, SECTION_STR);

	return (struct kept_texts){.section = terminated(section),
				   .size = section.size};
}

uint32_t kept_text(struct kept_texts *texts, const char *text)
{
	uint64_t place;

	if (!text)
		return NO_TEXT;
	place = (uintptr_t)text - (uintptr_t)texts->section.data;
	if (place >= texts->section.size) {
		place = texts->size + texts->own.length;
		str_append_n(&texts->own, text, strlen(text) + 1);
	}
	if (place >= NO_TEXT)
		texts->failed = true;
	return (uint32_t)place;
}

static struct recalled recalled_begin(struct source *source, struct bytes part)
{
	struct bytes section = source_section(source, SECTION_STR);

	return (struct recalled){.part = part,
				 .section = terminated(section),
				 .size = section.size};
}

const void *recalled_table(struct recalled *recalled, uint64_t count,
			   size_t size)
{
	uint64_t left = recalled->part.size - recalled->at, bytes;
	const uint8_t *table = recalled->part.data + recalled->at;

	if (count > left / size)
		return NULL;
	bytes = count * size;
	bytes += -bytes % CHECKSUM_BLOCK;
	if (bytes > left)
		return NULL;
	recalled->at += bytes;
	return table;
}

const void *recalled_foot(struct recalled *recalled, size_t size)
{
	if (recalled->part.size < size)
		return NULL;
	recalled->part.size -= size;
	return recalled->part.data + recalled->part.size;
}

bool recalled_texts(struct recalled *recalled, uint64_t size)
{
	const uint8_t *texts = recalled_table(recalled, size, 1);

	if (!texts || recalled->at != recalled->part.size ||
	    (size && texts[size - 1]))
		return false;
	recalled->own = (struct bytes){texts, size};
	return true;
}

char *recalled_own_texts(struct recalled *recalled)
{
	char *copy = xmalloc(recalled->own.size + 1);

	memcpy(copy, recalled->own.data, recalled->own.size);
	recalled->own.data = (const uint8_t *)copy;
	return copy;
}

bool recalled_text(const struct recalled *recalled, uint32_t number,
		   const char **out)
{
	*out = NULL;
	if (number == NO_TEXT)
		return true;
	if (number < recalled->section.size)
		*out = (const char *)recalled->section.data + number;
	else if (number >= recalled->size &&
		 number - recalled->size < recalled->own.size)
		*out = (const char *)recalled->own.data +
		       (number - recalled->size);
	return *out;
}

/* ---- a file -------------------------------------------------------------- */

/* Set the key of the cache file. False: nothing is kept of this file. What is
 * in other files (of dwz, or split units) may change without this file, and of
 * small files nothing is worth keeping. */
static bool find_key(struct debugfile *file, struct cache_key *key)
{
	return file->cache_folder &&
	       file_section_size(file, SECTION_INFO) >= file->cache_least &&
	       !file_shared_name(file) && !file_may_be_split(file) &&
	       cache_key_init(key, file);
}

bool index_recall_units(struct debugfile *file)
{
	struct source *source = file->dwarf->main;
	struct cache_key key;
	struct recalled recalled;
	struct bytes part;
	bool taken;

	if (source->units.count || !find_key(file, &key) ||
	    !cache_read(file->cache_folder, &key, CACHE_UNITS, &part))
		return false;
	recalled = recalled_begin(source, part);
	taken = take_units(&recalled, source);
	free((void *)part.data);
	return taken;
}

bool index_recall(struct debugfile *file)
{
	struct cache_key key;
	struct recalled recalled;
	struct bytes part;
	struct index *index;

	if (file->index || !find_key(file, &key) ||
	    !cache_read(file->cache_folder, &key, CACHE_RESULTS, &part))
		return false;
	index = index_begin(file);
	recalled = recalled_begin(file->dwarf->main, part);
	if (take_results(&recalled, &index->scans[0])) {
		index->complete = true;
		index->shared.copy_strings = false;
		index->shared.expected = NULL;
	} else {
		index_destroy(index);
		file->index = NULL;
	}
	free((void *)part.data);
	return file->index;
}

/* Was all of .debug_info read? If it is broken, or could not be read, the index
 * has only a part of it. */
static bool is_whole(struct debugfile *file)
{
	struct source *source = file->dwarf->main;
	uint64_t end = source->base;

	for (size_t i = 0; i < source->units.count; i++)
		if (source->units.data[i]->offset - source->base <
		    source->info_size)
			end = source->units.data[i]->end;
	return end - source->base == source->info_size &&
	       !image_has_failed(&file->image) &&
	       !image_has_failed(&file->debug.image);
}

/* Write a part, and free its texts. False: it has too many. */
static bool write_units(struct cache_writer *writer, struct source *source)
{
	struct kept_texts texts = texts_begin(source);

	if (source->packed)
		keep_units(writer, source, &texts);
	cache_part_end(writer, CACHE_UNITS);
	str_deinit(&texts.own);
	return !texts.failed;
}

static bool write_results(struct cache_writer *writer, struct debugfile *file)
{
	struct kept_texts texts = texts_begin(file->dwarf->main);

	keep_results(writer, file->index, &texts);
	cache_part_end(writer, CACHE_RESULTS);
	str_deinit(&texts.own);
	return !texts.failed;
}

void index_keep(struct debugfile *file)
{
	struct cache_writer *writer;
	struct cache_key key;
	bool keep;

	if (!find_key(file, &key) || !is_whole(file))
		return;
	writer = xmalloc(sizeof(*writer));
	if (cache_writer_begin(writer, file->cache_folder, &key)) {
		keep = write_units(writer, file->dwarf->main) &&
		       write_results(writer, file);
		cache_writer_end(writer, keep);
	}
	free(writer);
}
