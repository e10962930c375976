/*
 * report_pages.c - writes reports and plots of tables that are made up, into
 * the folder that is its argument, for tests/e2e/report_page.t
 *
 * none.html, one.html, hundred.html, thousands.html (10,000 legs) and
 * hostile.html, whose names are no good names; plot.svg, empty.svg,
 * hostile.svg.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/profile/call_stacks.h"
#include "perftool/report/plot.h"
#include "perftool/report/report_page.h"

#define SOURCE "int main(void)\n{\n\tputs(\"<b>&amp;</b>\");\n\treturn 0;\n}\n"

struct made {
	struct measure *measure;
	struct report_node *nodes;
	struct report_leg *legs;
	struct tables tables;
};

/* A number from 0 to 1; the same sequence in each run. */
static double next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (double)(*state >> 11) / (double)(UINT64_C(1) << 53);
}

static void hit(struct measure *measure, uint32_t node, uint64_t time)
{
	const struct hit now = {
		.node = node, .thread = 1, .pid = 7, .tid = 8, .time = time};

	measure_hit(measure, &now);
	measure_hold(measure, 1, 7, 8, time, time + 10, 0, 0);
}

/* Executes each leg so many times, one after the other. Returns the time at
 * which all is over. */
static uint64_t execute(struct measure *measure, uint32_t legs,
			unsigned executions)
{
	uint64_t now = 1000, state = 1;

	for (unsigned i = 0; i < executions; i++) {
		for (uint32_t leg = 0; leg < legs; leg++) {
			double spread = next_random(&state) +
					next_random(&state) +
					next_random(&state);

			hit(measure, 2 * leg + 1, now);
			now += (uint64_t)exp(4 + 0.03 * (leg % 100) +
					     2 * spread);
			hit(measure, 2 * leg + 2, now);
			now += 50;
		}
	}
	return now;
}

static void make(struct made *made, uint32_t legs, unsigned executions,
		 const char *const *names, size_t name_count)
{
	static const char *const args[] = {"-n", "5", NULL};
	static const struct report_setting settings[] = {{"mechanism", "auto"},
							 {"follow fork", "on"}};
	struct measure *measure = measure_create();
	uint64_t end;

	*made = (struct made){.measure = measure};
	made->nodes = xcalloc(2 * legs + 1, sizeof(*made->nodes));
	made->legs = xcalloc(legs + 1, sizeof(*made->legs));
	measure_set_calibration(measure, HIT_INT3, 30, 20);
	for (uint32_t i = 0; i < 2 * legs; i++)
		measure_add_node(measure, i + 1);
	for (uint32_t i = 0; i < legs; i++) {
		const struct leg_spec spec = {.from = 2 * i + 1,
					      .to = 2 * i + 2};
		uint32_t id;
		bool existed;

		error_destroy(measure_add_leg(measure, &spec, &id, &existed));
	}
	measure_set_monitor(measure, true, 0);
	measure_set_running(measure, true, 0);
	end = execute(measure, legs, executions);
	for (uint32_t i = 0; i < legs; i++) {
		const struct measure_leg *leg = measure_leg(measure, i);

		made->legs[i] = (struct report_leg){
			.stats = leg,
			.name = name_count ? names[i % name_count]
					   : xasprintf("function_%u", i),
			.from_place = "entry of function",
			.to_place = "return of function",
			.resolution = measure_leg_resolution(measure, leg),
			.below_resolution =
				measure_leg_below_resolution(measure, leg)};
	}
	for (uint32_t i = 0; i < 2 * legs; i++)
		made->nodes[i] = (struct report_node){
			.stats = measure_node(measure, i + 1),
			.kind = i % 2 ? "return" : "entry",
			.location = made->legs[i / 2].name,
			.place = made->legs[i / 2].name,
			.function = made->legs[i / 2].name,
			.file = name_count ? made->legs[i / 2].name
					   : "/src/some_file.c",
			.line = 3 + i % 2,
			.module = "program",
			.mechanism = "int3",
			.made_by = i % 4 == 0 ? "detail" : NULL};
	made->tables = (struct tables){
		.version = "1.2.3",
		.at = "2026-03-01T09:05:07.123+01:00",
		.started = "2026-03-01T09:05:06.990+01:00",
		.host = name_count ? names[0] : "host",
		.cpu = "A CPU (R)",
		.kernel = "6.1.0",
		.settings = settings,
		.setting_count = 2,
		.program = {.path = name_count ? names[0] : "/usr/bin/program",
			    .args = name_count ? names : args,
			    .pid = 7,
			    .state = "exited"},
		.clock_source = "tsc",
		.clock_resolution = 0.4,
		.nodes = made->nodes,
		.node_count = 2 * legs,
		.legs = made->legs,
		.leg_count = legs};
	measure_get_summary(measure, end, &made->tables.summary);
}

