/* process_image.c - see perftool/session/process_image.h */
#include "perftool/session/process_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/command_line.h"
#include "run.h"

void process_image_deinit(struct process_image *image)
{
	free(image->path);
	free(image->build_id);
	string_list_deinit(&image->args);
	string_list_deinit(&image->environment);
	*image = (struct process_image){0};
}

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

/* Reads the environment from the kernel, which has it in the memory of the
 * process: a process that writes its title there has overwritten it. */
static void read_environment(pid_t pid, struct string_list *out)
{
	CLEANUP(free_pointer) char *path = xasprintf("/proc/%d/environ", pid);
	CLEANUP(free_pointer) char *word = NULL;
	FILE *file = fopen(path, "re");
	size_t capacity = 0;

	while (file && getdelim(&word, &capacity, '\0', file) >= 0)
		vec_push(out, xstrdup(word));
	if (file)
		fclose(file);
}

/* Describes what the process executes now. */
static void read_image(struct session *session, pid_t pid,
		       struct process_image *out)
{
	char **args = target_arguments(pid);

	out->path = target_program_path(pid);
	if (out->path)
		out->build_id = copy(build_id_of(session, out->path));
	out->has_args = args != NULL;
	for (size_t i = 0; args && args[i]; i++)
		vec_push(&out->args, xstrdup(args[i]));
	free_words(args);
}

/* Describes what the tool has started or attached to. */
static void remembered_image(struct session *session, struct process_image *out)
{
	const struct last_run *run = &session->last_run;
	const struct string_list *args =
		run->is_known ? &run->args : &session->args;

	out->path = copy(session->program);
	out->build_id =
		copy(run->is_known ? run->build_id : program_build_id(session));
	out->has_args = !run->is_known || run->has_args;
	for (size_t i = 0; i < args->count; i++)
		vec_push(&out->args, xstrdup(args->data[i]));
}

/* The environment with which `run` starts the program. */
static void copy_environment(const struct session *session,
			     struct string_list *out)
{
	struct environment environment;

	launch_environment(session, &environment);
	for (size_t i = 0; environment.data[i]; i++)
		vec_push(out, xstrdup(environment.data[i]));
	vec_free(&environment);
}

void session_process_image(struct session *session, struct process_image *out)
{
	*out = (struct process_image){.started = session->last_run.started};
	if (session->has_executed && session->process)
		read_image(session, session->process->pid, out);
	else
		remembered_image(session, out);
	if (!session->has_executed && !session->attached)
		copy_environment(session, &out->environment);
	else if (session->process)
		read_environment(session->process->pid, &out->environment);
}
