/*
 * watchpoints.c - the command `watch`: which object the user means, and how the
 * tool finds it in each process
 *
 * The object is a global variable, or a part of one: its address is computed in
 * each process. Or it is what the expression means in the chosen frame of the
 * stopped program: a local variable, or what a pointer points to. Then it is
 * this address in this process, whatever the names mean later.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "inspect.h"
#include "perftool/base/alloc.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "session/run/run.h"

/* What is known of the object. */
struct object {
	const char *text;
	uint64_t size;
	uint64_t address;   /* in the stopped program; 0: not known */
	bool is_local;      /* the address is one of this process alone */
	struct value value; /* its value there, of kind VALUE_NONE if unknown */
};

/* Evaluate an expression about the object: its address, for example. */
static struct error *evaluate(const struct expr_place *place,
			      const struct expr_input *input,
			      const char *format, const char *text,
			      struct value *out)
{
	CLEANUP(free_pointer) char *whole = xasprintf("%s(%s)", format, text);
	struct bound_expr *bound;
	struct error *error;
	struct expr *expr;

	out->kind = VALUE_NONE;
	TRY(expr_parse(whole, &expr));
	error = expr_bind(expr, place, &bound);
	if (!error) {
		error = bound_expr_evaluate(bound, input, out);
		bound_expr_destroy(bound);
	}
	expr_destroy(expr);
	return error;
}

/* The place and the input by which names are looked up without a frame. */
static void global_place(struct session *session, struct expr_place *place,
			 struct expr_input *input)
{
	static const struct user_regs_struct none;
	struct debugfile *file = probe_program_file(session->probe);
	struct function_list functions = {0};
	const struct module *program = probe_module(session->probe, 0);
	struct process *process = session->process;

	*input = (struct expr_input){.reader = {.regs = &none}};
	*place = (struct expr_place){.file = file, .no_code = true};
	if (process) {
		place->modules = probe_expr_modules(process);
		input->modules = place->modules;
		make_reader(process, program, &none, &input->reader);
	}
	if (!file)
		return;
	place->address = debugfile_facts(file)->entry;
	error_destroy(debugfile_find_functions(file, "main", &functions));
	if (functions.count)
		place->address = functions.data[0].address;
	vec_free(&functions);
}

static bool is_stopped(const struct session *session)
{
	return session->process && session->state == RUN_STOPPED;
}

/* Is the object reached through a pointer, so that its address may change while
 * the program runs? */
static bool is_pointed_to(const char *text)
{
	return *text == '*' || strstr(text, "->") || strstr(text, "(*");
}

/* Find the object in the chosen frame of the stopped program. */
static struct error *find_in_frame(struct session *session,
				   struct object *object)
{
	struct expr_input input = {.context = session};
	struct user_regs_struct regs;
	struct source_place at = {0};
	struct expr_place place;
	struct scratch scratch;
	struct value value;
	struct error *error;

	TRY(find_place(session, &at));
	frame_expr_place(session, &at.frame, at.inlined, &place);
	frame_input(session, &at.frame, &regs, &scratch, &input);
	error = evaluate(&place, &input, "sizeof", object->text, &value);
	object->size = value.u;
	if (!error)
		error = evaluate(&place, &input, "&", object->text, &value);
	object->address = value.u;
	if (!error)
		error_destroy(evaluate(&place, &input, "", object->text,
				       &object->value));
	source_place_clear(&at);
	return error;
}

/* Find out whether the object is a global one, with the same address. */
static struct error *find_globally(struct session *session,
				   struct object *object)
{
	struct expr_input input;
	struct expr_place place;
	struct value value;

	global_place(session, &place, &input);
	TRY(evaluate(&place, &input, "sizeof", object->text, &value));
	if (!object->size)
		object->size = value.u;
	if (!session->process)
		return NULL;
	return evaluate(&place, &input, "&", object->text, &value);
}

static struct error *find_object(struct session *session, struct object *object)
{
	struct expr_input input;
	struct expr_place place;
	struct value value;
	struct error *error;

	if (!is_stopped(session)) {
		if (is_pointed_to(object->text))
			return error_create(
				ERROR_USAGE,
				"%s is reached through a pointer: stop the "
				"program where the pointer has its value, and "
				"watch it there",
				object->text);
		return find_globally(session, object);
	}
	TRY(find_in_frame(session, object));
	global_place(session, &place, &input);
	error = is_pointed_to(object->text)
			? NULL
			: evaluate(&place, &input, "&", object->text, &value);
	object->is_local = error || is_pointed_to(object->text) ||
			   value.u != object->address;
	error_destroy(error);
	return NULL;
}

static struct error *check_object(const struct object *object)
{
	if (object->size != 1 && object->size != 2 && object->size != 4 &&
	    object->size != 8)
		return error_create(
			ERROR_USAGE,
			"%s has %" PRIu64 " bytes, and the processor watches "
			"1, 2, 4 or 8: name a member or an element of it",
			object->text, object->size);
	if (object->address % object->size)
		return error_create(
			ERROR_USAGE,
			"%s is at 0x%" PRIx64 ", which is not a multiple of "
			"its %" PRIu64 " bytes: the processor cannot watch it",
			object->text, object->address, object->size);
	return NULL;
}

/* An expression that means the object wherever it is evaluated. */
static struct error *parse_object(const struct object *object,
				  struct expr **out)
{
	static const char *const types[][9] = {
		[VALUE_NONE] = {[1] = "unsigned char",
				[2] = "unsigned short",
				[4] = "unsigned int",
				[8] = "unsigned long"},
		[VALUE_SIGNED] = {[1] = "signed char",
				  [2] = "short",
				  [4] = "int",
				  [8] = "long"},
		[VALUE_UNSIGNED] = {[1] = "unsigned char",
				    [2] = "unsigned short",
				    [4] = "unsigned int",
				    [8] = "unsigned long"},
		[VALUE_FLOAT] = {[4] = "float", [8] = "double"},
	};
	CLEANUP(free_pointer) char *text = NULL;
	const char *type = types[object->value.kind][object->size];

	if (!object->is_local)
		return expr_parse(object->text, out);
	text = xasprintf("*(%s *)0x%" PRIx64, type ? type : "unsigned char",
			 object->address);
	return expr_parse(text, out);
}

struct error *session_watch(struct session *session, const char *text,
			    bool reads, const char *condition, uint32_t *id,
			    struct str *out)
{
	struct watch_request request = {.text = text, .reads = reads};
	struct object object = {.text = text};
	struct expr *expr, *filter = NULL;
	struct breakpoint *breakpoint;

	TRY(need_program(session));
	TRY(stand_still(session));
	TRY(find_object(session, &object));
	TRY(check_object(&object));
	TRY(parse_object(&object, &expr));
	if (condition) {
		struct error *error = expr_parse(condition, &filter);

		if (error) {
			expr_destroy(expr);
			return error_prefix(error, "condition");
		}
	}
	request.address = object.is_local ? object.address : 0;
	request.size = (uint8_t)object.size;
	TRY(probe_watch(session->probe, &request, expr, filter, &breakpoint));
	*id = breakpoint_id(breakpoint);
	str_printf(out, "Watchpoint #%u: ", *id);
	describe_breakpoint(session, breakpoint, out);
	str_append(out, ".\n");
	return NULL;
}
