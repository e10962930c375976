/*
 * scan.h - one look at all DIEs of a unit, for what is found by its name
 *
 * Each thread that scans has a struct scan of its own. Of the file they share
 * what can only be read once they have started, and what they get themselves
 * under a lock: meanwhile nobody else may ask the file for a section. What is
 * found does not depend on the order in which units are given to them.
 */
#ifndef PERFTOOL_DEBUGINFO_SCAN_H
#define PERFTOOL_DEBUGINFO_SCAN_H

#include <pthread.h>

#include "debuginfo/dwarf/dwarf.h"
#include "perftool/base/hash.h"

/* An inlined call. */
struct scan_call {
	uint64_t address; /* of its first instruction; 0: it has no code left */
	uint32_t name;    /* index of what was called, as linked */
};

/* One whose origin is in another unit. */
struct scan_far_call {
	uint64_t address, origin;
};

/* A type that has a name, outside of functions. */
struct scan_type {
	uint64_t die;
	uint32_t hash; /* of its name with its scopes: scan_hash() */
	uint16_t tag;
	bool declaration;
};

/* A variable of the file that has a place or a value. */
struct scan_variable {
	const char *name;
	uint64_t die;
	bool external;
};

/* Names that are asked for next: a mangled one, or one as it is linked. */
struct expected_names {
	bool (*matches)(const void *context, const char *name);
	const void *context;
};

struct scan_shared {
	struct debugfile *file;
	bool copy_strings; /* the units' bytes go away again */
	/* Whose calls are looked for next, or NULL: units that have some are
	 * kept when others' bytes go. */
	const struct expected_names *expected;
	pthread_mutex_t lock;
	uint64_t abbrev_budget; /* bytes that may be read of abbreviations;
				   under the lock */
};

struct scan_table;
struct scan_frame;

struct scan {
	struct scan_shared *shared;
	struct debugfile *file;

	/* what it has found, of all units */
	VEC(const char *) names;
	VEC(bool) is_expected; /* of each name, if some are expected */
	VEC(struct scan_call) calls;
	VEC(struct scan_far_call) far_calls;
	VEC(struct scan_type) types;
	VEC(struct scan_variable) variables;
	VEC(struct unit) units; /* with their roots read */
	VEC(uint64_t) imports;  /* roots of units of the shared file */
	VEC(uint64_t)
	left_over;               /* offsets of units: names of types or
				    variables are in another unit */
	VEC(char *) strings;     /* that were copied */
	struct map name_numbers; /* by the address of a name: + 1 */

	/* of the unit in hand */
	struct unit *unit;
	bool has_expected; /* it has such calls */
	bool alone; /* no other thread is at work: other units may be read */
	struct scan_table *table;  /* its abbreviations */
	struct scan_table *tables; /* those that were used last */
	size_t oldest_table;
	VEC(struct scan_frame) frames;
	struct map origins;  /* of calls, by offset: number of the name + 1 */
	struct map declared; /* types, by offset: hash of names and scopes */
	uint64_t range_budget;
	bool sections_known, lists_known;
	struct range_list ranges;
};

void scan_shared_init(struct scan_shared *shared, struct debugfile *file,
		      bool copy_strings, const struct expected_names *expected);
void scan_init(struct scan *scan, struct scan_shared *shared);
/* Nothing more is scanned: let go of all but what was found. */
void scan_finish(struct scan *scan);
void scan_deinit(struct scan *scan);

/* `unit`: its header has been read, and its `data` is there. Its root is read,
 * and a copy of it is kept with what was found. */
void scan_unit(struct scan *scan, struct unit *unit);

/* When there is no other thread: the number of the name of the origin of a call
 * (its index + 1), or 0: it has none. */
uint32_t scan_far_name(struct scan *scan, uint64_t origin);

/* Do again what was left over, when there is no other thread. */
void scan_again(struct scan *scan, struct unit *unit);

/* The hash of a name with its scopes, piece by piece: start with SCAN_HASH. */
#define SCAN_HASH HASH_START
uint64_t scan_hash(uint64_t hash, const char *text);
uint32_t scan_hash_end(uint64_t hash);

/* DIEs that are, or have, named types. */
bool is_named_type(unsigned tag);
bool is_type_scope(unsigned tag);

#define ANONYMOUS_NAMESPACE "(anonymous namespace)"

#endif
