/* measurement_record.c - see measurement_record.h */
#include "measurement_record.h"

void record_measurement(const struct profile_measurement *measurement,
			struct record *out)
{
	add_text(out, "kind", measurement->kind);
	add_text(out, "watch", measurement->watch);
	if (measurement->rate > 0)
		add_number(out, "rate_hz", measurement->rate);
	else
		add_null(out, "rate_hz");
	add_integer(out, "elapsed_ns", measurement->elapsed);
	add_integer(out, "ticks", measurement->ticks);
	add_integer(out, "missed", measurement->missed);
	add_integer(out, "lost", measurement->lost);
	add_integer(out, "broken", measurement->broken);
}
