/*
 * detail_limits.c - the limits of `set detail auto` by their index: see
 * perftool/session/detail.h
 */
#include "perftool/base/alloc.h"
#include "perftool/session/session_settings.h"
#include "settings.h"

static const char *const limit_settings[DETAIL_LIMIT_COUNT] = {
	"detail-class-min-total",  "detail-class-minimum",
	"detail-class-threshold",  "detail-class-stop-threshold",
	"detail-method-min-total", "detail-method-minimum",
	"detail-method-threshold", "detail-method-stop-threshold"};

double session_detail_limit(const struct session *session, size_t index)
{
	return (double)session->detail_limits[index] / 1e6;
}

struct error *session_set_detail_limit(struct session *session, size_t index,
				       double value)
{
	CLEANUP(str_deinit) struct str text = {0};

	str_printf(&text, "%.15g", value);
	return session_set(session, limit_settings[index], str_text(&text));
}
