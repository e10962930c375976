/*
 * index_cache.h - keeps the index of a large file for the next process
 *
 * The cache file (cache_file.h) has two parts: the units of a compressed
 * .debug_info with the marks from which it can be inflated, and the results of
 * the scans. Texts are stored as numbers: an offset in .debug_str, or, behind
 * the end of .debug_str, an offset in the texts that the part has itself. Where
 * this is not enough (files that dwz or split units belong to), nothing is
 * kept.
 *
 * A part is a sequence of tables, each of which begins at a multiple of
 * CHECKSUM_BLOCK, then the texts, then a foot with the sizes of the tables.
 */
#ifndef PERFTOOL_DEBUGINFO_INDEX_CACHE_H
#define PERFTOOL_DEBUGINFO_INDEX_CACHE_H

#include "cache_file.h"
#include "index.h"
#include "perftool/base/str.h"

#define NO_TEXT UINT32_MAX

/* Texts that are being written, and the section that has most of them. */
struct kept_texts {
	struct bytes section; /* .debug_str up to its last zero byte */
	uint64_t size;        /* of .debug_str */
	struct str own;
	bool failed; /* there are more texts than a number can tell */
};

/* The number of a text, which may be NULL. */
uint32_t kept_text(struct kept_texts *texts, const char *text);

/* A part that is being read. `own` are the texts of the part. */
struct recalled {
	struct bytes part;
	size_t at; /* where the next table begins */
	struct bytes section, own;
	uint64_t size; /* of .debug_str */
};

/* Take the next table, of `count` entries of `size` bytes. NULL: the part is
 * not that large. */
const void *recalled_table(struct recalled *recalled, uint64_t count,
			   size_t size);
/* Take the foot of a part, which has `size` bytes. */
const void *recalled_foot(struct recalled *recalled, size_t size);
/* Find the texts of the part itself, which are `size` bytes behind the last
 * table. False: they are not there. recalled_own_texts() copies them, so that
 * they can outlive the part, and makes recalled_text() use the copy, which the
 * caller frees. */
bool recalled_texts(struct recalled *recalled, uint64_t size);
char *recalled_own_texts(struct recalled *recalled);
/* The text of this number, or NULL for NO_TEXT. False: there is no such text.
 */
bool recalled_text(const struct recalled *recalled, uint32_t number,
		   const char **out);

/* Make the index of the file from its cache file. False: there is none. */
bool index_recall(struct debugfile *file);

/* Write the cache file of the file, whose index is complete. */
void index_keep(struct debugfile *file);

/* The two parts (kept_units.c, kept_results.c). A take_ function returns false
 * if a number makes no sense; then the units are as they were, and the caller
 * frees what the scan has got. */
void keep_units(struct cache_writer *writer, struct source *source,
		struct kept_texts *texts);
bool take_units(struct recalled *recalled, struct source *source);
void keep_results(struct cache_writer *writer, const struct index *index,
		  struct kept_texts *texts);
bool take_results(struct recalled *recalled, struct scan *scan);

#endif
