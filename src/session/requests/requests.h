/*
 * requests.h - what the user asked to be measured: breakpoints, nodes
 * (conditional breakpoints in the node table), legs (the code between two
 * nodes), splits (by the values of an expression), and the functions that
 * `time` names
 *
 * This folder uses names and settings. The folders run and tables use it.
 */
#ifndef SESSION_REQUESTS_H
#define SESSION_REQUESTS_H

#include "perftool/measure/measured_legs.h"
#include "perftool/session/measurements.h"
#include "session/session_state.h"
#include "timed_legs.h"

/* leg_names.c. breakpoint_kind() returns a constant text, for example "entry"
 * or "line". node_place() appends where a node is ("begin", "exit begin",
 * "a.c:10"), and returns false if the node's breakpoint no longer exists.
 * leg_name() appends the name of a leg. */
const char *breakpoint_kind(const struct breakpoint *breakpoint);
bool node_place(struct session *session, uint32_t id, struct str *out);
void leg_name(struct session *session, const struct measure_leg *leg,
	      struct str *out);

/* Finds a breakpoint that is not deleted, or returns an error which says that
 * there is none. */
struct error *find_breakpoint(struct session *session, uint32_t id,
			      struct breakpoint **out);

/* leg_ends.c. find_leg_ends() finds the two breakpoints of a requested leg, and
 * makes those that do not exist yet. The number 0 is the wildcard, which stands
 * for all nodes. forget_leg_ends() removes the new breakpoints again, if no leg
 * could be added. */
struct leg_ends {
	uint32_t from, to;
	bool made_from, made_to;
	/* the messages about the new breakpoints; the caller may append
	 * messages of its own */
	struct str said;
};
struct error *find_leg_ends(struct session *session,
			    const struct leg_request *request,
			    struct leg_ends *out);
void forget_leg_ends(struct session *session, struct leg_ends *ends);

/* breakpoints.c. Removes breakpoints, of which there may be thousands. If a
 * breakpoint has a row in the node table, the row stays. */
void remove_breakpoint(struct session *session, struct breakpoint *breakpoint);
void remove_breakpoints(struct session *session, const uint32_t *ids,
			size_t count);
/* Removes a breakpoint that was made for a request which is refused now, and
 * its row, unless hits of it were counted. */
void take_back_breakpoint(struct session *session,
			  struct breakpoint *breakpoint);

/* Does the condition of this breakpoint let every hit count, and only name a
 * variable for histograms? See `attach condition`. */
bool condition_only_names(const struct session *session,
			  const struct breakpoint *breakpoint);

/* Adds a leg between two breakpoints, both of which become nodes. */
struct error *add_one_leg(struct session *session,
			  const struct leg_request *request, uint32_t from_id,
			  uint32_t to_id, uint32_t *id, struct str *out);

/* A command that adds legs says one line for each of the first MOST_LEGS_SAID
 * legs. say_more_legs() then says how many more legs there are. */
#define MOST_LEGS_SAID 20
void say_more_legs(size_t count, struct str *out);

/* Parses the expression of a split, "EXPR" or ":EXPR". In the second form the
 * expression is evaluated at the leg's end *to*, and `*at_to` becomes true. The
 * caller destroys `*out`. */
struct error *parse_by(const char *text, struct expr **out, bool *at_to);

/* Can a leg between these two breakpoints be split by this expression? Returns
 * an error if not. Nothing is changed. */
struct error *check_by(struct session *session, const char *by,
		       struct breakpoint *from, struct breakpoint *to);

struct error *split_leg(struct session *session, uint32_t id, const char *by,
			const struct split_view *view);

/* A breakpoint evaluates an expression as long as a leg or a split uses it.
 * release_leg() gives up the expressions that a leg uses, when the leg is
 * deleted. The other two functions give up the expression of a split, when the
 * split ends. */
void release_leg(struct session *session, const struct measure_leg *leg);
void release_leg_split(struct session *session, const struct measure_leg *leg);
void release_node_split(struct session *session,
			const struct measure_node *node);

/* Returns the text of the expression that splits the leg or node, or NULL if
 * there is no split. */
const char *leg_split_text(struct session *session,
			   const struct measure_leg *leg);
const char *node_split_text(struct session *session,
			    const struct measure_node *node);

/* Enters a breakpoint in the node table. A breakpoint without a condition gets
 * the condition 1. */
struct error *make_node(struct session *session, struct breakpoint *breakpoint,
			struct str *out);

/* Searches the modules for functions that pending patterns of `time` name now.
 * The caller calls this function when the program has loaded libraries. */
void session_time_pending(struct session *session);

/* Does the same as session_time_pending(), and asks the user the question that
 * has to be asked. The caller calls this function when `must_ask` is set and
 * all threads are stopped. `foreground`: the program has the terminal. */
void ask_pending(struct session *session, bool foreground);

/* taken_out.c. Is the node out of the program, because session_take_out() has
 * taken it out? */
bool is_taken_out(const struct session *session, uint32_t node);

/* breakpoints.c. Returns the kind of request that the probe layer gets for what
 * the user has asked for. */
enum request_kind request_of(enum break_kind kind);

#endif
