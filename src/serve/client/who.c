/*
 * who.c - finds the servers of this user
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "perftool/base/alloc.h"
#include "perftool/base/runtime_folder.h"
#include "perftool/base/string_list.h"
#include "serve/socket_file.h"

/* How long, in seconds, a server has to answer. It may be at work for another
 * front end. */
enum { PATIENCE = 5 };

static bool is_socket_name(const char *name)
{
	size_t length = strlen(name), digits = strspn(name, "0123456789");

	return digits && length == digits + strlen(".sock") &&
	       str_equal(name + digits, ".sock");
}

static int compare(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* Lists the paths of the sockets in the usual folder, by their numbers. */
static struct error *list_sockets(struct string_list *out)
{
	CLEANUP(str_deinit) struct str folder = {0};
	struct error *error = runtime_folder_find(&folder);
	struct dirent *entry;
	DIR *directory;

	if (error)
		return error_unless(error, ERROR_GONE);
	directory = opendir(str_text(&folder));
	while (directory && (entry = readdir(directory)))
		if (is_socket_name(entry->d_name))
			vec_push(out, xasprintf("%s/%s", str_text(&folder),
						entry->d_name));
	if (directory)
		closedir(directory);
	if (out->count)
		qsort(out->data, out->count, sizeof(*out->data), compare);
	return NULL;
}

/* Asks the server at the socket what it measures. `*facts` becomes NULL if
 * nobody answers. Removes the socket of a server that has died. */
static struct error *ask(const char *path, struct json_object **facts)
{
	struct control *control;
	struct error *error = control_open(path, &control);

	*facts = NULL;
	if (error && error_code(error) == ERROR_GONE)
		socket_remove_stale(path);
	if (error)
		return error_unless(error, ERROR_GONE);
	control_set_patience(control, PATIENCE);
	error = control_call(control, "who", json_object_new_object(), facts);
	control_destroy(control);
	return error;
}

static const char *member(struct json_object *facts, const char *name)
{
	struct json_object *value = NULL;

	return json_object_object_get_ex(facts, name, &value)
		       ? json_object_get_string(value)
		       : "";
}

/* Appends a word as a shell would read it. Control characters become escapes,
 * which the shells bash, zsh and ksh know: they would change what the terminal
 * shows. */
static void append_word(const char *word, struct str *out)
{
	const unsigned char *at = (const unsigned char *)word;
	bool has_control = false, is_plain = *word;

	for (const unsigned char *c = at; *c; c++) {
		has_control |= *c < ' ' || *c == 0x7f;
		is_plain &= isalnum(*c) || *c >= 0x80 ||
			    strchr("_@%+=:,./-", *c) != NULL;
	}
	if (is_plain) {
		str_append(out, word);
		return;
	}
	str_append(out, has_control ? "$'" : "'");
	for (; *at; at++)
		if (*at < ' ' || *at == 0x7f)
			str_printf(out, "\\x%02x", *at);
		else if (has_control && (*at == '\'' || *at == '\\'))
			str_printf(out, "\\%c", *at);
		else if (*at == '\'')
			str_append(out, "'\\''");
		else
			str_append_char(out, (char)*at);
	str_append_char(out, '\'');
}

static void append_line(struct json_object *facts, struct str *out)
{
	struct json_object *args = NULL;

	str_printf(out, "%s  ", member(facts, "pid"));
	append_word(member(facts, "program"), out);
	json_object_object_get_ex(facts, "args", &args);
	for (size_t i = 0; args && i < json_object_array_length(args); i++) {
		str_append_char(out, ' ');
		append_word(json_object_get_string(
				    json_object_array_get_idx(args, i)),
			    out);
	}
	str_append_char(out, '\n');
}

struct error *control_describe(struct control *control, struct str *out)
{
	struct json_object *facts = NULL;

	TRY(control_call(control, "who", json_object_new_object(), &facts));
	if (!facts)
		return error_create(ERROR_GONE, "perftool has ended");
	append_line(facts, out);
	json_object_put(facts);
	return NULL;
}

struct error *serve_who(bool json, struct str *out)
{
	struct string_list paths = {0};
	struct json_object *all;

	TRY(list_sockets(&paths));
	all = json_object_new_array();
	for (size_t i = 0; i < paths.count; i++) {
		struct json_object *facts;
		struct error *error = ask(paths.data[i], &facts);

		/* A server that does not answer is not listed. */
		error_destroy(error);
		if (facts)
			json_object_array_add(all, facts);
	}
	string_list_deinit(&paths);
	if (json)
		str_printf(
			out, "%s\n",
			json_object_to_json_string_ext(
				all, JSON_C_TO_STRING_PLAIN |
					     JSON_C_TO_STRING_NOSLASHESCAPE));
	for (size_t i = 0; !json && i < json_object_array_length(all); i++) {
		struct json_object *facts = json_object_array_get_idx(all, i);

		append_line(facts, out);
		if (*member(facts, "page"))
			str_printf(out, "    %s\n", member(facts, "page"));
	}
	json_object_put(all);
	return NULL;
}

/* ---- choosing a server --------------------------------------------------- */

/* Connects to the only server that answers. */
static struct error *open_only(struct control **out)
{
	struct string_list paths = {0};
	struct control *found = NULL, *control;
	struct error *error = NULL;
	size_t count = 0;

	TRY(list_sockets(&paths));
	for (size_t i = 0; i < paths.count; i++) {
		struct error *failure = control_open(paths.data[i], &control);

		error_destroy(failure);
		if (failure)
			continue;
		control_destroy(found);
		found = control;
		count++;
	}
	string_list_deinit(&paths);
	if (count == 1) {
		*out = found;
		return NULL;
	}
	control_destroy(found);
	if (count)
		error = error_create(ERROR_USAGE,
				     "perftool serves %zu processes: name one "
				     "by its PID (`perftool who' lists them)",
				     count);
	else
		error = error_create(ERROR_GONE,
				     "nothing is served; `perftool serve "
				     "PROGRAM' does that");
	return error;
}

struct error *control_create(pid_t pid, const char *socket,
			     struct control **out)
{
	struct str path = {0};
	struct error *error;

	if (!pid && !socket)
		return open_only(out);
	if (socket) {
		str_append(&path, socket);
		error = control_open(str_text(&path), out);
	} else {
		error = runtime_folder_find(&path);
		str_printf(&path, "/%d.sock", (int)pid);
		if (!error)
			error = control_open(str_text(&path), out);
	}
	str_deinit(&path);
	if (error && error_code(error) == ERROR_GONE && pid && !socket) {
		error_destroy(error);
		error = error_create(ERROR_GONE,
				     "process %d is not served; `perftool who' "
				     "lists what is",
				     (int)pid);
	}
	return error;
}
