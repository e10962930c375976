/* detail_report.c - what `set detail auto` does now, for tables and for `show
 * detail` */
#include <string.h>

#include "adaptive_detail.h"
#include "recorded_profiles.h"

static void list_refused(struct adaptive_detail *detail, uint64_t now)
{
	vec_clear(&detail->refusals);
	for (size_t i = 0; i < detail->choice.functions.count; i++) {
		const struct detail_function *function =
			&detail->choice.functions.data[i];

		if (!function->refusals || function->state != DETAIL_OUT ||
		    now >= function->refused_until)
			continue;
		vec_push(&detail->refusals,
			 (struct report_refusal){
				 .function = function->name,
				 .calls = function->refused_rate,
				 .cost = function->refused_cost * 100,
				 .left = (double)(function->refused_until -
						  now)});
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
