/* detail_report.c - what `set detail auto` does now, for tables and for `show
 * detail` */
#include <string.h>

#include "adaptive_detail.h"
#include "recorded_profiles.h"

/* For how long the function is refused yet, ns; below 0: until there is room */
static double left_of(const struct detail_function *function, uint64_t now)
{
	return function->refusal == DETAIL_NO_ROOM
		       ? -1
		       : (double)(function->refused_until - now);
}

static void list_refused(struct adaptive_detail *detail, uint64_t now)
{
	vec_clear(&detail->refusals);
	for (size_t i = 0; i < detail->choice.functions.count; i++) {
		const struct detail_function *function =
			&detail->choice.functions.data[i];

		const struct detail_cost *cost = &function->refused;

		if (!detail_is_refused(function, now))
			continue;
		vec_push(&detail->refusals,
			 (struct report_refusal){
				 .function = function->name,
				 .calls = cost->rate,
				 .cpu_calls = cost->cpu_rate,
				 .cost = cost->share * 100,
				 .is_least = cost->is_least,
				 .left = left_of(function, now)});
	}
}

const struct report_detail *recorded_detail(struct session *session)
{
	struct adaptive_detail *detail = &session->recorded->detail;

	if (!detail->is_on)
		return NULL;
	list_refused(detail, clock_now(&session->clock));
	detail->report = (struct report_detail){
		.limit = (double)session->detail_cost / 1e6,
		.nodes = detail_choice_total_cost(&detail->choice) * 100,
		.room = adaptive_room(detail) * 100,
		.pauses = adaptive_pause_share(detail) * 100,
		.sampling = adaptive_sampling_share(detail) * 100,
		.refused = detail->refusals.data,
		.refused_count = detail->refusals.count};
	for (size_t i = 0; i < detail->functions.count; i++)
		detail->report.functions += detail->functions.data[i].is_armed;
	return &detail->report;
}

void recorded_describe_detail(struct session *session, struct str *out)
{
	const struct report_detail *detail = recorded_detail(session);

	if (detail)
		report_detail_text(detail, out);
}
