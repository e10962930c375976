/*
 * fake_session.h - a session that does nothing but note what it is asked
 *
 * Included by one test program, whose functions then stand in for those of
 * src/session. Every call is a line of fake.calls; what it answers is set in
 * `fake` beforehand.
 */
#ifndef TESTS_FAKE_SESSION_H
#define TESTS_FAKE_SESSION_H

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/session.h"
#include "perftool/session/measurements.h"
#include "perftool/session/session_settings.h"
#include "perftool/session/user_interface.h"

struct session {
	const struct session_ui *ui;
};

static struct {
	struct str calls;
	struct session_stop stop; /* of the next run or continue */
	const char *fails;        /* the call that fails, by its beginning */
	const char *evaluated;    /* what an expression is; NULL: "42" */
	enum report_format format;
	bool has_process, was_run;
	bool attached;     /* and it runs while commands are entered */
	bool stands_still; /* each command needs that */
	bool interrupts;   /* a stop comes while it is served, or stands */
	unsigned served;   /* how often it was not enough */
	void (*while_serving)(void); /* called each time */
	unsigned lines;              /* of `list breaks` */
	void (*while_running)(void);
	struct measure_node node;
	struct measure_leg leg;
	struct report_node nodes[1];
	struct report_leg legs[1];
	struct tables tables;
	struct name_parts parts; /* of names of files */
} fake;

static struct session fake_session;

static void fake_reset(void)
{
	str_deinit(&fake.calls);
	memset(&fake, 0, sizeof(fake));
}

/* Note a call; an error if it is the one that is to fail. */
static struct error *__attribute__((format(printf, 1, 2)))
called(const char *format, ...)
{
	size_t start = fake.calls.length;
	va_list ap;

	va_start(ap, format);
	str_vprintf(&fake.calls, format, ap);
	va_end(ap);
	str_append_char(&fake.calls, '\n');
	if (fake.fails && str_starts(fake.calls.data + start, fake.fails))
		return error_create(ERROR_NOT_FOUND, "made to fail");
	return NULL;
}

/* A call that needs the program to stand still. */
static struct error *still(struct error *error)
{
	fake.stands_still = fake.attached;
	return error;
}

static void noted(struct error *error)
{
	error_destroy(error);
}

struct session *session_create(const struct session_ui *ui)
{
	fake_session.ui = ui;
	return &fake_session;
}

void session_destroy(struct session *session)
{
	(void)session;
}

struct error *session_set_program(struct session *session, const char *name)
{
	(void)session;
	return called("program %s", name);
}

const char *session_program(const struct session *session)
{
	(void)session;
	return "fake";
}

struct error *session_set_root(struct session *session, const char *name,
			       struct str *out)
{
	(void)session;
	(void)out;
	return called("root %s", name);
}

struct error *session_set_context(struct session *session, const char *name,
				  struct str *out)
{
	(void)session;
	(void)out;
	return called("context %s", name ? name : "-");
}

static void words(const char *what, const char *const *args, size_t count)
{
	str_append(&fake.calls, what);
	for (size_t i = 0; i < count; i++)
		str_printf(&fake.calls, " [%s]", args[i]);
}

void session_set_args(struct session *session, const char *const *args,
		      size_t count)
{
	(void)session;
	words("args", args, count);
	str_append_char(&fake.calls, '\n');
}

void session_set_env(struct session *session, const char *name,
		     const char *value)
{
	(void)session;
	noted(called("env [%s] [%s]", name, value));
}

void session_add_directory(struct session *session, const char *directory)
{
	(void)session;
	noted(called("directory %s", directory));
}

void session_describe_stop(struct session *session,
			   const struct session_stop *stop, struct str *out)
{
	(void)session;
	str_printf(out, "stop %d", (int)stop->reason);
}

struct error *session_run(struct session *session, const char *const *args,
			  size_t arg_count, const char *input,
			  const char *output, uint64_t duration_ns,
			  struct session_stop *stop)
{
	(void)session;
	if (fake.fails && str_equal(fake.fails, "run"))
		return called("run");
	words(args ? "run" : "run as before", args, arg_count);
	if (input)
		str_printf(&fake.calls, " <%s", input);
	if (output)
		str_printf(&fake.calls, " >%s", output);
	*stop = fake.stop;
	if (fake.while_running)
		fake.while_running();
	return called(duration_ns ? " for a while" : "%s", "");
}

