/*
 * fast_site.h - sites whose instruction is a jump to a trampoline
 */
#ifndef PROBE_FAST_SITE_H
#define PROBE_FAST_SITE_H

#include "perftool/fast.h"
#include "probe/site/site.h"

struct space;

#define FAST_NO_VALUE UINT8_MAX

/* What a number in a record is. */
struct fast_value {
	uint8_t kind; /* enum value_kind */
	bool is_address;
};

/* One breakpoint there; its values are in the record, by their index. */
struct fast_part {
	struct attachment *attachment;
	bool has_condition; /* which nobody counts when it is false */
	uint8_t value;      /* for its histogram; FAST_NO_VALUE: it has none */
	uint8_t goroutine, stack_top; /* of a Go program; or FAST_NO_VALUE */
	uint8_t keys, key_count;
	uint8_t labels, label_count;
};

/*
 * What a trampoline records, by the number that it writes. Forked children
 * share it: their trampolines are copies.
 */
struct fast_site {
	size_t users; /* sites */
	struct probe *probe;
	uint32_t number;
	enum purpose purpose;
	uint8_t base;  /* the register in its records, as of DWARF */
	uint64_t hash; /* of the code */
	struct fast_value values[FAST_VALUES];
	size_t part_count;
	uint32_t of_tails; /* the parts that are of tails.h: bit by index */
	struct fast_part parts[FAST_PARTS];
	struct trampoline trampoline;
	struct trampoline_point points[]; /* its own */
};

/* A site's trampoline that was replaced or dropped; address 0: taken. */
struct spare_trampoline {
	uint64_t address;
	size_t granules;
};

/* What a space has of all this. What was a site's stays that place's, so that
 * a library that comes and goes needs no more memory each time. */
struct fast_space {
	struct map landings;   /* address -> that of its site */
	struct map landing_of; /* and back: its last one */
	VEC(struct spare_trampoline) spares;
	struct map spare_of;    /* address of a site -> index of a spare, + 1 */
	struct map trampolines; /* their 64 bytes -> struct fast_site */
	bool has_rings;         /* its threads have rings, new ones get one */
	uint64_t update_ns; /* the tool's CPU time for the last such update: on
			       a busy machine others' time is no cost of it */
	struct fast_site *resume; /* see resumption.c; NULL: not yet */
	const char *refusal;      /* why it has none; NULL: it may have some */
};

/* What all processes have in common of it. */
struct fast_nodes {
	VEC(struct fast_site *) sites; /* index: number - 1 */
	enum mechanism mechanism;
	bool ordered; /* jumps: see struct trampoline_spec */
	bool had_jumps;
};

/* ---- fast_site.c ---------------------------------------------------------
 */

/* By number; NULL: it is no more. */
struct fast_site *fast_site_find(const struct probe *probe, uint32_t number);
/*
 * Have `site->fast` be what its attachments want now; if it cannot be,
 * `*refusal` says why, and is a constant.
 */
struct error *fast_site_make(struct probe *probe, struct space *space,
			     struct site *site, const char **refusal);
/* A trampoline is written, where there was room for it, .. */
struct error *fast_site_write(struct space *space,
			      const struct trampoline_code *code);
/* .. and is to be known; `wanted` but for its trampoline. */
struct fast_site *fast_site_keep(struct probe *probe, struct space *space,
				 const struct fast_site *wanted,
				 const struct trampoline_code *code);
/* Why what its attachments want cannot be compiled; NULL: it can be. */
const char *fast_site_refuses(const struct probe *probe, struct space *space,
			      const struct site *site);
/* The site has none any more. */
void fast_site_drop(struct space *space, struct site *site);
void fast_site_unref(struct fast_site *fast);
/* The trampoline that holds an address; NULL: none. */
struct fast_site *fast_site_at(const struct space *space, uint64_t address);

/* ---- compilation.c ------------------------------------------------------
 */

/* Add the part that a breakpoint has in the trampoline, and its values; or, why
 * that cannot be: a constant. */
