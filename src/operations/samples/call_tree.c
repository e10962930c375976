/*
 * call_tree.c - CALLTREE: the samples as a tree of calls, from which a front
 * end can draw a flame graph
 */
#include "operations/desk.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/map.h"
#include "perftool/document.h"
#include "perftool/session/spy.h"
#include "perftool/session/ticks.h"

/* Frames that have a smaller part of all samples are left out, if the front end
 * does not say how small a part it wants. */
#define DEFAULT_LEAST .001
/* What a reply has at most. */
enum { MOST_DEPTH = 250, MOST_FRAMES = 20000 };

/* A procedure that was called by the frame `parent`. */
struct frame {
	uint32_t procedure, parent;
	uint64_t samples; /* in it, and in what it has called */
	VEC(uint32_t) children;
};

struct call_tree {
	const struct call_stacks *stacks;
	/* The first one stands for the outermost callers' caller. */
	VEC(struct frame) frames;
	struct map by_call; /* parent and procedure: number of the frame */
	uint64_t least;
	struct json_object *list;
};

static uint32_t find_child(struct call_tree *tree, uint32_t parent,
			   uint32_t procedure)
{
	/* Keys of the map are not 0. */
	uint64_t key = ((uint64_t)parent << 32 | procedure) + 1;
	uint32_t number = (uint32_t)map_get_number(&tree->by_call, key);

	if (number)
		return number;
	number = (uint32_t)tree->frames.count;
	vec_push(&tree->frames,
		 (struct frame){.procedure = procedure, .parent = parent});
	vec_push(&tree->frames.data[parent].children, number);
	map_set_number(&tree->by_call, key, number);
	return number;
}

static void add_sample(struct call_tree *tree, const struct call_sample *sample)
{
	const struct call_stack *stack =
		&tree->stacks->stacks.data[sample->stack];
	uint32_t at = 0;

	tree->frames.data[0].samples += sample->weight;
	for (size_t i = stack->depth, deep = 0; i-- > 0 && deep < MOST_DEPTH;
	     deep++) {
		at = find_child(tree, at,
				call_stack_procedure(tree->stacks, stack, i));
		tree->frames.data[at].samples += sample->weight;
	}
}

static const struct procedure *procedure_of(const struct call_tree *tree,
					    uint32_t number)
{
	return &tree->stacks->procedures.list
			.data[tree->frames.data[number].procedure];
}

/* By name, so that frames keep their places as samples are added. */
static int by_name(const void *a, const void *b, void *context)
{
	const struct call_tree *tree = context;
	const uint32_t *x = a, *y = b;
	int order = strcmp(procedure_of(tree, *x)->name,
			   procedure_of(tree, *y)->name);

	return order ? order : *x < *y ? -1 : *x > *y;
}

static void add_frames(struct call_tree *tree, uint32_t number, int depth)
{
	struct frame *frame = &tree->frames.data[number];

	if (frame->children.count)
		qsort_r(frame->children.data, frame->children.count,
			sizeof(*frame->children.data), by_name, tree);
	for (size_t i = 0; i < frame->children.count; i++) {
		uint32_t child = frame->children.data[i];
		const struct procedure *procedure = procedure_of(tree, child);
		struct json_object *one;

		if (tree->frames.data[child].samples < tree->least ||
		    json_object_array_length(tree->list) >= MOST_FRAMES)
			continue;
		one = json_object_new_object();
		json_object_object_add(one, "depth",
				       json_object_new_int(depth));
		json_object_object_add(one, "name",
				       document_text(procedure->name));
		json_object_object_add(one, "module",
				       document_text(procedure->module));
		json_object_object_add(
			one, "ticks",
			json_object_new_int64(
				(int64_t)tree->frames.data[child].samples));
		json_object_array_add(tree->list, one);
		add_frames(tree, child, depth + 1);
	}
}

static struct json_object *make_list(const struct call_stacks *stacks,
				     double least, uint64_t *samples)
{
	struct call_tree tree = {.stacks = stacks,
				 .list = json_object_new_array()};

	vec_push(&tree.frames, (struct frame){.procedure = NO_PROCEDURE});
	for (size_t i = 0; i < stacks->samples.count; i++)
		add_sample(&tree, &stacks->samples.data[i]);
	*samples = tree.frames.data[0].samples;
	tree.least = (uint64_t)(least * (double)*samples);
	add_frames(&tree, 0, 0);
	for (size_t i = 0; i < tree.frames.count; i++)
		vec_free(&tree.frames.data[i].children);
	vec_free(&tree.frames);
	map_deinit(&tree.by_call);
	return tree.list;
}

static struct error *call_tree(struct invocation *invocation)
{
	struct session *session = invocation->desk->session;
	struct json_object *result = json_object_new_object(), *list;
	struct call_stacks stacks = {0};
	const char *origin = NULL;
	double least = DEFAULT_LEAST;
	uint64_t samples;

	invocation->result = result;
	TRY(params_number(invocation->params, "least", &least));
	if (least < 0 || least > 1)
		return error_create(ERROR_USAGE, "`least' must be a part of "
						 "all samples, from 0 to 1");
	if (session_ticks_were_on(session)) {
		origin = "profile";
		session_ticks_stacks(session, &stacks);
	} else if (session_spy_was_on(session)) {
		origin = "spy";
		session_spy_stacks(session, &stacks);
	}
	list = make_list(&stacks, least, &samples);
	call_stacks_deinit(&stacks);
	if (origin)
		json_object_object_add(result, "of",
				       json_object_new_string(origin));
	json_object_object_add(
		result, "on",
		json_object_new_boolean(session_ticks_are_on(session)));
	json_object_object_add(result, "ticks",
			       json_object_new_int64((int64_t)samples));
	json_object_object_add(result, "frame", list);
	return NULL;
}

static const struct member call_tree_parameters[] = {
	{"least", "number",
	 "frames that have a smaller part of all samples are left out; 0.001 "
	 "if missing"},
	{0}};

static const struct member call_tree_reply[] = {
	{"of", "text",
	 "profile, if there are ticks of the profiler, or spy; missing if "
	 "there are no samples"},
	{"on", "flag", "whether the profiler takes ticks now"},
	{"ticks", "number", "the number of all samples"},
	{"frame[].depth", "number",
	 "a frame; 0: its caller is not known. Its caller is the last frame "
	 "before it in the list whose depth is less"},
	{"frame[].name, module", "text", "its function, and where that is"},
	{"frame[].ticks", "number", "samples in it, or in what it has called"},
	{0}};

const struct operation call_tree_operations[] = {
	{.name = "calltree",
	 .reply_wrapper = "CALLTREE",
	 .summary = "The samples of the profiler or of the Spy, as a tree of "
		    "calls.",
	 .parameters = call_tree_parameters,
	 .reply = call_tree_reply,
	 .run = call_tree},
	{0}};
