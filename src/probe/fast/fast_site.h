/*
 * fast_site.h - sites whose instruction is a jump to a trampoline
 */
#ifndef PROBE_FAST_SITE_H
#define PROBE_FAST_SITE_H

#include "perftool/fast_node.h"
#include "probe/site/site.h"

struct space;

#define FAST_NO_VALUE UINT8_MAX

/* How to interpret a number in a record. */
struct fast_value {
	uint8_t kind; /* enum value_kind */
	bool is_address;
};

/* One breakpoint at a fast site. The small numbers are indices of its values in
 * the record. */
struct fast_part {
	struct attachment *attachment;
	/* the trampoline evaluates its condition, and does not count when that
	 * is false */
	bool has_condition;
	/* the value for its histogram; FAST_NO_VALUE: none */
	uint8_t value;
	uint8_t goroutine, stack_top; /* in a Go program; else FAST_NO_VALUE */
	uint8_t keys, key_count;
	uint8_t labels, label_count;
};

/*
 * What a trampoline records, found by the number that the trampoline writes.
 * The spaces of forked children share this struct, because their trampolines
 * are copies.
 */
struct fast_site {
	size_t users; /* the number of sites that have it */
	struct probe *probe;
	uint32_t number;
	enum purpose purpose;
	uint8_t base;  /* the register in its records, by its DWARF number */
	uint64_t hash; /* a hash of the trampoline's code */
	struct fast_value values[FAST_VALUES];
	size_t part_count;
	/* the parts that belong to tails.h: one bit per index */
	uint32_t of_tails;
	struct fast_part parts[FAST_PARTS];
	struct trampoline trampoline;
	struct trampoline_point points[]; /* the points of `trampoline` */
};

/* A trampoline of a site that was replaced or dropped. Address 0: its memory is
 * in use again. */
struct spare_trampoline {
	uint64_t address;
	size_t granules;
};

/* What a space has for fast sites. Memory that a site had for its trampoline or
 * landing stays reserved for that site's address, so that a library that comes
 * and goes does not need new memory each time. */
struct fast_space {
	struct map landings;   /* address of a landing -> address of its site */
	struct map landing_of; /* address of a site -> its last landing */
	VEC(struct spare_trampoline) spares;
	struct map spare_of; /* address of a site -> index of a spare, + 1 */
	/* each 64 bytes of a trampoline -> struct fast_site */
	struct map trampolines;
	/* the threads have rings, and new threads get one */
	bool has_rings;
	/* The CPU time that the last fast_update() took. The time that other
	 * programs have used meanwhile on a busy machine is not part of it. */
	uint64_t update_ns;
	struct fast_site *resume; /* see resumption.c; NULL: not made yet */
	/* the reason why there are no fast sites; NULL: there may be some */
	const char *refusal;
};

/* What all processes have in common. */
struct fast_nodes {
	VEC(struct fast_site *) sites; /* index: number - 1 */
	enum mechanism mechanism;
	/* the time at a jump is read in order: see struct trampoline_spec */
	bool ordered;
	bool had_jumps;
};

/* ---- fast_site.c --------------------------------------------------------- */

/* Find a fast site by its number. NULL if it does not exist any more. */
struct fast_site *fast_site_find(const struct probe *probe, uint32_t number);
/*
 * Make `site->fast` what the site's attachments need now. If that is not
 * possible, `*refusal` is set to the reason, a constant.
 */
struct error *fast_site_make(struct probe *probe, struct space *space,
			     struct site *site, const char **refusal);
/* Write a trampoline into the target, at an address that store_find_room() has
 * found, and reserve that room. */
struct error *fast_site_write(struct space *space,
			      const struct trampoline_code *code);
/* Enter a trampoline that was written. `wanted` has everything but the
 * trampoline. The caller owns one reference to the result. */
struct fast_site *fast_site_keep(struct probe *probe, struct space *space,
				 const struct fast_site *wanted,
				 const struct trampoline_code *code);
/* The reason why what the attachments need cannot be compiled, a constant; NULL
 * if it can. */
const char *fast_site_refuses(const struct probe *probe, struct space *space,
			      const struct site *site);
/* The site has no trampoline any more. Its memory is set aside. */
void fast_site_drop(struct space *space, struct site *site);
void fast_site_unref(struct fast_site *fast);
/* The fast site whose trampoline contains an address; NULL if there is none. */
struct fast_site *fast_site_at(const struct space *space, uint64_t address);

/* ---- compilation.c ------------------------------------------------------- */

/* Add the part of a breakpoint, and its values, to the trampoline. Returns
 * NULL, or the reason why that is not possible, a constant. */