struct error *session_continue(struct session *session, uint64_t duration_ns,
			       struct session_stop *stop)
{
	(void)session;
	*stop = fake.stop;
	return called("continue %llu", (unsigned long long)duration_ns);
}

struct error *session_kill(struct session *session)
{
	(void)session;
	return called("kill");
}

struct error *session_end_program(struct session *session,
				  struct session_stop *stop)
{
	(void)session;
	*stop = fake.stop;
	return called("end program");
}

bool session_has_process(const struct session *session)
{
	(void)session;
	return fake.has_process;
}

bool session_was_run(const struct session *session)
{
	(void)session;
	return fake.was_run;
}

bool session_last_end(const struct session *session, struct session_stop *end)
{
	(void)session;
	(void)end;
	return false;
}

struct error *session_attach(struct session *session, pid_t pid,
			     struct str *out)
{
	(void)session;
	str_printf(out, "Attached to process %d.\n", (int)pid);
	return called("attach %d", (int)pid);
}

void session_note_children(struct session *session, pid_t pid)
{
	(void)session;
	(void)pid;
}

struct error *session_attach_children(struct session *session, pid_t pid,
				      struct str *out)
{
	(void)session;
	(void)out;
	return called("attach children of %d", (int)pid);
}

struct error *session_detach(struct session *session, struct str *out)
{
	(void)session;
	if (out)
		str_append(out, "Detached.\n");
	return called("detach");
}

void session_name_parts(struct session *session, struct name_parts *out)
{
	(void)session;
	*out = fake.parts;
}

pid_t session_pid(const struct session *session)
{
	(void)session;
	return 4711;
}

bool session_is_attached(const struct session *session)
{
	(void)session;
	return fake.attached;
}

bool session_runs_on(const struct session *session)
{
	(void)session;
	return fake.attached;
}

static bool interrupts(struct session_stop *stop)
{
	if (!fake.interrupts)
		return false;
	*stop = fake.stop;
	fake.attached = fake.interrupts = false;
	return true;
}

struct error *session_serve(struct session *session, session_enough_fn *enough,
			    void *context, bool *stopped,
			    struct session_stop *stop)
{
	(void)session;
	*stopped = fake.attached && interrupts(stop);
	while (fake.attached && !*stopped && !enough(context)) {
		fake.served++;
		if (fake.while_serving)
			fake.while_serving();
	}
	return NULL;
}

void session_reap(pid_t pid)
{
	waitpid(pid, NULL, 0);
}

void session_check_files(struct session *session)
{
	(void)session;
}

struct error *session_go_on(struct session *session, uint64_t *stood,
			    bool *stopped, struct session_stop *stop)
{
	(void)session;
	*stood = fake.stands_still ? 1500000 : 0;
	*stopped = fake.stands_still && interrupts(stop);
	if (fake.stands_still)
		noted(called("goes on"));
	fake.stands_still = false;
	return NULL;
}

void session_set_follow_fork(struct session *session, bool on)
{
	(void)session;
	noted(called("follow fork %s", on ? "on" : "off"));
}

void session_set_follow_exec(struct session *session, bool on)
{
	(void)session;
	noted(called("follow exec %s", on ? "on" : "off"));
}

struct error *session_list_processes(struct session *session, struct str *out)
{
	(void)session;
	str_append(out, "processes\n");
	return called("list processes");
}

struct error *session_list_threads(struct session *session, struct str *out)
{
	(void)session;
	str_append(out, "threads\n");
	return called("list threads");
}

struct error *session_select_thread(struct session *session, pid_t tid)
{
	(void)session;
	return called("thread %d", (int)tid);
}

struct error *session_where(struct session *session, struct str *out)
{
	(void)session;
	str_append(out, "#0 main\n");
	return still(called("where"));
}

struct error *session_frame(struct session *session, const uint32_t *number,
			    struct str *out)
{
	(void)session;
	str_append(out, "#0 main\n");
	return still(called("frame %d", number ? (int)*number : -1));
}

struct error *session_list_functions(struct session *session,
				     const char *pattern, struct str *out)
{
	(void)session;
	str_append(out, "     7  prog  f\n");
	return called("list functions %s", pattern ? pattern : "-");
}

struct error *session_list_probes(struct session *session, const char *pattern,
				  struct str *out)
{
	(void)session;
	str_append(out, "0x1234  prog  probe:p:n\n");
	return called("list probes %s", pattern ? pattern : "-");
}

