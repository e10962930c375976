/*
 * gmon_module.h - what gprof is to know of one module: where its time was
 * spent, and who called its functions. Addresses are those of the module's
 * file.
 */
#ifndef REPORT_GMON_MODULE_H
#define REPORT_GMON_MODULE_H

#include "perftool/base/map.h"
#include "perftool/base/vec.h"
#include "perftool/report/profile_files.h"

/* gprof looks at addresses in steps of two bytes. A bin of that size is in one
 * function only. */
#define GMON_BIN 2

struct gmon_bin {
	uint64_t address; /* even */
	uint64_t count;
};

struct gmon_arc {
	uint64_t from, to;
	uint64_t count;
};

struct gmon_module {
	const char *name;
	const struct profile_module *facts; /* NULL: nothing is known of it */
	VEC(struct gmon_bin) bins;
	VEC(struct gmon_arc) arcs;
	struct map by_address; /* index of a bin plus 1 */
};

/* All modules of a profile, and what could not be said of them. */
struct gmon_modules {
	VEC(struct gmon_module) list;
	struct strmap by_name; /* index in `list` plus 1 */
	uint32_t rate;         /* counts a second, or 1 */
	/* what is counted: "seconds", or 15 bytes at most of another word */
	const char *dimension;
	uint64_t waits;     /* weight of samples that are waits */
	uint64_t nowhere;   /* weight of samples whose address is not known */
	uint64_t from_else; /* calls from other modules */
	uint64_t unsaid;    /* of these: calls that have no place in the file */
};

void gmon_modules_init(struct gmon_modules *modules,
		       const struct profile *profile);
void gmon_modules_deinit(struct gmon_modules *modules);

/* Append the content of the module's file. */
void gmon_write(const struct gmon_modules *modules, struct gmon_module *module,
		struct str *out);

#endif
