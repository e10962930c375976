/*
 * detail_choice.h - which functions get nodes under `set detail auto`: the
 * decision alone, from ticks and measured costs
 *
 * The caller adds the ticks of each slice of time, tells what the nodes of each
 * function cost, and asks for the changes. A class (a source file, else a
 * module) is detailed while its share of the ticks passes its limits; of a
 * detailed class the functions get nodes that pass the limits of methods. A
 * function begins above one threshold and ends below another, lower one. If
 * the nodes cost the program more than they may, the function that costs most
 * for its ticks loses its nodes. If it alone costs too much, it is refused for
 * a time that doubles with each refusal; if only the others left no room for
 * it, it comes back as soon as there is some. Rule: doc/RULES.md, "Detail".
 *
 * A share is a fraction, from 0 to 1. Times are ns of any clock.
 */
#ifndef PERFTOOL_PROFILE_DETAIL_CHOICE_H
#define PERFTOOL_PROFILE_DETAIL_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/map.h"
#include "perftool/base/vec.h"

/* Ticks count while they are in the window: the last DETAIL_WINDOW slices, and
 * as many before as it takes to have DETAIL_TICKS ticks, but not more than
 * DETAIL_SLICES. */
#define DETAIL_SLICES 64
#define DETAIL_WINDOW 10
#define DETAIL_TICKS 50

struct detail_limits {
	double min_total; /* ticks of all, since the beginning */
	double minimum;   /* ticks of the class or method in the window */
	double threshold; /* share of the window's ticks at which it begins */
	double stop_threshold; /* below which it ends */
};

struct detail_rules {
	struct detail_limits class, method;
	/* The largest share of the program's time that all nodes may cost: if
	 * they cost more, some go. */
	double cost;
	/* Functions come only as long as all together cost no more than this,
	 * which is less than `cost`: what is measured varies, and functions are
	 * not to come and go for that. */
	double room;
	/* how many functions may have nodes at the same time */
	size_t most;
	/* Nodes may come, or go because their functions do not matter any more.
	 * False: they only go because they cost too much. */
	bool may_change;
};

enum detail_state {
	DETAIL_OUT,
	DETAIL_TRIED, /* has nodes whose cost was not told yet */
	DETAIL_IN,
};

/* What the nodes of a function cost. */
struct detail_cost {
	double share; /* of the program's own time on CPUs */
	/* calls in a second of the program's own time on CPUs, and in a second
	 * on the wall clock */
	double cpu_rate, rate;
	/* The true cost and the true `cpu_rate` may be more. */
	bool is_least;
};

/* Why a function was refused last. */
enum detail_refusal {
	DETAIL_NOT_REFUSED,
	DETAIL_TOO_DEAR, /* it alone costs too much */
	DETAIL_NO_ROOM,  /* the others have left too little */
};

struct detail_class {
	char *name;
	/* System classes are not detailed. */
	bool is_system, is_detailed;
	uint32_t ticks[DETAIL_SLICES];
};

struct detail_function {
	char *name;
	uint32_t class;
	enum detail_state state;
	/* The caller says that it gets no nodes: it cannot, or it has some that
	 * the user has made. */
	bool is_barred;
	bool is_wanted;   /* by its ticks */
	double in_window; /* its ticks in the window at the last decision */
	/* as it was told last; of a function that is tried again, as it was
	 * before */
	struct detail_cost cost;
	enum detail_refusal refusal;
	struct detail_cost refused; /* what it cost then */
	/* how often it was too dear, and until when it is refused for that */
	unsigned refusals;
	uint64_t refused_until;
	uint32_t ticks[DETAIL_SLICES];
};

/* All zero is empty. */
struct detail_choice {
	VEC(struct detail_class) classes;      /* by number */
	VEC(struct detail_function) functions; /* by number */
	struct strmap class_numbers, function_numbers;
	uint32_t ticks[DETAIL_SLICES];
	size_t slice; /* the present one */
	uint64_t ticks_ever;
};

void detail_choice_deinit(struct detail_choice *choice);
/* Forgets the ticks, as if nothing had been sampled yet. */
void detail_choice_forget_ticks(struct detail_choice *choice);

/* Returns the number of a class or of a function, which gets one if it has none
 * yet. `name` identifies it; the text is copied. */
uint32_t detail_choice_class(struct detail_choice *choice, const char *name);
uint32_t detail_choice_function(struct detail_choice *choice, const char *name,
				uint32_t class);

/* A new slice begins. */
void detail_choice_advance(struct detail_choice *choice);
/* Add ticks to the present slice: of all, of a class, of a function. */
void detail_choice_add(struct detail_choice *choice, uint32_t ticks);
void detail_choice_add_class(struct detail_choice *choice, uint32_t class,
			     uint32_t ticks);
void detail_choice_add_function(struct detail_choice *choice, uint32_t function,
				uint32_t ticks);

/* The time that a program was on CPUs, without what nodes have taken. */
struct detail_own_time {
	double ns;
	/* It may be less, because most of the time went to hits. What these
	 * have cost is not known well enough to tell what is left. */
	bool is_most;
};
/* The program was on CPUs for `cpu` ns in `elapsed` ns, of which its hits have
 * cost `spent` ns. `limit`: the largest share of the own time that hits may
 * cost. */
struct detail_own_time detail_own_time(double cpu, double elapsed, double spent,
				       double limit);
/* What nodes have cost with so many calls, whose hits have cost `spent` ns. */
struct detail_cost detail_cost_of(double calls, double spent,
				  const struct detail_own_time *own,
				  double elapsed);

/* What the nodes of a function cost now. It is tried no more. */
void detail_choice_cost(struct detail_choice *choice, uint32_t function,
			const struct detail_cost *cost);
/* Does a function have no nodes now because it was refused? */
bool detail_is_refused(const struct detail_function *function, uint64_t now);

/* The function gets nodes (`in`), or loses them. */
struct detail_change {
	uint32_t function;
	bool in;
	/* why it loses them: they cost too much; false: it matters no more */
	bool is_dear;
};
VEC_STRUCT(detail_change_list, struct detail_change);

/* Appends the changes to make now, the removals first, and takes them for made.
 * If the caller could not make one, it calls detail_choice_bar(). */
void detail_choice_decide(struct detail_choice *choice,
			  const struct detail_rules *rules, uint64_t now,
			  struct detail_change_list *changes);
/* The function has no nodes, and gets none while it is barred. */
void detail_choice_bar(struct detail_choice *choice, uint32_t function,
		       bool is_barred);
/* The nodes of the function were lost: nobody has decided that. */
void detail_choice_lost(struct detail_choice *choice, uint32_t function);

/* The share that the nodes of all functions cost. */
double detail_choice_total_cost(const struct detail_choice *choice);
/* The share of the window's ticks that a function has. */
double detail_choice_share(const struct detail_choice *choice,
			   uint32_t function);

#endif
