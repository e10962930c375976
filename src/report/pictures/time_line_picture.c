/*
 * time_line_picture.c - when executions were, as SVG: a row for each leg, and
 * an axis of the measured time
 */
#include <math.h>

#include "pictures.h"
#include "report/figures/figures.h"

enum {
	WIDTH = 1000,
	LEFT = 210, /* where the axis of time begins */
	RIGHT = 36, /* half of a long text below the axis, such as 1,000 ms */
	ROW = 22,
	BAR = 12, /* height of a bar */
	NAME_LETTERS = 30,
	BELOW = 34, /* the axis and its texts */
};

static double place(uint64_t ns, uint64_t measured)
{
	double part = measured ? (double)ns / (double)measured : 0;

	return LEFT + (WIDTH - LEFT - RIGHT) * fmin(fmax(part, 0), 1);
}

/* The step of the marks: 1, 2 or 5 times a power of 10 ns, at most 8 of them.
 */
static double step_of(uint64_t measured)
{
	double step = pow(10, floor(log10((double)measured / 8)));

	for (int i = 0; (double)measured / step > 8; i++)
		step *= i % 3 == 1 ? 2.5 : 2;
	return step;
}

static void put_axis(uint64_t measured, int height, struct str *out)
{
	int bottom = height - BELOW;
	double step;

	str_printf(out, "<path class=\"base\" d=\"M%d %dH%d\"/>", LEFT, bottom,
		   WIDTH - RIGHT);
	if (!measured)
		return;
	step = step_of(measured);
	for (int i = 0; i * step <= (double)measured; i++) {
		double at = i * step, x = place((uint64_t)at, measured);

		str_printf(out,
			   "<path class=\"axis\" d=\"M%.1f 0V%d\"/>"
			   "<text text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">",
			   x, bottom + 4, x, bottom + 18);
		if (at > 0)
			picture_time(at, out);
		else
			str_append_char(out, '0');
		str_append(out, "</text>");
	}
}

static void put_span(const struct picture_span *span, uint64_t measured,
		     struct str *out)
{
	uint64_t length = span->duration > 0 ? (uint64_t)span->duration : 0;
	double from = place(span->start, measured);
	double width = fmax(place(span->start + length, measured) - from, 2);
	int y = (int)span->row * ROW + (ROW - BAR) / 2;
	double on_cpu = span->cpu < 0 || !length
				? 1
				: fmin((double)span->cpu / (double)length, 1);

	str_append(out, "<g><title>");
	svg_escape_name(span->title, out);
	str_append(out, "</title>");
	if (on_cpu < 1)
		str_printf(out,
			   "<rect class=\"wait\" x=\"%.1f\" y=\"%d\" "
			   "width=\"%.1f\" height=\"%d\"/>",
			   from, y, width, BAR);
	str_printf(out,
		   "<rect class=\"bar\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
		   "height=\"%d\"/></g>\n",
		   from, y, fmax(width * on_cpu, on_cpu > 0 ? 0.5 : 0), BAR);
}

void picture_time_line(const struct picture_span *spans, size_t count,
		       const char *const *names, size_t rows, uint64_t measured,
		       struct str *out)
{
	int height = (int)rows * ROW + BELOW;

	str_printf(out,
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
		   "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\"><title>"
		   "When the slowest executions were, by leg</title>\n",
		   WIDTH, height, WIDTH, height);
	put_axis(measured, height, out);
	for (size_t i = 0; i < rows; i++) {
		struct str clean = {0};

		str_printf(out, "<text x=\"0\" y=\"%d\">",
			   (int)i * ROW + ROW / 2 + 4);
		clean_name(names[i], &clean);
		svg_fit(str_text(&clean), NAME_LETTERS, out);
		str_append(out, "</text>");
		str_deinit(&clean);
	}
	for (size_t i = 0; i < count; i++)
		put_span(&spans[i], measured, out);
	str_append(out, "</svg>");
}

void picture_bar(double part, struct str *out)
{
	str_printf(out,
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" "
		   "aria-hidden=\"true\" viewBox=\"0 0 100 8\" "
		   "preserveAspectRatio=\"none\"><rect class=\"bar\" "
		   "width=\"%.1f\" height=\"8\"/></svg>",
		   fmin(fmax(100 * part, 0), 100));
}
