/* procedure_record.c - see procedure_record.h */
#include "procedure_record.h"

void record_procedure(const struct procedures *procedures, uint32_t number,
		      const char *otherwise, struct record *out)
{
	const struct procedure *about =
		number == NO_PROCEDURE ? NULL : &procedures->list.data[number];

	add_text(out, "function", about ? about->name : otherwise);
	add_text(out, "module",
		 about && about->module && *about->module ? about->module
							  : NULL);
}

struct json_object *
listing_object(const struct profile_measurement *measurement)
{
	struct json_object *object = json_object_new_object();
	struct record record = {0};

	json_object_object_add(object, "schema", json_object_new_int(1));
	if (measurement)
		record_measurement(measurement, &record);
	json_object_object_add(object, "measurement",
			       measurement ? json_record(&record) : NULL);
	return object;
}
