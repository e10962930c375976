/*
 * scan.h - one pass over all DIEs of a unit, which lists the unit's inlined
 * calls, named types and variables
 *
 * Each scanning thread has a struct scan of its own. The threads share data of
 * the file. They only read what existed before they started. What is missing
 * (sections, for example), one thread reads from the file for all threads while
 * it holds a lock. Until all threads have finished, no other code may ask the
 * file for a section. The result does not depend on the order in which the
 * threads get the units.
 */
#ifndef PERFTOOL_DEBUGINFO_SCAN_H
#define PERFTOOL_DEBUGINFO_SCAN_H

#include <pthread.h>

#include "debuginfo/dwarf/dwarf.h"
#include "perftool/base/hash.h"

/* An inlined call. */
struct scan_call {
	/* address of the first instruction of the call; 0: the call has no code
	 * in the file */
	uint64_t address;
	/* index in `names` of the linkage name of the called function */
	uint32_t name;
};

/* An inlined call of which the origin (the DIE of the called function), or the
 * origin's name, is in another unit. */
struct scan_far_call {
	uint64_t address, origin;
};

/* A named type outside of functions. */
struct scan_type {
	uint64_t die;
	/* hash of the type's name with its scopes: scan_hash() */
	uint32_t hash;
	uint16_t tag;
	bool declaration;
};

/* A variable outside of functions that has a location or a constant value. */
struct scan_variable {
	const char *name;
	uint64_t die;
	bool external;
};

/* Tells for which called functions the caller will next ask for inlined calls.
 * `name` is the linkage name of a function, which may be mangled. */
struct expected_names {
	bool (*matches)(const void *context, const char *name);
	const void *context;
};

struct scan_shared {
	struct debugfile *file;
	/* the units' bytes are freed after the scan, so strings in them must be
	 * copied */
	bool copy_strings;
	/* The functions whose inlined calls the caller will ask for next, or
	 * NULL. The bytes of units with such calls are kept even if those of
	 * other units are freed. */
	const struct expected_names *expected;
	pthread_mutex_t lock;
	/* how many bytes of abbreviation tables the threads may still read;
	 * protected by `lock` */
	uint64_t abbrev_budget;
};

struct scan_table;
struct scan_frame;

struct scan {
	struct scan_shared *shared;
	struct debugfile *file;

	/* what this scan has found in all units that it has scanned */
	VEC(const char *) names;
	/* if `expected` is set: for each name, whether it is an expected
	 * name */
	VEC(bool) is_expected;
	VEC(struct scan_call) calls;
	VEC(struct scan_far_call) far_calls;
	VEC(struct scan_type) types;
	VEC(struct scan_variable) variables;
	/* copies of the scanned units, with what was read of their root DIEs */
	VEC(struct unit) units;
	/* offsets of the root DIEs of imported units of the shared file */
	VEC(uint64_t) imports;
	/* offsets of units to scan again when no other thread scans, mostly
	 * because names of the unit's types or variables are in another unit */
	VEC(uint64_t)
	left_over;
	VEC(char *) strings; /* memory of the copied strings */
	/* by the address of a name's string: the index in `names` + 1 */
	struct map name_numbers;

	/* the unit that is being scanned */
	struct unit *unit;
	/* the unit has inlined calls of functions with expected names */
	bool has_expected;
	/* no other thread is scanning, so other units may be read */
	bool alone;
	/* the scan programs for the unit's abbreviations: lists of steps by
	 * which the scan skips the values of a DIE (scan_program.h) */
	struct scan_table *table;
	struct scan_table *tables; /* the tables that were used most recently */
	size_t oldest_table;
	VEC(struct scan_frame) frames;
	/* by offset of a call's origin in this unit: what read_origin()
	 * returned for it, + 1 */
	struct map origins;
	/* by offset of a DIE that declares a type: unfinished hash of the
	 * type's name with its scopes */
	struct map declared;
	uint64_t range_budget;
	bool sections_known, lists_known;
	struct range_list ranges;
};

void scan_shared_init(struct scan_shared *shared, struct debugfile *file,
		      bool copy_strings, const struct expected_names *expected);
void scan_init(struct scan *scan, struct scan_shared *shared);
/* Free everything except the results. The caller scans no more units with this
 * scan. */
void scan_finish(struct scan *scan);
void scan_deinit(struct scan *scan);

/* Scan a unit. The caller has read its header, and `unit->data` points to its
 * bytes. The function reads the root DIE and appends a copy of `unit` to
 * scan->units. */
void scan_unit(struct scan *scan, struct unit *unit);

/* The index in scan->names, + 1, of the name of a called function whose DIE is
 * at `origin`, in any unit; 0: the function has no name. The caller makes sure
 * that no other thread scans. */
uint32_t scan_far_name(struct scan *scan, uint64_t origin);

/* Scan a unit of `left_over` again. The caller makes sure that no other thread
 * scans. */
void scan_again(struct scan *scan, struct unit *unit);

/* The hash of a name with its scopes (`ns::Class::Type`), which the caller
 * computes piece by piece: it begins with SCAN_HASH, passes each piece to
 * scan_hash(), and gets the final hash from scan_hash_end(). */
#define SCAN_HASH HASH_START
uint64_t scan_hash(uint64_t hash, const char *text);
uint32_t scan_hash_end(uint64_t hash);

/* is_named_type(): does a DIE with this tag describe a type that may have a
 * name? is_type_scope(): can a DIE with this tag contain such types? */
bool is_named_type(unsigned tag);
bool is_type_scope(unsigned tag);

#define ANONYMOUS_NAMESPACE "(anonymous namespace)"

#endif
