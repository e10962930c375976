/*
 * fast_site.h - sites whose instruction is a jump to a trampoline, which
 * records the hit
 *
 * A trampoline writes a record with numbers, its values. A jump in place of a
 * short instruction can only reach some windows of addresses; if the trampoline
 * is in none of them, the jump leads to a landing, which is a second jump that
 * leads on to the trampoline.
 */
#ifndef PROBE_FAST_SITE_H
#define PROBE_FAST_SITE_H

#include "counted_leg.h"
#include "perftool/fast_node.h"
#include "probe/site/site.h"

struct space;

#define FAST_NO_VALUE UINT8_MAX

/* How to interpret one of the values in a record. */
struct fast_value {
	uint8_t kind; /* enum value_kind */
	bool is_address;
	/* The expression is `$caller`: the record has a code address. */
	bool is_caller;
	/* The value is the address of a text, and the record has so many words
	 * of the text, from the value with this index on; 0: it is no text. */
	uint8_t text_words, text;
};

/* One breakpoint at a fast site. The members `value` to `labels` are indices of
 * the breakpoint's values in the record. */
struct fast_part {
	struct attachment *attachment;
	/* The trampoline evaluates the condition of the breakpoint, and makes
	 * no hit of the breakpoint if the condition is false. */
	bool has_condition;
	/* the value for its histogram; FAST_NO_VALUE: none */
	uint8_t value;
	uint8_t goroutine, stack_top; /* in a Go program; else FAST_NO_VALUE */
	uint8_t keys, key_count;
	uint8_t labels, label_count;
};

/*
 * What a trampoline records. A record contains `number`, by which this struct
 * is found. The spaces of forked children share the struct, because their
 * trampolines are copies.
 */
struct fast_site {
	size_t users; /* the number of sites that share this struct */
	struct probe *probe;
	uint32_t number;
	enum purpose purpose;
	/* the DWARF number of the register whose value each record contains */
	uint8_t base;
	uint64_t hash; /* a hash of the trampoline's code */
	struct fast_value values[FAST_VALUES];
	size_t part_count;
	/* the parts of the tool's own breakpoint, which follows frames
	 * (tails.h): one bit per index */
	uint32_t of_tails;
	struct fast_part parts[FAST_PARTS];
	/* The hits are counted by their threads. What is recorded all the same
	 * has the frame (CFA) itself instead of the register `base`. */
	bool is_counting;
	/* They can not be, whichever legs are counted, because of the parts. */
	bool cannot_count;
	unsigned first; /* as in struct trampoline_spec, like the next three */
	bool again, comes;
	uint32_t comes_to;
	/* What the threads count of a profile of calls, as in struct
	 * trampoline_spec; and the parts that are for this: they make no hits
	 * from records. One bit per index. */
	unsigned call;
	uint32_t of_calls;
	struct trampoline trampoline;
	/* what `trampoline.points` refers to, see struct trampoline_point */
	struct trampoline_point points[];
};

/* Does the trampoline call the counting code (counting.h of arch)? */
static inline bool fast_calls_counting(const struct fast_site *fast)
{
	return fast->is_counting || fast->comes || fast->call ||
	       fast->first != TRAMPOLINE_NOTES_NOTHING;
}

/* The memory of a site's trampoline that was replaced or dropped. Address 0:
 * the memory is in use again. */
struct spare_trampoline {
	uint64_t address;
	size_t granules;
};

/* What a space has for fast sites. If a site had memory for its trampoline or
 * landing, the memory stays reserved for that site's address, so that a library
 * that is loaded and unloaded repeatedly does not need new memory each time. */
