/*
 * variables.c - SET and GET: DyPer's variables, and the settings of `set`
 *
 * A name in upper case with underscores means the setting in lower case with
 * hyphens, so that INDEX_CACHE and index-cache are the same. REPORTTIME and
 * SHOWSTACK belong to the front end that sets them; all other variables are
 * shared.
 */
#include "desk.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "perftool/base/alloc.h"
#include "perftool/base/monotonic.h"
#include "perftool/document.h"
#include "perftool/session/detail.h"
#include "perftool/session/measurements.h"
#include "perftool/session/session_settings.h"
#include "perftool/session/ticks.h"

#define MS 1000000 /* ns */
/* The longest time that a variable may have, in ms: a day. */
#define LONGEST 86400000

/* One of DyPer's variables. The functions get its index within a group of
 * variables that share them. */
struct variable {
	const char *name;
	enum variable_type { VARIABLE_FLAG, VARIABLE_NUMBER } type;
	size_t index;
	const char *summary;
	double (*get)(const struct invocation *invocation, size_t index);
	struct error *(*set)(const struct invocation *invocation, size_t index,
			     double value);
};

static struct desk *desk_of(const struct invocation *invocation)
{
	return invocation->desk;
}

static struct session *session_of(const struct invocation *invocation)
{
	return invocation->desk->session;
}

static struct error *check_range(const char *name, double value, double least,
				 double most)
{
	if (value >= least && value <= most)
		return NULL;
	return error_create(ERROR_USAGE, "%s is a number from %g to %g", name,
			    least, most);
}

/* REPORTTIME and SHOWSTACK are for those who get notices. */
static struct error *check_notices(const char *name,
				   const struct invocation *invocation,
				   double value)
{
	if (value == 0 || invocation->caller->gets_notices)
		return NULL;
	return error_create(ERROR_USAGE,
			    "%s is for callers that get notices: front ends "
			    "on a socket, and sessions of the library with a "
			    "handler of events; the operations REPORT and "
			    "SHOWSTACK give the figures once",
			    name);
}

/* ---- times --------------------------------------------------------------- */

static double get_check_time(const struct invocation *invocation, size_t index)
{
	(void)index;
	return desk_of(invocation)->check_time;
}

static struct error *set_check_time(const struct invocation *invocation,
				    size_t index, double value)
{
	(void)index;
	TRY(check_range("CHECKTIME", value, 0.1, LONGEST));
	desk_of(invocation)->check_time = value;
	return agents_set_rate(invocation->desk);
}

static double get_disable_time(const struct invocation *invocation,
			       size_t index)
{
	(void)index;
	return desk_of(invocation)->disable_time;
}

static struct error *set_disable_time(const struct invocation *invocation,
				      size_t index, double value)
{
	(void)index;
	TRY(check_range("DISABLETIME", value, 0.1, LONGEST));
	desk_of(invocation)->disable_time = value;
	return NULL;
}

static double get_report_time(const struct invocation *invocation, size_t index)
{
	(void)index;
	return (double)invocation->caller->report_every / MS;
}

static struct error *set_report_time(const struct invocation *invocation,
				     size_t index, double value)
{
	struct caller *caller = invocation->caller;

	(void)index;
	TRY(check_notices("REPORTTIME", invocation, value));
	if (value != 0)
		TRY(check_range("REPORTTIME", value, 1, LONGEST));
	caller->report_every = (uint64_t)(value * MS);
	caller->next_report = monotonic_now() + caller->report_every;
	return NULL;
}

static double get_full(const struct invocation *invocation, size_t index)
{
	(void)index;
	return desk_of(invocation)->is_full;
}

static struct error *set_full(const struct invocation *invocation, size_t index,
			      double value)
{
	(void)index;
	desk_of(invocation)->is_full = value != 0;
	return agents_set_rate(invocation->desk);
}

/* ---- what is measured ---------------------------------------------------- */

static double get_monitor(const struct invocation *invocation, size_t index)
{
	(void)index;
	return session_monitor_is_on(session_of(invocation));
}

static struct error *set_monitor(const struct invocation *invocation,
				 size_t index, double value)
{
	(void)index;
	TRY(session_suspend(session_of(invocation), value == 0));
	return agents_pause(invocation->desk, value == 0);
}

