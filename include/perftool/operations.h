/*
 * operations.h - the table of operations: what a front end, a program that uses
 * the library, and the command `dyper` can ask for
 *
 * An operation is declared once: its name, its parameters, what it replies, and
 * its function. Parameters and results are JSON values. Every way in carries
 * out the operations of this table, and doc/PROTOCOL.md is made from it. This
 * layer knows neither sockets nor encodings.
 */
#ifndef PERFTOOL_OPERATIONS_H
#define PERFTOOL_OPERATIONS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"
#include "perftool/session/user_interface.h"

/* ---- the table ----------------------------------------------------------- */

/* A parameter, or a member of a reply. */
struct member {
	const char *name; /* "package[].type" is a member of elements */
	const char *type; /* for the reader: "text", "flag", "number", ... */
	const char *summary;
};

struct invocation;

struct operation {
	const char *name;
	/* The element around the parameters in XML, in lower case; NULL: there
	 * is none. The element around the result, in upper case, or NULL. */
	const char *request_wrapper, *reply_wrapper;
	const char *summary;
	/* XML: the message is a DYPATCH, and not a DYPER */
	bool is_patch;
	/* XML: the reply has no data */
	bool is_bare;
	/* The text of the message in XML stands for a parameter. */
	bool takes_text;
	/* "var": one `var[]` may be left out, and its members stand alone then.
	 * NULL: there is no such parameter. */
	const char *alone;
	/* Each list ends with a member without a name; NULL: an empty list. A
	 * parameter that is not in the list is refused. */
	const struct member *parameters, *reply;
	struct error *(*run)(struct invocation *invocation);
};

/* Returns the operation of this name, which is in lower case, or NULL. */
const struct operation *operation_find(const char *name);
/* Returns the operations by index from 0, and NULL after the last. */
const struct operation *operation_at(size_t index);

/* Returns the name and the summary of a variable of SET, by index from 0; false
 * after the last. */
bool variable_at(size_t index, const char **name, const char **summary);

/* ---- who asks ------------------------------------------------------------ */

/* One caller of operations, for example a connection of a front end. All zero:
 * a caller that cannot be sent anything. */
struct caller {
	/* Names the caller as an owner, from 1. 0: the caller has nothing of
	 * its own; what it asks for with OWN stays. */
	uint32_t serial;
	/* The process by whose pid the caller names the session; 0: the one
	 * that is measured now. */
	pid_t pid;
	/* The path of the socket by which the caller has come, and the address
	 * of the live page, or NULL. */
	const char *socket, *page;
	/* When the caller's server began, as the time of day; 0: when the desk
	 * was made. */
	struct timespec since;
	/* The caller gets reports and dumps without asking for each, so that it
	 * may set REPORTTIME and SHOWSTACK. */
	bool gets_notices;
	/* REPORTTIME and SHOWSTACK of this caller; `report_every` is in ns, and
	 * 0 means off. `next_...` are times of CLOCK_MONOTONIC at which the
	 * caller wants the next report and the next dump. */
	uint64_t report_every, next_report;
	bool shows_stack;
	uint64_t next_dump;
	/* Waits until `enough` returns true, and returns true, while others are
	 * served; or false, if the wait must end before that. A line of COMMAND
	 * that waits for something calls it. NULL: the line handles the events
	 * of the program meanwhile, and all others wait. */
	bool (*wait)(void *context, bool (*enough)(void *enough_context),
		     void *enough_context);
	void *wait_context;
};

/* ---- what the operations remember ---------------------------------------- */

struct session;
struct session_ui;

/* What the operations work on and what they remember between requests. All
 * callers of a session share one desk. */
struct desk;

/* The pointers must exist as long as the desk. */
struct desk *desk_create(struct session *session, const struct session_ui *ui);
/* Has commands of callers run the program until this time of CLOCK_MONOTONIC,
 * in ns, and not longer. */
void desk_set_end(struct desk *desk, uint64_t end);
void desk_destroy(struct desk *desk);

/* A caller is gone. What it has asked for as its own goes while the program
 * goes on, and stays in the tables of a program that has ended. */
void desk_forget(struct desk *desk, uint32_t serial);

/* Adds a remark of the session to the output of the COMMAND that is being
 * carried out; does nothing if none is. */
void desk_remark(struct desk *desk, const char *text);
/* Has a caller given the command `quit`? */
bool desk_is_done(const struct desk *desk);

/* ---- carrying out -------------------------------------------------------- */

/* Carries out an operation. `params` is an object, which the function may
 * change. `*result` gets what is replied, or NULL for a reply without data; the
 * caller frees the value. `*result` is NULL after an error. ERROR_USAGE: the
 * parameters are wrong. */
struct error *operation_run(const struct operation *operation,
			    struct desk *desk, struct caller *caller,
			    struct json_object *params,
			    struct json_object **result);

/* Carries out an operation, as the command `dyper` asks for it. `words` are
 * NAME=VALUE each; NAME is the path of a parameter, for example `detail.item`.
 * A name that an element has already begins another element. `desk` is a struct
 * desk; the function is an operation_fn of the command layer. Appends the
 * result as JSON. */
struct error *desk_operation(void *desk, const char *name,
			     const char *const *words, size_t count,
			     struct str *out);

/* How long after a dump, for those who set SHOWSTACK, the next one comes, in
 * ns: the interval that is set, or longer if the program stood still for long,
 * or the tool took long, for the last one, which was ready after `took` ns. */
uint64_t desk_dump_pause(const struct desk *desk, uint64_t took);

#endif