struct fast_space {
	struct map landings;   /* address of a landing -> address of its site */
	struct map landing_of; /* address of a site -> its last landing */
	VEC(struct spare_trampoline) spares;
	struct map spare_of; /* address of a site -> index of a spare, + 1 */
	/* address of each 64 bytes of a trampoline -> struct fast_site */
	struct map trampolines;
	/* the threads have rings, and new threads get one */
	bool has_rings;
	/* A thread has followed a pointer into memory that the program had
	 * unmapped, and the program is to survive the tool: threads follow no
	 * pointers any more (trampoline_trap.c). */
	bool has_bad_pointers;
	/* The CPU time that a fast_update() takes which changes few sites. The
	 * time that other programs use meanwhile on a busy machine is not part
	 * of it. */
	uint64_t update_ns;
	/* the address of the word that says whether the tool lives; 0: there is
	 * none (struct ring_pool_head) */
	uint64_t life;
	/* the trampoline through which threads go on from int3s, see
	 * resumption.c; NULL: not made yet */
	struct fast_site *resume;
	/* the reason why there are no fast sites; NULL: there may be some */
	const char *refusal;
	/* the legs that threads count by themselves, and the address of the
	 * code with which they do so (counting.h of arch); 0: none */
	struct counted_legs counted;
	uint64_t counting_code;
	/* threads count the calls of a profile by themselves */
	bool counts_calls;
	/* The present update concerns all sites, not only those of which it is
	 * known that something has changed. */
	bool updates_all;
	/* It concerns all sites whose mechanism depends on the mappings. */
	bool updates_int3s;
};

/* What the fast sites of all processes have in common. */
struct fast_nodes {
	VEC(struct fast_site *) sites; /* index: number - 1 */
	enum mechanism mechanism;
	/* A trampoline reads the time only when the processor has completed the
	 * instructions before it: `ordered` of struct trampoline_spec. */
	bool ordered;
	bool had_jumps;
	uint64_t countings; /* how many times fast_count() was called */
};

/* ---- fast_site.c --------------------------------------------------------- */

/* Find a fast site by its number. NULL if it does not exist any more. */
struct fast_site *fast_site_find(const struct probe *probe, uint32_t number);
/*
 * Make or replace the trampoline `site->fast`, so that it does what the site's
 * attachments need now. If that is not possible, `*refusal` is set to the
 * reason, a constant.
 */
struct error *fast_site_make(struct probe *probe, struct space *space,
			     struct site *site, const char **refusal);
/* Does the trampoline of the site do what the site's attachments need now? */
bool fast_site_is_current(const struct probe *probe, struct space *space,
			  const struct site *site);
/* Write a trampoline into the target, into memory that store_find_room() has
 * found, and reserve that memory. */
struct error *fast_site_write(struct space *space,
			      const struct trampoline_code *code);
/* Make the struct of a trampoline that was written, and enter it among the fast
 * sites. `wanted` has everything but the trampoline. The caller owns one
 * reference to the result. */
struct fast_site *fast_site_keep(struct probe *probe, struct space *space,
				 const struct fast_site *wanted,
				 const struct trampoline_code *code);
/* The reason, a constant, why what the attachments of the site need cannot be
 * compiled; NULL if it can. */
const char *fast_site_refuses(const struct probe *probe, struct space *space,
			      const struct site *site);
/* Note that the site has no trampoline any more. The memory of its trampoline
 * is set aside for the site's next one. */
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

/* ---- counting_action.c --------------------------------------------------- */

/* Choose what the counting code has to do at the site. `spec` and `fast` have
 * the parts of the site already. Returns NULL, or the reason why the site
 * cannot be a jump, a constant. */
const char *choose_counting(struct space *space, struct trampoline_spec *spec,
			    struct fast_site *fast);
/* A hash of everything that choose_counting() learns about the site from the
 * legs that are counted and from what is known of tail jumps. As long as it
 * stays as it is, and the site has the same parts, the choice stays as it is,
 * too. */
uint64_t counting_inputs(struct space *space, const struct site *site);
/* The registers (r8 and r9, as instructions encode them) that lead a
 * calibrating thread to 8 bytes that stand for a return address; the calls from
 * the second one are left out. */
#define CALIBRATED_FRAME 8
#define OTHER_FRAME 9
/* Choose what the thread does at a site of the calibration. */
void choose_calibration(const struct site *site, struct trampoline_spec *spec);

/* ---- exit_condition.c ---------------------------------------------------- */

/* Extend `condition`, which may be empty, so that it also requires that the
 * attachment's place is an exit this time, if the trampoline's `when` does not
 * test that already. Returns false if the condition becomes too long. */
