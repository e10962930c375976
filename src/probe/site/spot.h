/*
 * spot.h - where a breakpoint wants to be, in a file: from what was asked for
 * to addresses (resolve.c, exits.c, indirect.c), in all modules (search.c)
 */
#ifndef PROBE_SPOTS_H
#define PROBE_SPOTS_H

#include "perftool/probe.h"

struct space;
struct loaded;

/* In which way a site belongs to a breakpoint. */
enum role {
	ROLE_PLACE,         /* any instruction */
	ROLE_ENTRY,         /* a function's first instruction */
	ROLE_RETURN,        /* ret: an exit */
	ROLE_JUMP,          /* a tail jump: an exit */
	ROLE_JUMP_IF,       /* an exit when taken */
	ROLE_JUMP_INDIRECT, /* an exit when it leaves the function */
};

/* Where a breakpoint wants to be, in addresses of the file. */
struct spot {
	uint64_t address;
	enum role role;
	struct function function; /* name NULL: unknown */
	const char *file; /* of a FILE:LINE, else NULL: by the address */
	uint32_t line;
	bool inlined;    /* the entry of a copy, in `function` */
	unsigned frame;  /* of a copy: which one is it at the address */
	uint64_t target; /* of a jump, unless it is an indirect one */
	bool is_stub;    /* ROLE_JUMP_INDIRECT that always leaves */
	/* The CFA is so many bytes above where it usually is at an exit, 8
	 * above rsp. */
	int8_t shift;
	/* ROLE_JUMP_INDIRECT by a thunk: where it leads is in the register that
	 * DWARF numbers one less; 0: the instruction says it */
	uint8_t thunk;
	bool is_last; /* the return behind a call of __morestack */
	/* None, where the return address is in here: the function runs on a
	 * stack of its own, and goes back to its real frame (-fsplit-stack). */
	struct range unless; /* `high` 0: there is no such range */
};
VEC_STRUCT(spot_list, struct spot);

/* resolve.c: are a module and a function of it meant, by @MODULE or @VERSION
 * and by FILE? The module's file must have been opened for a function. */
bool location_means_module(const struct location *location,
			   const struct module *module);
bool location_means_function(const struct location *location,
			     const struct module *module,
			     const struct function *function);
/* Which address of the module's file does *ADDRESS mean? False: it means none
 * of this module. */
bool address_in_module(struct probe *probe, const struct location *location,
		       const struct module *module, uint64_t *out);
/* The spots of a location in one module, appended. */
struct error *resolve_in_module(struct probe *probe, struct space *space,
				struct module *module,
				const struct breakpoint *breakpoint,
				struct spot_list *out);

/* indirect.c: what the resolver of an indirect function has chosen, as far as
 * the words that hold it tell; false: they do not, or do not yet. */
bool find_implementation(struct space *space, const struct module *module,
			 const struct function *resolver, struct function *out);
/* Have SITE_START where everything is relocated. */
struct error *watch_start(struct probe *probe, struct space *space);
/* search.c: SITE_START was reached: what was put off is looked for. */
struct error *resolve_started(struct probe *probe, struct space *space);

/*
 * The entries of the copies that were inlined (they have no exits that could be
 * told from their callers'), and whether it has some without code. All debug
 * information of the module is searched for that, if the name is in it.
 */
struct error *resolve_inlined(struct module *module,
			      struct breakpoint *breakpoint,
			      struct spot_list *out);

/* If copies of a function will be asked for, have the module searched: before
 * all else, for that goes through all there is. */
void prepare_copies(struct module *module, const struct breakpoint *breakpoint);

static inline bool is_jump(enum role role)
{
	return role == ROLE_JUMP || role == ROLE_JUMP_IF ||
	       role == ROLE_JUMP_INDIRECT;
}

/* exits.c: where a function is left, appended. */
struct error *find_exits(struct debugfile *file,
			 const struct function *function,
			 struct spot_list *out);
/* A function that only goes on in another has its exits before that one
 * begins: say so. `exits`: all of its own. */
void note_jumps(struct probe *probe, struct debugfile *file,
		const struct function *function, const struct spot *exits,
		size_t count);

/* search.c: search what was not searched yet, in one space or in all. */
struct error *resolve_in_space(struct probe *probe, struct space *space);
struct error *resolve_everywhere(struct probe *probe);
/* A module goes that breakpoints were looked for in. */
void remember_searched(struct probe *probe, const struct loaded *loaded);
void forget_searched(struct probe *probe);
/* Is its file among the modules there are? */
bool probe_lists(const struct probe *probe, const struct module *module);

/* ---- linked.c ---------------------------------------------------------------
 */

void forget_linked(struct probe *probe);
/* Which of them has what the breakpoint is named by; NULL: none. */
const struct module *linked_with(struct probe *probe,
				 struct breakpoint *breakpoint);

#endif
