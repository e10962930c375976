/*
 * legs_view.h - which legs a text table shows, and in which order
 */
#ifndef COMMAND_LEGS_VIEW_H
#define COMMAND_LEGS_VIEW_H

#include "command/interpreter.h"

enum legs_sort {
	LEGS_BY_ID,
	LEGS_BY_TOTAL,
	LEGS_BY_MEAN,
	LEGS_BY_COUNT,
	LEGS_BY_MAX,
	LEGS_BY_P99,
	LEGS_BY_NAME
};

/* Zero shows all legs, in the order of their numbers. */
struct legs_view {
	const char *glob; /* of their names; NULL: any */
	enum legs_sort sort;
	uint32_t top;       /* so many of them; 0: all */
	bool only_executed; /* leave out the others */
	bool by_process;    /* what each process has of them */
};

/* Tables that have those legs alone. With `only_executed` the nodes that were
 * never reached are left out, too. */
struct legs_selection {
	struct tables tables;
	struct report_leg *legs;   /* its own */
	struct report_node *nodes; /* its own */
	size_t unreached;          /* how many nodes were left out */
	size_t unexecuted; /* how many were left out for not being executed */
	size_t beyond;     /* how many rows more than `top` there were */
};
void legs_select(const struct tables *tables, const struct legs_view *view,
		 struct legs_selection *out);
void legs_selection_deinit(struct legs_selection *selection);

/* An error if the view has a pattern that matches the name of no leg. */
struct error *legs_check_glob(const struct tables *tables,
			      const struct legs_view *view);

/* The arguments of `print legs': [-v] [GLOB] [by=process] [sort=...] [top=N]
 * [columns=...] [all]. */
struct legs_request {
	struct legs_view view;
	bool verbose;
	bool is_sorted;      /* sort= is there */
	const char *columns; /* columns=; NULL: as it is set */
};
struct error *legs_request_parse(const struct call *call,
				 struct legs_request *out);

#endif
