/*
 * session.c - the session object, and the choice of the program that `run`
 * starts
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "session_state.h"

void session_note(struct session *session, const char *format, ...)
{
	va_list ap;
	char *text;

	va_start(ap, format);
	text = xvasprintf(format, ap);
	va_end(ap);
	session->ui.note(session->ui.context, text);
	free(text);
}

static bool is_interrupted(void *context)
{
	const struct session *session = context;
	const struct session_ui *ui = &session->ui;

	return session->is_abandonable && !session->in_loop &&
	       ui->interrupting && ui->interrupting(ui->context);
}

struct interrupt session_interrupt(struct session *session)
{
	return (struct interrupt){is_interrupted, session};
}

struct error *check_interrupt(struct session *session)
{
	if (!is_interrupted(session))
		return NULL;
	return error_create(ERROR_INTERRUPTED, "interrupted");
}

struct session *session_create(const struct session_ui *ui)
{
	struct session *session = xcalloc(1, sizeof(*session));
	struct clock_inputs inputs;
	struct probe_client client;

	session->ui = *ui;
	session->only_cpu = only_cpu(0);
	inherited_change(&session->inherited);
	inputs = clock_inputs(session->inherited.is_counter_forbidden);
	clock_init(&session->clock, &inputs);
	session->target = target_create(&session->clock);
	target_set_interrupt(session->target,
			     (struct interrupt){ui->interrupting, ui->context});
	session_probe_client(session, &client);
	session->probe =
		probe_create(session->target, &session->clock, &client);
	session->measure = measure_create();
	measure_set_mixed(session->measure, note_mixed, session);
	settings_begin(session);
	return session;
}

void session_destroy(struct session *session)
{
	if (!session)
		return;
	if (session->followed.count)
		error_destroy(session->attached ? session_detach(session, NULL)
						: session_kill(session));
	error_destroy(session_trace_off(session));
	error_destroy(session->failure);
	probe_destroy(session->probe);
	target_destroy(session->target);
	measure_destroy(session->measure);
	free(session->program);
	free(session->program_word);
	last_run_deinit(&session->last_run);
	host_deinit(&session->host);
	for (size_t i = 0; i < session->followed.count; i++)
		followed_deinit(&session->followed.data[i]);
	vec_free(&session->followed);
	vec_free(&session->pending_stops);
	for (size_t i = 0; i < session->pending_times.count; i++)
		pending_time_deinit(&session->pending_times.data[i]);
	vec_free(&session->pending_times);
	string_list_deinit(&session->args);
	string_list_deinit(&session->env);
	string_list_deinit(&session->directories);
	measure_interval_deinit(&session->interval);
	vec_free(&session->report_nodes);
	vec_free(&session->report_legs);
	vec_free(&session->report_shares);
	for (size_t i = 0; i < session->report_addresses.count; i++)
		free(session->report_addresses.data[i]);
	vec_free(&session->report_addresses);
	vec_free(&session->report_args);
	vec_free(&session->report_settings);
	string_list_deinit(&session->report_strings);
	string_list_deinit(&session->key_texts);
	string_list_deinit(&session->leg_names);
	vec_free(&session->tracing.legs);
	free(session->columns);
	free(session->listed_file);
	free(session->context.name);
	free(session);
}

/* ---- the program's file ------------------------------------------------ */

/* Can this file be executed? If not, errno is what execve(2) would set, except
 * that it is EISDIR for a directory. The tool must not open any other kind of
 * file either: to open a FIFO would wait for a writer. */
static bool is_executable(const char *path)
{
	struct stat found;

	if (stat(path, &found) < 0)
		return false;
	if (!S_ISREG(found.st_mode)) {
		errno = S_ISDIR(found.st_mode) ? EISDIR : EACCES;
		return false;
	}
	return access(path, X_OK) == 0;
}

static const char *why_not_executable(const char *path, int error)
{
	struct stat found;

	if (error != EACCES || stat(path, &found) < 0 || S_ISREG(found.st_mode))
		return strerror(error);
	if (S_ISFIFO(found.st_mode))
		return "a FIFO, not a program";
	if (S_ISSOCK(found.st_mode))
		return "a socket, not a program";
	return "a device, not a program";
}