static double get_show_stack(const struct invocation *invocation, size_t index)
{
	(void)index;
	return invocation->caller->shows_stack;
}

static struct error *set_show_stack(const struct invocation *invocation,
				    size_t index, double value)
{
	(void)index;
	TRY(check_notices("SHOWSTACK", invocation, value));
	invocation->caller->shows_stack = value != 0;
	invocation->caller->next_dump = monotonic_now();
	return NULL;
}

static double get_contention(const struct invocation *invocation, size_t index)
{
	struct str text = {0};
	bool is_on;

	(void)index;
	error_destroy(session_setting_text(session_of(invocation), "contention",
					   &text));
	is_on = str_equal(str_text(&text), "on");
	str_deinit(&text);
	return is_on;
}

static struct error *set_contention(const struct invocation *invocation,
				    size_t index, double value)
{
	(void)index;
	return session_set(session_of(invocation), "contention",
			   value != 0 ? "on" : "off");
}

static double get_cpu_time(const struct invocation *invocation, size_t index)
{
	struct str text = {0};
	bool is_on;

	(void)index;
	error_destroy(session_setting_text(session_of(invocation), "cpu-time",
					   &text));
	is_on = !str_equal(str_text(&text), "off");
	str_deinit(&text);
	return is_on;
}

static struct error *set_cpu_time(const struct invocation *invocation,
				  size_t index, double value)
{
	(void)index;
	return session_set(session_of(invocation), "cpu-time",
			   value != 0 ? "auto" : "off");
}

static double get_max_depth(const struct invocation *invocation, size_t index)
{
	(void)index;
	return (double)desk_of(invocation)->max_depth;
}

static struct error *set_max_depth(const struct invocation *invocation,
				   size_t index, double value)
{
	(void)index;
	TRY(check_range("MAXDEPTH", value, 1, 100000));
	desk_of(invocation)->max_depth = (size_t)value;
	return NULL;
}

static double get_thread_default(const struct invocation *invocation,
				 size_t index)
{
	(void)index;
	/* No thread has this number, so the answer is that of the default. */
	return session_uses_thread(session_of(invocation), 0);
}

static struct error *set_thread_default(const struct invocation *invocation,
					size_t index, double value)
{
	(void)index;
	return session_use_threads(session_of(invocation), value != 0);
}

/* ---- limits of detail ---------------------------------------------------- */

static double get_limit(const struct invocation *invocation, size_t index)
{
	return session_detail_limit(session_of(invocation), index);
}

static struct error *set_limit(const struct invocation *invocation,
			       size_t index, double value)
{
	return session_set_detail_limit(session_of(invocation), index, value);
}

#define LIMIT(name, index, summary)                                            \
	{                                                                      \
		(name), VARIABLE_NUMBER, (index), (summary), get_limit,        \
			set_limit                                              \
	}