const char *fast_compile(const struct probe *probe, struct space *space,
			 const struct site *site, struct attachment *attachment,
			 struct trampoline_spec *spec, struct fast_site *fast);

/* ---- exit_condition.c ---------------------------------------------------- */

/* Extend a condition, which may be empty: the attachment's place must be an
 * exit, as far as the trampoline's `when` does not say so. Returns false if the
 * condition becomes too long. */
bool fast_add_way(const struct site *site, const struct attachment *attachment,
		  struct fast_program *condition);

/* ---- landing.c ----------------------------------------------------------- */

/* Find the address, within the window, that a jump is to lead to: the
 * trampoline of the site, or a landing that leads on to the trampoline. For a
 * site that has no slot the function only plans, and writes nothing. */
struct error *find_landing(struct space *space, struct site *site,
			   const struct patch_window *window, uint64_t *landing,
			   const char **refusal);

/* Would find_landing() find an address? The function maps no memory. */
bool may_land(struct space *space, const struct site *site,
	      const struct patch_window *window);

/* fast_space_copy(): a forked child's memory is a copy of its parent's. */
void fast_space_copy(const struct fast_space *from, struct fast_space *to);
void fast_space_deinit(struct fast_space *fast);

/* ---- patch_plan.c -------------------------------------------------------- */

/* Which bytes the jump of a site may be written over, and which bytes it ends
 * in. */
struct plan {
	size_t room; /* bytes from the first byte of the instruction */
	/* the bytes behind that room, as memory holds them */
	uint8_t following[2 * PATCH_SIZE];
	size_t following_count;
};

/* Plan the jump of a site, and note in the site which bytes it will be written
 * over. If no jump can be there, `*refusal` is set to the reason. */
struct error *plan_patch(struct space *space, struct site *site,
			 struct plan *out, const char **refusal);
/* The windows of the jump that are in user space, if these bytes follow the
 * room. Returns how many there are. */
size_t plan_windows(const struct site *site, size_t room,
		    const uint8_t *following, size_t count,
		    struct patch_window out[PATCH_WINDOWS]);
/* Make the patch whose jump leads to a landing in the window, if one can be
 * there; else set `*refusal`. */
struct error *make_patch(struct space *space, struct site *site,
			 const struct plan *plan,
			 const struct patch_window *window, struct patch *out,
			 const char **refusal);
/* Make the patch that leads from the site to its trampoline, and note in the
 * site which bytes it will be written over. If that is not possible, `*refusal`
 * is set to the reason. */
struct error *find_patch(struct space *space, struct site *site,
			 struct patch *out, const char **refusal);
/* Does a function begin at the address, as far as the module's file tells? */
bool begins_function(struct space *space, uint64_t address);

/* ---- jump.c -------------------------------------------------------------- */

/* Is the breakpoint to be a jump wherever it can be one? The answer is no if
 * the breakpoint stops the program, or if the user has asked for int3s. */
bool fast_is_wanted(const struct probe *probe,
		    const struct breakpoint *breakpoint);
/* The reason why one of the site's breakpoints must not be a jump; NULL if all
 * may. */
const char *breakpoints_refuse(const struct probe *probe,
			       const struct site *site);
/* The reason why no site of the process can be a jump; NULL if sites can. */
const char *space_refuses_jumps(const struct probe *probe,
				const struct space *space);
/* The reason why this site cannot be a jump; NULL if it can. */
const char *site_refuses_jump(const struct probe *probe, struct space *space,
			      const struct site *site);
/* Turn the site into a jump to a trampoline of its own. If that is not
 * possible, site->slow says why. */
struct error *fast_make_jump(struct probe *probe, struct space *space,
			     struct site *site);
/* Turn the site into a jump if it can be one, else into an int3. */
struct error *fast_update_site(struct probe *probe, struct space *space,
			       struct site *site);

/* ---- transfer.c ---------------------------------------------------------- */

/* Does the site have breakpoints that belong to another address? */
bool fast_is_moved(const struct site *site);
/* No jump can be at this site: move its breakpoints to an instruction where a
 * jump can be, if the hits there say the same. */
struct error *fast_move(struct probe *probe, struct space *space,
			struct site *site);
/* Like fast_update_site(), for a site that fast_is_moved(). */
struct error *fast_update_moved(struct probe *probe, struct space *space,
				struct site *site);

/* ---- eviction.c ---------------------------------------------------------- */

/* The jump of the site can lead nowhere: turn one of the next instructions into
 * a jump, too, whose bytes let the first jump lead somewhere. On success,
 * site->slow is NULL. */
struct error *fast_evict(struct probe *probe, struct space *space,
			 struct site *site);

#endif
