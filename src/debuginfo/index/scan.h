/*
 * scan.h - one pass over all DIEs of a unit, to find what has a name
 *
 * Each scanning thread has a struct scan of its own. The threads share data of
 * the file that is only read while they run, and data that they read
 * themselves under a lock. Until all threads have finished, no other code may
 * ask the file for a section. The result does not depend on the order in which
 * the threads get the units.
 */
#ifndef PERFTOOL_DEBUGINFO_SCAN_H
#define PERFTOOL_DEBUGINFO_SCAN_H

#include <pthread.h>

#include "debuginfo/dwarf/dwarf.h"
#include "perftool/base/hash.h"

/* An inlined call. */
struct scan_call {
	/* address of its first instruction; 0: no code of it is left */
	uint64_t address;
	/* index in `names` of the linked name of the function called */
	uint32_t name;
};

/* An inlined call whose origin is in another unit. */
struct scan_far_call {
	uint64_t address, origin;
};

/* A named type outside of functions. */
struct scan_type {
	uint64_t die;
	uint32_t hash; /* hash of its name with its scopes: scan_hash() */
	uint16_t tag;
	bool declaration;
};

/* A variable outside of functions that has a place or a value. */
struct scan_variable {
	const char *name;
	uint64_t die;
	bool external;
};

/* The names that the caller will ask for next. `name` is a mangled or another
 * linked name. */
struct expected_names {
	bool (*matches)(const void *context, const char *name);
	const void *context;
};

struct scan_shared {
	struct debugfile *file;
	/* the units' bytes are not kept, so strings in them must be copied */
	bool copy_strings;
	/* The names whose calls the caller will ask for next, or NULL. The
	 * bytes of units with such calls are kept even if those of other units
	 * are not. */
	const struct expected_names *expected;
	pthread_mutex_t lock;
	/* how many bytes of abbreviation tables may still be read; protected
	 * by the lock */
	uint64_t abbrev_budget;
};

struct scan_table;
struct scan_frame;

struct scan {
	struct scan_shared *shared;
	struct debugfile *file;

	/* what was found in all units */
	VEC(const char *) names;
	VEC(bool) is_expected; /* for each name, if `expected` is set */
	VEC(struct scan_call) calls;
	VEC(struct scan_far_call) far_calls;
	VEC(struct scan_type) types;
	VEC(struct scan_variable) variables;
	VEC(struct unit) units; /* with their root DIEs read */
	/* offsets of root DIEs of the shared file's units */
	VEC(uint64_t) imports;
	/* offsets of units to scan again when no other thread scans, mostly
	 * because names of types or variables are in another unit */
	VEC(uint64_t)
	left_over;
	VEC(char *) strings;     /* copied strings */
	struct map name_numbers; /* by the address of a name: its index + 1 */

	/* the unit that is being scanned */
	struct unit *unit;
	bool has_expected; /* the unit has calls of expected names */
	/* no other thread is scanning, so other units may be read */
	bool alone;
	struct scan_table *table;  /* the unit's abbreviations */
	struct scan_table *tables; /* the tables that were used last */
	size_t oldest_table;
	VEC(struct scan_frame) frames;
	/* by offset of the origin: index of its name + 1 */
	struct map origins;
	/* by offset of a declared type: hash of its name and scopes */
	struct map declared;
	uint64_t range_budget;
	bool sections_known, lists_known;
	struct range_list ranges;
};

void scan_shared_init(struct scan_shared *shared, struct debugfile *file,
		      bool copy_strings, const struct expected_names *expected);
void scan_init(struct scan *scan, struct scan_shared *shared);
/* Free everything except the results, when nothing more will be scanned. */
void scan_finish(struct scan *scan);
void scan_deinit(struct scan *scan);

/* Scan a unit. The caller has read its header, and `unit->data` points to its
 * bytes. The function reads the root DIE and keeps a copy of `unit` with the
 * results. */
void scan_unit(struct scan *scan, struct unit *unit);

/* The index + 1 of the name of a call's origin in another unit; 0: it has no
 * name. Only to be called when no other thread scans. */
uint32_t scan_far_name(struct scan *scan, uint64_t origin);

/* Scan a unit of `left_over` again. Only to be called when no other thread
 * scans. */
void scan_again(struct scan *scan, struct unit *unit);

/* The hash of a name with its scopes, computed piece by piece: begin with
 * SCAN_HASH. */
#define SCAN_HASH HASH_START
uint64_t scan_hash(uint64_t hash, const char *text);
uint32_t scan_hash_end(uint64_t hash);

/* Does a DIE with this tag define a named type? Can it contain named types? */
bool is_named_type(unsigned tag);
bool is_type_scope(unsigned tag);

#define ANONYMOUS_NAMESPACE "(anonymous namespace)"

#endif
