/* log_axis.c - see log_axis.h */
#include "log_axis.h"

#include <math.h>

/* A mark needs so much room, in user units. */
#define MARK_ROOM 46

double log_axis_place(const struct log_axis *axis, double ns)
{
	double place = ns > axis->least ? log(ns / axis->least) /
						  log(axis->most / axis->least)
					: 0;

	return axis->left + axis->width * fmin(place, 1);
}

/* Which marks does a decade have? Between two powers of 10, 2 and 5 or none;
 * where the axis has many decades, not even each power of 10. */
static int step_of(const struct log_axis *axis, int *decades)
{
	double room = axis->width / log10(axis->most / axis->least);

	*decades = room < MARK_ROOM ? (int)ceil(MARK_ROOM / room) : 1;
	/* from 5 to 10 there are 0.3 decades, and as many from 1 to 2 */
	return room * 0.3 >= MARK_ROOM ? 3 : 1;
}

size_t log_axis_marks(const struct log_axis *axis,
		      double marks[static LOG_AXIS_MARKS])
{
	static const int digits[] = {1, 2, 5};
	int decades, each = step_of(axis, &decades);
	int power = (int)floor(log10(axis->least));
	size_t count = 0;

	/* below 1 ns there is only the place of 0 */
	for (power = power < 0 ? 0 : power; pow(10, power) <= axis->most;
	     power++) {
		for (int i = 0; power % decades == 0 && i < each; i++) {
			double mark = digits[i] * pow(10, power);

			if (mark >= axis->least && mark <= axis->most &&
			    count < LOG_AXIS_MARKS)
				marks[count++] = mark;
		}
	}
	return count;
}

void log_axis_text(double ns, struct str *out)
{
	static const struct {
		double size;
		const char *name;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "\xc2\xb5s"}, {1, "ns"}};
	size_t unit = 0;

	while (unit < 3 && ns < units[unit].size)
		unit++;
	str_printf(out, "%g\xe2\x80\xaf%s", ns / units[unit].size,
		   units[unit].name);
}
