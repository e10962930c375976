/*
 * report_everything.h - tables with everything in them: each kind of leg and
 * histogram, numbers beyond what a double holds, names with quotes and bytes
 * that are no text
 *
 * Included after cmocka's header.
 */
#ifndef REPORT_EVERYTHING_H
#define REPORT_EVERYTHING_H

#include "perftool/measure/measured_legs.h"
#include "perftool/measure/thread_counts.h"
#include "perftool/report.h"

struct everything {
	struct measure *measure;
	struct report_node nodes[3];
	struct report_leg legs[3];
	struct tables tables;
};

static inline void hit(struct measure *measure, uint32_t node, uint64_t time,
		       struct value value)
{
	const struct value key = value_signed(-1);
	const struct label labels[] = {
		{.value = value}, {.text = time < 1120 ? "get\n, \"x\"" : "-"}};
	struct hit now = {.node = node,
			  .thread = 1,
			  .pid = 7,
			  .tid = 8,
			  .time = time,
			  .value = value,
			  .keys = &key,
			  .key_count = 1,
			  .labels = labels,
			  .label_count = 2};

	measure_switch(measure, 1, time, false);
	measure_hit(measure, &now);
	measure_hold(measure, 1, 7, 8, time, time + 10, 0, 0);
	measure_switch(measure, 1, time + 10, true);
}

static inline void sleeps(struct measure *measure, uint64_t from, uint64_t to)
{
	measure_switch(measure, 1, from, false);
	measure_switch(measure, 1, to, true);
}

static inline struct measure *measured(void)
{
	const struct histogram_spec linear = {.class = HISTOGRAM_LINEAR,
					      .scale = INT64_C(1) << 60};
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	const struct histogram_spec shifted = {.class = HISTOGRAM_LINEAR,
					       .buckets = 2,
					       .scale = 3,
					       .base = -5};
	const struct leg_spec specs[] = {
		{.from = 1, .to = 2, .owner = OWNER_KEY},
		{.from = 2, .to = 1, .match = MATCH_OUTERMOST},
		{.from = 3, .to = 3, .owner = OWNER_LEG},
	};
	struct measure *measure = measure_create();
	const struct split_spec by_value = {.view.rows = 1};
	const struct split_spec by_text = {.at_to = true, .label = 1};
	uint32_t id;
	bool existed;

	measure_set_calibration(measure, HIT_INT3, 30, 20);
	for (uint32_t node = 1; node <= 3; node++)
		measure_add_node(measure, node);
	for (size_t i = 0; i < 3; i++)
		assert_null(measure_add_leg(measure, &specs[i], &id, &existed));
	assert_null(measure_node_add_histogram(measure, 1, &linear));
	assert_null(measure_node_add_histogram(measure, 2, &hdr));
	assert_null(measure_leg_add_histogram(measure, 0, &hdr));
	assert_null(measure_leg_add_histogram(measure, 2, &shifted));
	assert_null(measure_split_node(measure, 1, &by_value));
	assert_null(measure_split_node(measure, 3, &by_value));
	assert_null(measure_split_leg(measure, 0, &by_text));
	measure_set_monitor(measure, true, 0);
	measure_set_running(measure, true, 0);
	measure_watch(measure, 1, 7, 50);
	measure_switch(measure, 1, 60, true);
	hit(measure, 1, 100, value_unsigned(UINT64_MAX));
	sleeps(measure, 300, 700);
	hit(measure, 2, 1110, value_float(0.1));
	hit(measure, 1, 1125, value_signed(-1));
	hit(measure, 2, 3210, value_float(-2.5));
	measure_node_error(measure, 3, "no such variable");
	measure_node_deleted(measure, 3);
	return measure;
}

static inline void everything_init(struct everything *all)
{
	static const uint64_t addresses[] = {0x401000, 0x7ffff7e3c0a0};
	static const char *const args[] = {"-x", "a \"b\"\n", NULL};
	static const struct report_refusal refused[] = {
		{.function = "operator,(X&, \"y\")@ lib.so ",
		 .calls = 52e6,
		 .cpu_calls = 55e6,
		 .cost = 214.5,
		 .is_least = true,
		 .left = 9.5e9},
		{.function = "insert",
		 .calls = 1e5,
		 .cpu_calls = 2e5,
		 .cost = 0.7,
		 .left = -1}};
	static const struct report_detail detail = {.limit = 3,
						    .nodes = 0.5,
						    .room = 2.1,
						    .pauses = 0.25,
						    .functions = 1,
						    .refused = refused,
						    .refused_count = 2};
	static const struct report_setting settings[] = {{"follow fork", "on"},
							 {"mechanism", "auto"}};

	*all = (struct everything){.measure = measured()};
	for (uint32_t i = 0; i < 3; i++) {
		const struct measure_leg *leg = measure_leg(all->measure, i);

		all->nodes[i].stats = measure_node(all->measure, i + 1);
		all->legs[i] = (struct report_leg){
			.stats = leg,
			.name = i == 0 ? "a, \"b\"" : "f",
			.from_place = i < 2 ? "f" : NULL,
			.to_place = i < 2 ? "exit f" : NULL,
			.resolution = measure_leg_resolution(all->measure, leg),
			.below_resolution =
				measure_leg_below_resolution(all->measure, leg),
			.key_text = i == 0 ? "id" : NULL,
			.by_text = i == 0 ? "name, \"x\"" : NULL};
	}
	all->nodes[0] =
		(struct report_node){.stats = all->nodes[0].stats,
				     .kind = "entry",
				     .location = "entry operator,",
				     .place = "entry of operator,",
				     .function = "operator,(X&, \"y\")",
				     .file = "/src/caf\xc3\xa9 \xff.c",
				     .line = 7,
				     .module = " lib.so ",
				     .addresses = addresses,
				     .address_count = 2,
				     .condition = "name == \"foo\"",
				     .mechanism = "int3",
				     .int3_reason = "as it was asked for",
				     .by_text = "n",
				     .made_by = "detail",
				     .is_out = true};
	all->tables =
		(struct tables){.version = "1.2.3",
				.at = "2026-03-01T09:05:07.123+01:00",
				.started = "2026-03-01T09:05:06.990+01:00",
				.host = "host.example",
				.kernel = "6.1.0",
				.cpu = "A \"B\" (R)",
				.has_rank = true,
				.rank = 3,
				.settings = settings,
				.setting_count = 2,
				.program = {.path = "/bin/true",
					    .build_id = "00ff",
					    .args = args,
					    .pid = 7,
					    .state = "signaled",
					    .exit_status = -1,
					    .exit_signal = 11},
				.clock_source = "tsc",
				.clock_resolution = 0.4,
				.detail = &detail,
				.nodes = all->nodes,
				.node_count = 3,
				.legs = all->legs,
				.leg_count = 3};
	measure_get_summary(all->measure, 4000, &all->tables.summary);
}

static inline void everything_deinit(struct everything *all)
{
	measure_destroy(all->measure);
}

#endif