bool fast_add_way(const struct site *site, const struct attachment *attachment,
		  struct fast_program *condition);

/* ---- landing.c ----------------------------------------------------------- */

/* Find the address within the window (the addresses that a jump of the site can
 * reach) to which the jump is to lead: that of the site's trampoline, or that
 * of a landing, which leads on to the trampoline. For a site that has no slot
 * the function only plans, and writes nothing. */
struct error *find_landing(struct space *space, struct site *site,
			   const struct patch_window *window, uint64_t *landing,
			   const char **refusal);

/* Would find_landing() find an address? This function maps no memory. */
bool may_land(struct space *space, const struct site *site,
	      const struct patch_window *window);

/* fast_space_copy(): a forked child's memory is a copy of its parent's. */
void fast_space_copy(const struct fast_space *from, struct fast_space *to);
void fast_space_deinit(struct fast_space *fast);

/* ---- patch_plan.c -------------------------------------------------------- */

/* Which bytes the jump of a site may be written over, and which bytes follow
 * them. If the jump is longer than the room, it ends in the bytes that follow,
 * which stay as they are. */
struct plan {
	/* the number of bytes that may be written, from the first byte of the
	 * instruction on */
	size_t room;
	/* the bytes behind the room, as memory holds them */
	uint8_t following[2 * PATCH_SIZE];
	size_t following_count;
};

/* Plan the jump of a site, and note in the site which bytes it will be written
 * over. If no jump can be there, `*refusal` is set to the reason. */
struct error *plan_patch(struct space *space, struct site *site,
			 struct plan *out, const char **refusal);
/* Find the windows in user space that a jump of the site can reach, if these
 * bytes follow the room. Returns how many windows there are. */
size_t plan_windows(const struct site *site, size_t room,
		    const uint8_t *following, size_t count,
		    struct patch_window out[PATCH_WINDOWS]);
/* Make the patch (the bytes of the jump) that leads to a landing in the window.
 * If there can be no such landing, `*refusal` is set to the reason. */
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
 * the breakpoint stops the program, if threads are read there, or if the user
 * has asked for int3s. */
bool fast_is_wanted(const struct probe *probe,
		    const struct breakpoint *breakpoint);
/* The reason why one of the site's breakpoints must not be a jump; NULL if all
 * of them may be jumps. */
const char *breakpoints_refuse(const struct probe *probe,
			       const struct site *site);
/* The reason why no site of the process can be a jump; NULL if sites can. */
const char *space_refuses_jumps(const struct probe *probe,
				const struct space *space);
/* The reason why this site cannot be a jump; NULL if it can. */
const char *site_refuses_jump(const struct probe *probe, struct space *space,
			      const struct site *site);
/* Turn the site into a jump to a trampoline of its own, or make its trampoline
 * again. If the site cannot be a jump, site->slow says why. */
struct error *fast_make_jump(struct probe *probe, struct space *space,
			     struct site *site);
/* Could fast_update_site() change anything? */
bool fast_is_outdated(struct space *space, const struct site *site);
/* Turn the site into a jump if it can be one, else into an int3. */
struct error *fast_update_site(struct probe *probe, struct space *space,
			       struct site *site);

/* ---- transfer.c ---------------------------------------------------------- */

/* Does the site have breakpoints that belong to another address? */
bool fast_is_moved(const struct site *site);
/* No jump can be at this site: move its breakpoints to a nearby instruction
 * where a jump can be and which threads reach exactly as often. */
struct error *fast_move(struct probe *probe, struct space *space,
			struct site *site);
/* Like fast_update_site(), for a site for which fast_is_moved() is true. The
 * breakpoints may go back to their own address. */
struct error *fast_update_moved(struct probe *probe, struct space *space,
				struct site *site);

/* ---- eviction.c ---------------------------------------------------------- */

/* The jump of the site can lead to no free memory: turn one of the next
 * instructions into a jump, too. The bytes of this second jump are chosen so
 * that the first jump, which ends in them, leads to free memory. On success,
 * site->slow is NULL. */
struct error *fast_evict(struct probe *probe, struct space *space,
			 struct site *site);

#endif