static const struct variable variables[] = {
	{"CHECKTIME", VARIABLE_NUMBER, 0,
	 "ms between two looks at the stacks: ticks of the agent cpu, and "
	 "dumps",
	 get_check_time, set_check_time},
	{"DISABLETIME", VARIABLE_NUMBER, 0,
	 "the same for dumps while the monitor is off", get_disable_time,
	 set_disable_time},
	{"REPORTTIME", VARIABLE_NUMBER, 0,
	 "ms between two reports to this front end; 0: none", get_report_time,
	 set_report_time},
	{"MONITOR", VARIABLE_FLAG, 0,
	 "whether nodes count and agents accumulate; if not, no node is in "
	 "the program",
	 get_monitor, set_monitor},
	{"SHOWSTACK", VARIABLE_FLAG, 0, "whether this front end gets dumps",
	 get_show_stack, set_show_stack},
	{"CONTENTION", VARIABLE_FLAG, 0,
	 "whether it is recorded who waits for which lock, and who holds it: "
	 "the setting `contention'",
	 get_contention, set_contention},
	{"CPUTIME", VARIABLE_FLAG, 0,
	 "whether the time on a CPU is measured apart from waiting",
	 get_cpu_time, set_cpu_time},
	{"MAXDEPTH", VARIABLE_NUMBER, 0, "how many frames of a stack are read",
	 get_max_depth, set_max_depth},
	{"THREAD_DEFAULT", VARIABLE_FLAG, 0,
	 "whether threads count of which USETHREAD says nothing",
	 get_thread_default, set_thread_default},
	{"FULLMONITORING", VARIABLE_FLAG, 0,
	 "whether ticks come each ms, whatever CHECKTIME says", get_full,
	 set_full},
	LIMIT("CLASS_DETAIL_MIN_TOTAL", 0,
	      "ticks of all classes before a class is detailed"),
	LIMIT("CLASS_DETAIL_MINIMUM", 1,
	      "ticks of a class before it is detailed"),
	LIMIT("CLASS_DETAIL_THRESHOLD", 2,
	      "share of the ticks above which a class is detailed"),
	LIMIT("CLASS_DETAIL_STOP_THRESHOLD", 3,
	      "share below which it is detailed no more"),
	LIMIT("METHOD_DETAIL_MIN_TOTAL", 4,
	      "ticks of all methods before a method is detailed"),
	LIMIT("METHOD_DETAIL_MINIMUM", 5,
	      "ticks of a method before it is detailed"),
	LIMIT("METHOD_DETAIL_THRESHOLD", 6,
	      "share of the ticks above which a method is detailed"),
	LIMIT("METHOD_DETAIL_STOP_THRESHOLD", 7,
	      "share below which it is detailed no more"),
};
#define VARIABLES (sizeof(variables) / sizeof(*variables))

static const struct variable *find_variable(const char *name)
{
	for (size_t i = 0; i < VARIABLES; i++)
		if (strcasecmp(variables[i].name, name) == 0)
			return &variables[i];
	return NULL;
}

bool variable_at(size_t index, const char **name, const char **summary)
{
	if (index >= VARIABLES)
		return false;
	*name = variables[index].name;
	*summary = variables[index].summary;
	return true;
}

/* ---- settings of the command language ------------------------------------ */

/* Returns the setting that the name means, or NULL. */
static const struct session_setting *find_setting(const char *name)
{
	CLEANUP(free_pointer) char *copy = xstrdup(name);
	const struct session_setting *setting;

	for (char *at = copy; *at; at++)
		*at = *at == '_' ? '-' : (char)tolower((unsigned char)*at);
	for (size_t i = 0; (setting = session_setting_at(i)); i++)
		if (str_equal(setting->name, copy))
			return setting;
	return NULL;
}

/* Is the setting one of DyPer's variables, too? (CLASS_DETAIL_MINIMUM and so on
 * are detail-class-minimum and so on.) */
static bool is_variable(const struct session_setting *setting)
{
	if (str_starts(setting->name, "detail-class-") ||
	    str_starts(setting->name, "detail-method-"))
		return true;
	for (size_t i = 0; i < VARIABLES; i++)
		if (find_setting(variables[i].name) == setting)
			return true;
	return false;
}

static struct error *unknown(const char *name)
{
	return error_create(ERROR_USAGE,
			    "there is no variable `%s'; GET without a name "
			    "lists all",
			    name);
}

static struct error *set_setting(const struct invocation *invocation,
				 const struct session_setting *setting,
				 struct json_object *params)
{
	const char *text = NULL;
	bool flag = false;

	if (setting->type == SETTING_SWITCH) {
		TRY(params_flag(params, "value", &flag));
		text = flag ? "on" : "off";
	} else {
		TRY(params_needs_text(params, "value", &text));
	}
	return session_set(session_of(invocation), setting->name, text);
}

static struct json_object *setting_object(struct session *session,
					  const struct session_setting *setting)
{
	struct json_object *value;
	struct str text = {0};

	error_destroy(session_setting_text(session, setting->name, &text));
	value = setting->type == SETTING_SWITCH
			? json_object_new_boolean(
				  str_equal(str_text(&text), "on"))
			: document_text(str_text(&text));
	str_deinit(&text);
	return value;
}

/* ---- the operations ------------------------------------------------------ */

static struct error *set_one(const struct invocation *invocation,
			     struct json_object *params)
{
	const struct session_setting *setting;
	const struct variable *variable;
	const char *name, *text;
	double value = 0;
	bool flag = false;

