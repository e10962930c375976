/*
 * desk.c - makes what the operations remember, and lets it go
 */
#include "desk.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/host.h"
#include "perftool/session/detail.h"
#include "perftool/session/inventory.h"
#include "perftool/session/measurements.h"
#include "perftool/session/user_interface.h"

/* After a dump, for which the program stood still and the tool worked, there is
 * none for so many times as long. Most of the work is the search for names, for
 * which the program does not stand still; the first dump reads debug
 * information for it. */
#define STOOD_PAUSE 50
#define WORK_PAUSE 4

/* Defaults, in ms. A look at the stacks stops the program for a moment. */
#define CHECK_TIME 10
#define DISABLE_TIME 100
#define MAX_DEPTH 256

static void make_interpreter(struct desk *desk, const struct session_ui *ui)
{
	struct interpreter_options options = {.session = desk->session,
					      .ui = ui};

	desk->stream = open_memstream(&desk->text, &desk->length);
	if (!desk->stream)
		out_of_memory(0);
	options.output = options.messages = desk->stream;
	desk->interpreter = interpreter_create(&options);
	interpreter_set_operations(desk->interpreter, desk_operation, desk);
}

void desk_set_end(struct desk *desk, uint64_t end)
{
	interpreter_set_end(desk->interpreter, end);
}

void desk_note(const struct desk *desk, struct error *error)
{
	if (error)
		desk->ui->note(desk->ui->context, error_message(error));
	error_destroy(error);
}

static void look_at_libraries(struct desk *desk)
{
	struct module_facts_list modules = {0};

	if (!desk->details.list.count && !desk->agents.list.count)
		return;
	details_look_again(desk, &desk->searched);
	agents_look_again(desk, &desk->searched);
	session_modules(desk->session, &modules);
	for (size_t i = 0; i < modules.count; i++)
		strmap_set(&desk->searched, modules.data[i].path, desk);
	vec_free(&modules);
}

/* The program has loaded libraries, and has not executed their code yet. If an
 * operation is being carried out, the program stands still until it is over. */
static void on_libraries(void *context)
{
	struct desk *desk = context;

	if (desk->is_busy) {
		desk->has_new_libraries = true;
		return;
	}
	desk->is_busy = true;
	look_at_libraries(desk);
	desk->is_busy = false;
}

void desk_begin_work(struct desk *desk, bool *was_busy)
{
	*was_busy = desk->is_busy;
	desk->is_busy = true;
}

void desk_end_work(struct desk *desk, bool was_busy)
{
	desk->is_busy = was_busy;
	if (was_busy || !desk->has_new_libraries)
		return;
	desk->has_new_libraries = false;
	on_libraries(desk);
}

/* Is a class a system class, as CLASSES has set it? `set detail auto` asks. */
static bool is_system(void *context, const struct session_class *class)
{
	const struct desk *desk = context;
	const struct class_names names = {.source = class->source,
					  .source_path = class->source_path,
					  .module = class->module,
					  .module_path = class->module_path};

	return class_table_type(&desk->classes, &names) & CLASS_SYSTEM;
}

struct desk *desk_create(struct session *session, const struct session_ui *ui)
{
	struct desk *desk = xcalloc(1, sizeof(*desk));

	desk->session = session;
	desk->ui = ui;
	session_on_libraries(session, on_libraries, desk);
	desk->since = host_time();
	make_interpreter(desk, ui);
	desk->check_time = CHECK_TIME;
	desk->disable_time = DISABLE_TIME;
	desk->max_depth = MAX_DEPTH;
	class_table_init(&desk->classes);
	session_set_system_classes(session, is_system, desk);
	instrumentation_init(&desk->patches);
	return desk;
}

void desk_destroy(struct desk *desk)
{
	if (!desk)
		return;
	session_on_libraries(desk->session, NULL, NULL);
	error_destroy(interpreter_close(desk->interpreter));
	interpreter_destroy(desk->interpreter);
	fclose(desk->stream);
	free(desk->text);
	session_set_system_classes(desk->session, NULL, NULL);
	class_table_deinit(&desk->classes);
	details_deinit(&desk->details);
	agents_deinit(&desk->agents);
	instrumentation_deinit(&desk->patches);
	timed_set_deinit(&desk->timed);
	strmap_deinit(&desk->searched);
	free(desk);
}

void desk_forget(struct desk *desk, uint32_t serial)
{
	bool was_busy;

	if (!session_has_process(desk->session))
		return;
	desk_begin_work(desk, &was_busy);
	details_forget(desk, desk->session, serial);
	agents_forget(desk, serial);
	instrumentation_forget(desk, serial);
	class_table_forget(&desk->classes, serial);
	desk_end_work(desk, was_busy);
}

void desk_remark(struct desk *desk, const char *text)
{
	if (desk->is_in_line)
		fprintf(desk->stream, "%s\n", text);
}

bool desk_is_done(const struct desk *desk)
{
	return interpreter_is_done(desk->interpreter);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

uint64_t desk_dump_pause(const struct desk *desk, uint64_t took)
{
	double ms = session_monitor_is_on(desk->session) ? desk->check_time
							 : desk->disable_time;

	return larger((uint64_t)(ms * 1e6),
		      larger(STOOD_PAUSE * desk->stood_for_stacks,
			     WORK_PAUSE * took));
}

struct error *invocation_owner(const struct invocation *invocation,
			       uint32_t *out)
{
	bool own = false;

	TRY(params_flag(invocation->params, "own", &own));
	*out = own ? invocation->caller->serial : 0;
	return NULL;
}
