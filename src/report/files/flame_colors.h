/*
 * flame_colors.h - the colours of a flame graph: one for each of the modules
 * that weigh most, one for all others, and one for waits
 */
#ifndef REPORT_FLAME_COLORS_H
#define REPORT_FLAME_COLORS_H

#include "perftool/base/map.h"
#include "perftool/base/vec.h"
#include "perftool/profile/procedures.h"

/* The style sheet's rules for the classes that flame_color() returns, for `r`
 * (the root and threads) and for `b` (broken stacks). All colours are light, so
 * that dark text is readable on them whatever the background is. */
#define FLAME_STYLE                                                            \
	".flame .m0{fill:#ffc27a}"                                             \
	".flame .m1{fill:#9bd6a5}"                                             \
	".flame .m2{fill:#a8caf2}"                                             \
	".flame .m3{fill:#f2a7a7}"                                             \
	".flame .m4{fill:#d5b9ee}"                                             \
	".flame .m5{fill:#e8df7c}"                                             \
	".flame .m6{fill:#8fd9d6}"                                             \
	".flame .m7{fill:#e6bfa2}"                                             \
	".flame .o{fill:#cccccc}"                                              \
	".flame .w{fill:#b4bfd1;stroke-dasharray:3 2}"                         \
	".flame .r{fill:#e3e3e3}.flame .b{fill:#ff8c8c}\n"

struct flame_legend {
	const char *name;  /* of the module; borrowed from the procedures */
	const char *class; /* static */
};

/* All zero is empty. */
struct flame_colors {
	struct strmap class_of_module;
	VEC(struct flame_legend) legend; /* the heaviest first */
};

/* `own`: the weight of each procedure where it is innermost. */
void flame_colors_init(struct flame_colors *colors,
		       const struct procedures *procedures,
		       const uint64_t *own);
void flame_colors_deinit(struct flame_colors *colors);

/* Return the class of a procedure. */
const char *flame_color(const struct flame_colors *colors,
			const struct procedure *procedure);

#endif