struct error *session_list_locals(struct session *session, struct str *out)
{
	(void)session;
	str_append(out, "x = 7\n");
	return still(called("list locals"));
}

struct error *session_list_source(struct session *session, const char *location,
				  struct str *out)
{
	(void)session;
	str_append(out, "source\n");
	return called("list source %s", location ? location : "on");
}

struct error *session_evaluate(struct session *session, const char *expression,
			       struct str *out)
{
	(void)session;
	str_append(out, fake.evaluated ? fake.evaluated : "42");
	return called("evaluate [%s]", expression);
}

struct error *session_track_process(struct session *session, pid_t pid)
{
	(void)session;
	return called("track process %d", (int)pid);
}

struct error *session_track_thread(struct session *session, pid_t tid)
{
	(void)session;
	return called("track thread %d", (int)tid);
}

struct error *session_trace(struct session *session, const char *path,
			    const uint32_t *legs, size_t count)
{
	(void)session;
	str_printf(&fake.calls, "trace %s", path);
	for (size_t i = 0; i < count; i++)
		str_printf(&fake.calls, " %u", legs[i]);
	return called("%s", legs ? "" : " all");
}

struct error *session_trace_off(struct session *session)
{
	(void)session;
	return called("trace off");
}

bool session_describe_unresolved(struct session *session, struct str *out)
{
	(void)session;
	str_append(out, "Breakpoint 3 was never hit\n");
	return true;
}

bool session_describe_unfound(struct session *session, struct str *out)
{
	(void)session;
	str_append(out, "mian was never found\nmoan was never found\n");
	return false;
}

const struct session_setting *session_setting_at(size_t index)
{
	static const struct session_setting settings[] = {
		{"affinity", SETTING_CHOICE, "auto|on|off",
		 .summary = "CPU placement"},
		{"compensation", SETTING_SWITCH, "on|off",
		 .summary = "subtract what breaks cost"},
		{"conditions", SETTING_CHOICE, "filter|name",
		 .summary = "what a condition does"},
		{"exit-kill", SETTING_SWITCH, "on|off",
		 .summary = "what becomes of a program",
		 .help = "off: it is let go"},
		{"format", SETTING_CHOICE, "text|json|csv",
		 .summary = "of printed tables"},
		{"placement", SETTING_CHOICE, "near|far",
		 .summary = "shares its first letter with `process'"},
	};

	return index < sizeof(settings) / sizeof(*settings) ? &settings[index]
							    : NULL;
}

struct error *session_set(struct session *session, const char *name,
			  const char *value)
{
	(void)session;
	if (str_equal(name, "format"))
		fake.format = str_equal(value, "json")  ? FORMAT_JSON
			      : str_equal(value, "csv") ? FORMAT_CSV
							: FORMAT_TEXT;
	return called("set %s [%s]", name, value);
}

struct error *session_show(struct session *session, const char *name,
			   struct str *out)
{
	(void)session;
	str_append(out, "shown\n");
	return called("show %s", name ? name : "all");
}

const char *session_columns(const struct session *session)
{
	(void)session;
	return "auto";
}

enum report_format session_format(const struct session *session)
{
	(void)session;
	return fake.format;
}

void session_complete(struct session *session, enum complete_what what,
		      const char *prefix, session_visit_fn *visit,
		      void *context)
{
	static const char *const candidates[][4] = {
		[COMPLETE_FUNCTION] = {"AllocVM", "main", "malloc", NULL},
		[COMPLETE_MODULE] = {"libc.so.6", "libm.so.6", NULL},
		[COMPLETE_BREAK] = {"1", "2", "12", NULL},
		[COMPLETE_NODE] = {"1", "2", NULL},
		[COMPLETE_LEG] = {"0", NULL},
		[COMPLETE_THREAD] = {"100", "101", NULL},
		[COMPLETE_PROCESS] = {"100", "200", NULL},
		[COMPLETE_VARIABLE] = {"pages", "parent", "x", NULL},
		[COMPLETE_CONTEXT] = {"segments.c", "swapper.c", NULL},
		[COMPLETE_PROGRAM] = {"fake", NULL},
	};

	(void)session;
	for (size_t i = 0; candidates[what][i]; i++)
		if (str_starts(candidates[what][i], prefix) &&
		    !visit(context, candidates[what][i]))
			return;
}

#include "fake_session_profiles.h"
#include "fake_session_tables.h"

#endif
