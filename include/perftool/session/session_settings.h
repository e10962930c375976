/*
 * session_settings.h - settings and completion
 */
#ifndef PERFTOOL_SESSION_SESSION_SETTINGS_H
#define PERFTOOL_SESSION_SESSION_SETTINGS_H

#include "perftool/session.h"

enum setting_type {
	SETTING_SWITCH, /* on or off */
	SETTING_CHOICE, /* one of several words */
	SETTING_NUMBER, /* a whole number */
	SETTING_DURATION,
	SETTING_DECIMAL, /* a number, which may have a fraction */
	SETTING_TEXT,
};

/*
 * A setting. The table in src/session/settings/settings.c is the only list of
 * settings: `set`, `show`, `help`, completion, the man page and the settings in
 * the tables are made from it. The value of a setting is a number: true or
 * false for a switch, the index of the word for a choice, the ns for a
 * duration, millionths for a decimal. Only the value of a SETTING_TEXT is a
 * text.
 */
struct session_setting {
	const char *name;
	enum setting_type type;
	/* The values that the setting may have: "on|off" and the like for a
	 * switch and a choice. For the other types it is a word for the usage,
	 * for example "NUMBER". */
	const char *values;
	int64_t least, most; /* limits of a number, a duration or a decimal */
	const char *zero;    /* the word that the user reads and types for 0;
			      * NULL: "0" */
	int64_t initial;     /* the value in a new session */
	const char *summary; /* what the setting is for, as one clause */
	const char *help;    /* further explanation, or NULL */
	/* The command that sets the setting. NULL: `set NAME VALUE` sets it. */
	const char *set_by;
	/* Do the tables leave this setting out? */
	bool is_left_out;
	/* Must the program stand still while the setting changes? */
	bool needs_still;

	/* The member of struct session that stores the value. The member may be
	 * a bool, an enumeration or an integer. Size 0: no member stores the
	 * value. */
	struct {
		size_t offset, size;
	} field;
	/* If no member stores the value, `get` returns the value and `set`
	 * changes it. */
	int64_t (*get)(const struct session *session);
	void (*set)(struct session *session, int64_t value);
	/* If the setting is a SETTING_TEXT, `get_text` appends the value to
	 * `out`, and `set_text` changes it. */
	void (*get_text)(struct session *session, struct str *out);
	struct error *(*set_text)(struct session *session, const char *text);
	/* Appends what `show NAME' says besides the value. May be NULL. */
	void (*describe)(struct session *session, struct str *out);
	/* Passes the new value to the layer that uses it. May be NULL. */
	void (*changed)(struct session *session);
};

/* Returns the settings that `set NAME VALUE` sets, by index from 0, sorted by
 * name. Returns NULL for an index after the last setting. */
const struct session_setting *session_setting_at(size_t index);

/* session_set() sets the setting `name` to the text that the user has typed.
 * session_show() lists the settings that `name` means; NULL: all settings. */
struct error *session_set(struct session *session, const char *name,
			  const char *value);
struct error *session_show(struct session *session, const char *name,
			   struct str *out);
/* Appends the value of the one setting that has this name, as the user would
 * type it. Returns ERROR_USAGE if there is no such setting. */
struct error *session_setting_text(struct session *session, const char *name,
				   struct str *out);
/* Returns the format in which tables are printed. */
enum report_format session_format(const struct session *session);
/* Returns the columns of tables that the user has chosen: `auto', `memo', or
 * the names of columns as report_choose_columns() takes them. */
const char *session_columns(const struct session *session);

/* ---- completion -------------------------------------------------------- */

enum complete_what {
	COMPLETE_FUNCTION, /* functions, and source files in the form FILE: */
	COMPLETE_MODULE,
	COMPLETE_BREAK,
	COMPLETE_NODE,
	COMPLETE_LEG,
	COMPLETE_THREAD,
	COMPLETE_PROCESS,
	COMPLETE_VARIABLE,
	COMPLETE_CONTEXT, /* source files and libraries */
	COMPLETE_PROGRAM,
};
typedef bool session_visit_fn(void *context, const char *candidate);
/* Calls `visit` for each name of the kind `what` that begins with `prefix`,
 * until `visit` returns false. These are the candidates for completing a word.
 */
void session_complete(struct session *session, enum complete_what what,
		      const char *prefix, session_visit_fn *visit,
		      void *context);

#endif
