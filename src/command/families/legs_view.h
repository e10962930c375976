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

/* Which legs a table shows, and in which order. The zero value shows all legs
 * in the order of their numbers. */
struct legs_view {
	const char *glob; /* a pattern for names of legs; NULL: all legs */
	enum legs_sort sort;
	uint32_t top;       /* how many rows are shown at most; 0: all */
	bool only_executed; /* leave out legs that were never executed */
	bool by_process;    /* show a row for each leg and process */
};

/* Tables that contain only the legs that the view shows. If `only_executed` is
 * set, the nodes that were never reached are left out too. */
struct legs_selection {
	struct tables tables;
	struct report_leg *legs;   /* the list of legs in `tables`; the
				    * selection frees it */
	struct report_node *nodes; /* the list of nodes in `tables`; the
				    * selection frees it */
	size_t unreached;          /* how many nodes were left out because no
				    * thread has reached them */
	/* how many legs were left out because they were never executed */
	size_t unexecuted;
	size_t beyond; /* how many rows were left out because the table has
			* `top` rows already */
};
void legs_select(const struct tables *tables, const struct legs_view *view,
		 struct legs_selection *out);
void legs_selection_deinit(struct legs_selection *selection);

/* Returns an error if the view's pattern matches the name of no leg. */
struct error *legs_check_glob(const struct tables *tables,
			      const struct legs_view *view);

/* The parsed arguments of `print legs': [-v] [GLOB] [by=process] [sort=...]
 * [top=N] [columns=...] [all]. */
struct legs_request {
	struct legs_view view;
	bool verbose;
	bool is_sorted; /* `sort=` was given */
	/* the value of `columns=`; NULL: the setting `columns` is used */
	const char *columns;
};
struct error *legs_request_parse(const struct call *call,
				 struct legs_request *out);

#endif
