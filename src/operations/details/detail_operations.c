/*
 * detail_operations.c - SETDETAIL
 */
#include "operations/desk.h"
#include "perftool/document.h"

static struct error *set_one(const struct invocation *invocation,
			     struct json_object *params,
			     struct json_object *out)
{
	struct desk *desk = invocation->desk;
	struct session *session = desk->session;
	const char *item, *agent = "cpu", *value;
	struct json_object *one;
	const struct detail *detail;
	struct invocation own = *invocation;
	uint32_t owner;
	bool on = true;

	own.params = params;
	TRY(params_needs_text(params, "item", &item));
	TRY(params_needs_text(params, "value", &value));
	TRY(params_flag(params, "value", &on));
	TRY(params_text(params, "agent", &agent));
	TRY(invocation_owner(invocation, &owner));
	if (!owner)
		TRY(invocation_owner(&own, &owner));
	TRY(agents_check_name(desk, agent));
	if (on)
		TRY(details_add(desk, session, item, agent, owner));
	else
		details_remove(desk, session, item, agent);
	detail = details_find(&desk->details, item, agent);
	one = json_object_new_object();
	json_object_object_add(one, "item", document_text(item));
	json_object_object_add(one, "value", json_object_new_boolean(on));
	json_object_object_add(one, "agent", document_text(agent));
	json_object_object_add(
		one, "functions",
		json_object_new_int64(detail ? (int64_t)detail->locations.count
					     : 0));
	if (detail && detail->is_pending)
		json_object_object_add(one, "pending",
				       json_object_new_boolean(true));
	json_object_array_add(out, one);
	return NULL;
}

static struct error *run_setdetail(struct invocation *invocation)
{
	struct json_object *params = invocation->params;
	struct json_object *list = json_object_new_array();
	size_t count = params_count(params, "detail");

	invocation->result = json_object_new_object();
	json_object_object_add(invocation->result, "detail", list);
	if (!count)
		return set_one(invocation, params, list);
	for (size_t i = 0; i < count; i++)
		TRY(set_one(invocation, params_at(params, "detail", i), list));
	return NULL;
}

static const struct member detail_parameters[] = {
	{"detail[].item", "text",
	 "a class, which is a source file or a module; CLASS:METHOD; or a "
	 "function, as `time` takes it"},
	{"detail[].value", "flag", "in or out"},
	{"detail[].agent", "text",
	 "the agent that reports it, and whose CLEAR clears it; cpu if "
	 "missing. "
	 "AGENT need not have added it: then the agent has these functions "
	 "alone"},
	{"detail[].own", "flag",
	 "the detail goes when this front end closes its connection"},
	{"own", "flag", "the same for all of the message"},
	{0}};

static const struct member detail_reply[] = {
	{"detail[].item", "text", "the item"},
	{"detail[].value", "flag", "whether it is detailed now"},
	{"detail[].agent", "text", "the agent"},
	{"detail[].functions", "number",
	 "how many functions have nodes and a leg for it"},
	{"detail[].pending", "flag",
	 "there are none yet: it waits for a library that has this name"},
	{0}};

const struct operation detail_operations[] = {
	{.name = "setdetail",
	 .request_wrapper = "settings",
	 .alone = "detail",
	 .summary =
		 "Puts nodes on every function of a class, or on one method, "
		 "as `time` does, or takes them out. Rows of what has counted "
		 "stay, and count on if it is detailed again.",
	 .parameters = detail_parameters,
	 .reply = detail_reply,
	 .run = run_setdetail},
	{0}};