/* Searches PATH as a shell does. Returns the first file that can be executed,
 * or NULL and the reason as an errno. */
static char *search_path(const char *name, int *error)
{
	const char *path = getenv("PATH"), *end;

	*error = ENOENT;
	if (!path)
		path = "/usr/local/bin:/usr/bin:/bin";
	for (; *path; path = *end ? end + 1 : end) {
		char *candidate;

		end = strchrnul(path, ':');
		candidate = end == path
				    ? xasprintf("./%s", name)
				    : xasprintf("%.*s/%s", (int)(end - path),
						path, name);
		if (is_executable(candidate))
			return candidate;
		/* A file of this name exists, but may not be executed. This
		 * reason tells the user more than ENOENT. */
		if (errno != ENOENT && errno != ENOTDIR && errno != EISDIR)
			*error = errno;
		free(candidate);
	}
	return NULL;
}

/* Like a shell, perftool does not search the current directory. A user who has
 * just built the program there may expect that, and is told what to type. */
static struct error *not_found(const char *name)
{
	CLEANUP(free_pointer) char *here = xasprintf("./%s", name);

	if (!strchr(name, '/') && is_executable(here))
		return error_create(ERROR_NO_PROGRAM,
				    "%s: not found in PATH; the one in this "
				    "directory is %s",
				    name, here);
	return error_create(ERROR_NO_PROGRAM, "%s: not found", name);
}

static struct error *find_program(const char *name, char **out)
{
	int error = 0;

	if (!*name)
		return error_create(ERROR_NO_PROGRAM,
				    "the program's name is empty");
	if (strchr(name, '/')) {
		if (!is_executable(name))
			error = errno;
		*out = error ? NULL : xstrdup(name);
	} else {
		*out = search_path(name, &error);
	}
	if (*out)
		return NULL;
	if (error == ENOENT)
		return not_found(name);
	return error_create(ERROR_NOT_EXECUTABLE, "%s: %s", name,
			    why_not_executable(name, error));
}

/* Returns the interpreter that the first line of a script names (`#!`), or NULL
 * if the file is no script. The kernel executes the interpreter, so the tool
 * measures the interpreter. The caller frees the text. */
static char *script_interpreter(const char *path)
{
	char line[256] = "", *start, *end;
	FILE *file = fopen(path, "re");

	if (!file)
		return NULL;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	if (!str_starts(line, "#!"))
		return NULL;
	start = line + 2 + strspn(line + 2, " \t");
	end = start + strcspn(start, " \t\n");
	return xstrndup(start, (size_t)(end - start));
}

/* Returns the error for a script that the kernel would not execute because of
 * its interpreter. errno is the reason. */
static struct error *bad_interpreter(const char *script,
				     const char *interpreter)
{
	size_t length = strlen(interpreter);

	if (!length)
		return error_create(ERROR_NOT_EXECUTABLE,
				    "%s: a script that names no interpreter",
				    script);
	if (interpreter[length - 1] == '\r')
		return error_create(ERROR_NOT_EXECUTABLE,
				    "%s: the script's first line ends in a "
				    "carriage return, which is taken for a "
				    "part of its interpreter's name",
				    script);
	/* ERROR_NO_PROGRAM, because shells end with 127 in this case, as they
	 * do if the script itself does not exist. */
	if (errno == ENOENT)
		return error_create(ERROR_NO_PROGRAM,
				    "%s: the script's interpreter %s is not "
				    "there",
				    script, interpreter);
	return error_create(
		ERROR_NOT_EXECUTABLE, "%s: the script's interpreter %s: %s",
		script, interpreter, why_not_executable(interpreter, errno));
}

#define MOST_SCRIPTS 5 /* limit of the kernel */

/* Finds the file that the kernel executes in the end: the interpreter of a
 * script may itself be a script. `called` gets the path of that file as it is
 * named, and `out` its real path. The caller frees both. */
static struct error *find_executed(const char *path, char **called, char **out)
{
	char *at = xstrdup(path), *interpreter;
	struct error *error = NULL;