	TRY(params_needs_text(params, "name", &name));
	TRY(params_needs_text(params, "value", &text));
	variable = find_variable(name);
	setting = find_setting(name);
	if (!variable && setting)
		return set_setting(invocation, setting, params);
	if (!variable)
		return unknown(name);
	if (variable->type == VARIABLE_FLAG) {
		TRY(params_flag(params, "value", &flag));
		value = flag;
	} else {
		TRY(params_number(params, "value", &value));
	}
	return variable->set(invocation, variable->index, value);
}

static struct error *run_set(struct invocation *invocation)
{
	struct json_object *params = invocation->params;
	size_t count = params_count(params, "var");

	if (!count)
		return set_one(invocation, params);
	for (size_t i = 0; i < count; i++)
		TRY(set_one(invocation, params_at(params, "var", i)));
	return NULL;
}

static struct json_object *variable_object(const struct invocation *invocation,
					   const struct variable *variable)
{
	double value = variable->get(invocation, variable->index);
	char text[32];

	if (variable->type == VARIABLE_FLAG)
		return json_object_new_boolean(value != 0);
	if (value == rint(value) && fabs(value) < 1e15)
		return json_object_new_int64((int64_t)value);
	snprintf(text, sizeof(text), "%.12g", value);
	return json_object_new_double_s(value, text);
}

static void add_value(struct json_object *list, const char *name,
		      struct json_object *value)
{
	struct json_object *one = json_object_new_object();

	json_object_object_add(one, "name", json_object_new_string(name));
	json_object_object_add(one, "value", value);
	json_object_array_add(list, one);
}

static struct error *get_one(const struct invocation *invocation,
			     const char *name, struct json_object *list)
{
	const struct session_setting *setting = find_setting(name);
	const struct variable *variable = find_variable(name);

	if (variable)
		add_value(list, name, variable_object(invocation, variable));
	else if (setting)
		add_value(list, name,
			  setting_object(session_of(invocation), setting));
	else
		return unknown(name);
	return NULL;
}

static void get_all(const struct invocation *invocation,
		    struct json_object *list)
{
	const struct session_setting *setting;

	for (size_t i = 0; i < VARIABLES; i++)
		add_value(list, variables[i].name,
			  variable_object(invocation, &variables[i]));
	for (size_t i = 0; (setting = session_setting_at(i)); i++)
		if (!is_variable(setting))
			add_value(list, setting->name,
				  setting_object(session_of(invocation),
						 setting));
}

static struct error *run_get(struct invocation *invocation)
{
	struct json_object *params = invocation->params;
	struct json_object *list = json_object_new_array();
	size_t count = params_count(params, "var");
	struct error *error = NULL;
	const char *name = NULL;

	invocation->result = json_object_new_object();
	json_object_object_add(invocation->result, "var", list);
	if (!count) {
		TRY(params_text(params, "name", &name));
		if (name)
			return get_one(invocation, name, list);
		get_all(invocation, list);
	}
	for (size_t i = 0; !error && i < count; i++) {
		error = params_needs_name(params_at(params, "var", i), "name",
					  &name);
		if (!error)
			error = get_one(invocation, name, list);
	}
	return error;
}

static const struct member set_parameters[] = {
	{"var[].name", "text", "a variable, or a setting of `set`"},
	{"var[].value", "text, number or flag", "its new value"},
	{0}};

static const struct member get_parameters[] = {
	{"var[].name", "text", "a variable; without it: all of them"}, {0}};

static const struct member get_reply[] = {
	{"var[].name", "text", "the variable"},
	{"var[].value", "text, number or flag", "its value"},
	{0}};

const struct operation variable_operations[] = {
	{.name = "set",
	 .request_wrapper = "settings",
	 .alone = "var",
	 .summary = "Changes variables, in the order of the message.",
	 .parameters = set_parameters,
	 .run = run_set},
	{.name = "get",
	 .request_wrapper = "settings",
	 .alone = "var",
	 .summary = "Tells the values of variables.",
	 .parameters = get_parameters,
	 .reply = get_reply,
	 .run = run_get},
	{0}};
