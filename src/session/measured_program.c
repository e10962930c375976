/*
 * measured_program.c - the program that `run` starts: its file, its arguments
 * and its environment
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "session_state.h"

extern char **environ;

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

#define MOST_SCRIPTS 5 /* the kernel follows no more scripts than this */

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

void session_set_environment(struct session *session,
			     const char *const *environment)
{
	string_list_clear(&session->environment);
	session->has_environment = environment != NULL;
	for (size_t i = 0; environment && environment[i]; i++)
		vec_push(&session->environment, xstrdup(environment[i]));
}

void session_add_directory(struct session *session, const char *directory)
{
	vec_push(&session->directories, xstrdup(directory));
}

static bool is_overridden(const struct session *session, const char *entry)
{
	size_t length = (size_t)(strchrnul(entry, '=') - entry);

	for (size_t i = 0; i < session->env.count; i++)
		if (strncmp(session->env.data[i], entry, length) == 0 &&
		    session->env.data[i][length] == '=')
			return true;
	return false;
}

void launch_environment(const struct session *session, struct environment *out)
{
	*out = (struct environment){0};
	for (size_t i = 0; i < session->environment.count; i++)
		if (!is_overridden(session, session->environment.data[i]))
			vec_push(out, session->environment.data[i]);
	for (char **entry = environ; !session->has_environment && *entry;
	     entry++)
		if (!is_overridden(session, *entry))
			vec_push(out, *entry);
	for (size_t i = 0; i < session->env.count; i++)
		vec_push(out, session->env.data[i]);
	vec_push(out, NULL);
}

char *program_path(const struct session *session)
{
	CLEANUP(free_pointer) char *directory = NULL;

	if (!session->program)
		return NULL;
	directory = getcwd(NULL, 0);
	/* A current directory that was removed has no path. The name of the
	 * program is all that is known then. */
	return directory ? path_absolute(directory, session->program)
			 : xstrdup(session->program);
}

const char *program_build_id(const struct session *session)
{
	struct debugfile *file = probe_program_file(session->probe);

	return file ? debugfile_facts(file)->build_id : NULL;
}

struct error *need_program(struct session *session)
{
	if (session->program || session->followed.count)
		return NULL;
	return error_create(ERROR_OTHER,
			    "no program: name it on the command line, or "
			    "with `file PROGRAM`");
}