	for (int i = 0; !error && (interpreter = script_interpreter(at)); i++) {
		if (i == MOST_SCRIPTS)
			error = error_create(ERROR_NOT_EXECUTABLE, "%s: %s",
					     path, strerror(ELOOP));
		else if (!is_executable(interpreter))
			error = bad_interpreter(at, interpreter);
		free(at);
		at = interpreter;
	}
	if (error) {
		free(at);
		return error;
	}
	*called = at;
	*out = realpath(at, NULL);
	if (!*out)
		*out = xstrdup(at);
	return NULL;
}

/* Converts an error that the probe layer reports about the file itself to
 * ERROR_NOT_EXECUTABLE, because nothing can be executed for that reason. */
static struct error *not_executable(struct error *error)
{
	struct error *other;

	if (!error || error_code(error) == ERROR_NO_PROGRAM ||
	    error_code(error) == ERROR_NOT_EXECUTABLE)
		return error;
	other = error_create(ERROR_NOT_EXECUTABLE, "%s", error_message(error));
	error_destroy(error);
	return other;
}

struct error *session_set_program(struct session *session, const char *name)
{
	char *path, *called = NULL, *executed = NULL;
	struct error *error;
	bool is_script;

	TRY(find_program(name, &path));
	error = find_executed(path, &called, &executed);
	if (!error)
		error = not_executable(
			probe_set_program(session->probe, executed, called));
	is_script = called && !str_equal(called, path);
	free(called);
	free(executed);
	if (error) {
		free(path);
		return error;
	}
	free(session->program);
	session->program = path;
	free(session->program_word);
	session->program_word = xstrdup(name);
	session->is_script = is_script;
	free(session->context.name);
	session->context.name = NULL;
	return NULL;
}

const char *session_program(const struct session *session)
{
	return session->program;
}

void session_set_args(struct session *session, const char *const *args,
		      size_t count)
{
	string_list_clear(&session->args);
	for (size_t i = 0; i < count; i++)
		vec_push(&session->args, xstrdup(args[i]));
}

void session_set_env(struct session *session, const char *name,
		     const char *value)
{
	size_t length = strlen(name);
	char *entry = xasprintf("%s=%s", name, value);

	for (size_t i = 0; i < session->env.count; i++) {
		if (strncmp(session->env.data[i], entry, length + 1) == 0) {
			free(session->env.data[i]);
			session->env.data[i] = entry;
			return;
		}
	}
	vec_push(&session->env, entry);
}

void session_add_directory(struct session *session, const char *directory)
{
	vec_push(&session->directories, xstrdup(directory));
}

/* ---- tables and modes -------------------------------------------------- */

void session_initialize_tables(struct session *session)
{
	const struct measure_node *node;
	const struct measure_leg *leg;

	for (size_t i = 0; (leg = measure_leg_at(session->measure, i)); i++)
		release_leg(session, leg);
	for (size_t i = 0; (node = measure_node_at(session->measure, i)); i++)
		release_node_split(session, node);
	measure_initialize(session->measure, clock_now(&session->clock));
	probe_forget_deleted(session->probe);
	string_list_clear(&session->key_texts);
	string_list_clear(&session->leg_names);
}

void session_zero_tables(struct session *session)
{
	measure_zero(session->measure, clock_now(&session->clock));
}

struct error *session_monitor(struct session *session, bool on)
{
	clock_settle(&session->clock);
	session->monitor_was_set = true;
	if (on == measure_monitor(session->measure))
		return NULL;
	/* A hit of before this command must be counted, or not, according to
	 * the old state of the monitor. So all threads are stopped first. */
	TRY(stand_still(session));
	measure_set_monitor(session->measure, on, clock_now(&session->clock));
	probe_stops_changed(session->probe);
	return NULL;
}

bool session_monitor_is_on(const struct session *session)
{
	return measure_monitor(session->measure);
}

void session_set_add(struct session *session, bool successor)
{
	measure_set_add_successor(session->measure, successor);
	probe_switches_changed(session->probe);
	if (successor)
		probe_want_goroutines(session->probe);
}

void session_set_track(struct session *session, enum measure_track track)
{
	measure_set_track(session->measure, track);
	if (track == TRACK_SUCCESSOR)
		probe_want_goroutines(session->probe);
}