const char *fast_compile(const struct probe *probe, struct space *space,
			 const struct site *site, struct attachment *attachment,
			 struct trampoline_spec *spec, struct fast_site *fast);

/* ---- exit_condition.c
 * ----------------------------------------------------------
 */

/* Add to a condition (which may be empty) that the attachment's place is an
 * exit, this time, in so far as the trampoline's `when` does not say it; false:
 * that is too long. */
bool fast_add_way(const struct site *site, const struct attachment *attachment,
		  struct fast_program *condition);

/* ---- landing.c -----------------------------------------------------------
 */

/* Where a jump within that window leads: the site's trampoline, or a landing
 * that leads on to it. A site that has no slot is only planned: nothing is
 * written. */
struct error *find_landing(struct space *space, struct site *site,
			   const struct patch_window *window, uint64_t *landing,
			   const char **refusal);

/* Would it find one? Nothing is mapped. */
bool may_land(struct space *space, const struct site *site,
	      const struct patch_window *window);

/* A forked child's is a copy of its parent's. */
void fast_space_copy(const struct fast_space *from, struct fast_space *to);
void fast_space_deinit(struct fast_space *fast);

/* ---- patch_plan.c ---------------------------------------------------------
 */

/* What the jump of a site may be written over, and what it ends in. */
struct plan {
	size_t room; /* bytes from the first of the instruction */
	uint8_t following[2 * PATCH_SIZE]; /* as memory holds them behind */
	size_t following_count;
};

/* What it is written over is noted; no jump can be there: why. */
struct error *plan_patch(struct space *space, struct site *site,
			 struct plan *out, const char **refusal);
/* Those windows of a jump that are in user space, if these bytes follow. */
size_t plan_windows(const struct site *site, size_t room,
		    const uint8_t *following, size_t count,
		    struct patch_window out[PATCH_WINDOWS]);
/* With a landing in the window, if one can be there. */
struct error *make_patch(struct space *space, struct site *site,
			 const struct plan *plan,
			 const struct patch_window *window, struct patch *out,
			 const char **refusal);
/* The patch that leads from the site to its trampoline; what it will be written
 * over is noted. */
struct error *find_patch(struct space *space, struct site *site,
			 struct patch *out, const char **refusal);
/* Does a function begin there, as far as anything tells? */
bool begins_function(struct space *space, uint64_t address);

/* ---- jump.c --------------------------------------------------------------
 */

/* Is it to be a jump wherever it can be? Not where it stops the program, or the
 * user has asked for int3s. */
bool fast_is_wanted(const struct probe *probe,
		    const struct breakpoint *breakpoint);
/* Why one of the breakpoints at a site wants no jump; NULL: none says so. */
const char *breakpoints_refuse(const struct probe *probe,
			       const struct site *site);
/* Why no site of the process can be one; NULL: they can. */
const char *space_refuses_jumps(const struct probe *probe,
				const struct space *space);
/* Why this one cannot. */
const char *site_refuses_jump(const struct probe *probe, struct space *space,
			      const struct site *site);
/* The site becomes a jump to a trampoline of its own; else site->slow says why
 * not. */
struct error *fast_make_jump(struct probe *probe, struct space *space,
			     struct site *site);
/* What it can be it becomes. */
struct error *fast_update_site(struct probe *probe, struct space *space,
			       struct site *site);

/* ---- transfer.c ---------------------------------------------------------
 */

/* Are there breakpoints of another place? */
bool fast_is_moved(const struct site *site);
/* No jump can be there: have it where one can be, if that tells the same. */
struct error *fast_move(struct probe *probe, struct space *space,
			struct site *site);
/* The same as fast_update_site(), of a site that fast_is_moved(). */
struct error *fast_update_moved(struct probe *probe, struct space *space,
				struct site *site);

/* ---- eviction.c --------------------------------------------------------
 */

/* Its jump can lead nowhere: have the next instruction be a jump, too, such
 * that it can. site->slow is NULL then. */
struct error *fast_evict(struct probe *probe, struct space *space,
			 struct site *site);

#endif