static size_t read_source(void *context, const char *file, uint32_t first,
			  uint32_t count, struct str *out)
{
	(void)context, (void)file, (void)first, (void)count;
	str_append(out, SOURCE);
	return 5;
}

static bool write_text(const char *folder, const char *name,
		       const struct str *text)
{
	CLEANUP(free_pointer) char *path = xasprintf("%s/%s", folder, name);
	FILE *file = fopen(path, "we");

	if (!file)
		return false;
	fwrite(str_text(text), 1, text->length, file);
	return fclose(file) == 0;
}

/* The executions of the first leg are those of the time line. */
static bool write_page(const char *folder, const char *name,
		       const struct made *made, const char *command)
{
	const struct page_listing listing = {"Listing", (char *)command};
	struct report_page page = {.tables = &made->tables,
				   .command = command,
				   .listings = &listing,
				   .listing_count = 1,
				   .read_source = read_source};
	struct str text = {0};
	bool written;

	if (made->tables.leg_count) {
		page.slowest = made->legs[0].stats->slowest.data;
		page.slowest_count = made->legs[0].stats->slowest.count;
	}
	report_page_html(&page, &text);
	written = write_text(folder, name, &text);
	str_deinit(&text);
	return written;
}

static bool write_plot(const char *folder, const char *name,
		       const struct report_leg *leg)
{
	struct str text = {0};
	bool written;

	report_plot_svg(leg, &text);
	written = write_text(folder, name, &text);
	str_deinit(&text);
	return written;
}

int main(int argc, char **argv)
{
	static char long_name[5001];
	const char *const hostile[] = {
		"</title><script>alert(1)</script>",
		"]]>--></style></svg><img src=x onerror=alert(1)>",
		"\" onmouseover=\"alert(1)\" x='&amp;",
		"\xe2\x80\xae"
		"gnorw si sihT",
		"\xf0\x9f\x98\x80\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb",
		"\xff\xfe invalid \xc3",
		"\x01\x02\t\n\x7f control",
		"",
		long_name,
		NULL};
	struct made none, one, hundred, thousands, names;
	const char *folder = argv[1];

	if (argc != 2)
		return 2;
	memset(long_name, 'x', 5000);
	make(&none, 0, 0, NULL, 0);
	make(&one, 1, 500, NULL, 0);
	make(&hundred, 100, 300, NULL, 0);
	make(&thousands, 10000, 2, NULL, 0);
	make(&names, 9, 50, hostile, 9);
	return !(write_page(folder, "none.html", &none, "") &&
		 write_page(folder, "one.html", &one, "perftool ./program") &&
		 write_page(folder, "hundred.html", &hundred, "perftool") &&
		 write_page(folder, "thousands.html", &thousands, "perftool") &&
		 write_page(folder, "hostile.html", &names, hostile[1]) &&
		 write_plot(folder, "plot.svg", &one.legs[0]) &&
		 write_plot(folder, "hostile.svg", &names.legs[0]) &&
		 write_plot(folder, "long.svg", &names.legs[8]));
}
