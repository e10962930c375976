/*
 * trace_file.c - `trace FILE`: writes every execution of a leg as a row of a
 * file
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/writer.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/process_share.h"
#include "perftool/session/measurements.h"
#include "session/requests/requests.h"
#include "session/run/run.h"
#include "tables.h"

/* For how long, in ns, the program that reads the trace may read nothing before
 * the tool gives up. The tool waits for that program, and threads of the
 * measured program wait for the tool meanwhile. */
#define PATIENCE 1000000000u

static bool is_traced(const struct tracing *tracing, uint32_t leg)
{
	for (size_t i = 0; i < tracing->legs.count; i++)
		if (tracing->legs.data[i] == leg)
			return true;
	return tracing->legs.count == 0;
}

void trace_execution(void *context, const struct execution *execution)
{
	struct session *session = context;
	struct tracing *tracing = &session->tracing;
	const struct measure_leg *leg =
		measure_leg(session->measure, execution->leg);
	struct str name = {0};

	if (!tracing->file || tracing->failure ||
	    !is_traced(tracing, execution->leg))
		return;
	if (leg)
		leg_name(session, leg, &name);
	else
		str_printf(&name, "leg %u", execution->leg);
	if (!trace_row(tracing->file, tracing->format, execution,
		       tracing->serial++, str_text(&name))) {
		tracing->failure = errno;
		/* The user gets the remark now, because the end of the
		 * measurement may be far away. */
		session_note(session, "cannot write the trace %s: %s",
			     tracing->path, writer_reason(tracing->failure));
	}
	str_deinit(&name);
}

struct error *session_trace(struct session *session, const char *path,
			    const uint32_t *legs, size_t count)
{
	const struct writer writer = {.await = session->ui.await_room,
				      .interrupted = session->ui.interrupted,
				      .context = session->ui.context,
				      .patience = PATIENCE};
	struct tracing *tracing = &session->tracing;
	size_t length = strlen(path);

	for (size_t i = 0; i < count; i++)
		if (!measure_leg(session->measure, legs[i]))
			return error_create(ERROR_NOT_FOUND,
					    "there is no leg %u", legs[i]);
	TRY(session_trace_off(session));
	TRY(settle_counts(session));
	tracing->file = writer_stream(&writer, path);
	if (!tracing->file)
		return writer_error(errno, path);
	tracing->path = xstrdup(path);
	tracing->format = length > 5 && str_equal(path + length - 5, ".json")
				  ? TRACE_CHROME
				  : TRACE_CSV;
	tracing->serial = 0;
	tracing->from =
		measure_now(session->measure, clock_now(&session->clock));
	vec_clear(&tracing->legs);
	for (size_t i = 0; i < count; i++)
		vec_push(&tracing->legs, legs[i]);
	tracing->failure =
		trace_begin(tracing->file, tracing->format) ? 0 : errno;
	measure_set_observer(session->measure, trace_execution, session);
	return NULL;
}

static void append_name(void *context, bool is_node, uint32_t id,
			struct str *out)
{
	struct session *session = context;
	const struct measure_leg *leg =
		is_node ? NULL : measure_leg(session->measure, id);

	if (leg)
		leg_name(session, leg, out);
	else if (!is_node || !node_place(session, id, out))
		str_printf(out, "%s %u", is_node ? "node" : "leg", id);
}

static void trace_insides_of(struct session *session,
			     const struct measure_leg *leg)
{
	const struct trace_names names = {append_name, session};
	struct tracing *tracing = &session->tracing;

	for (size_t i = 0; i < leg->slowest.count; i++) {
		const struct execution *at = &leg->slowest.data[i];
		int64_t end = (int64_t)at->start + at->duration;

		if (at->inside && end >= tracing->from && !tracing->failure &&
		    !trace_inside(tracing->file, at, tracing->serial++, &names))
			tracing->failure = errno;
	}
}

/* Writes what is inside the slowest executions that the trace has. */
static void trace_insides(struct session *session)
{
	const struct tracing *tracing = &session->tracing;
	const struct measure_leg *leg;

	if (tracing->format != TRACE_CHROME)
		return;
	for (size_t i = 0; (leg = measure_leg_at(session->measure, i)); i++)
		if (is_traced(tracing, leg->id))
			trace_insides_of(session, leg);
}

/* Writes the names of the processes whose executions the trace has. */
static void trace_processes(struct session *session)
{
	struct tracing *tracing = &session->tracing;
	VEC(bool) told = {0};
	const struct measure_leg *leg;
	struct measure_share share;

	if (tracing->format != TRACE_CHROME)
		return;
	renew_process_names(session);
	for (size_t i = 0; (leg = measure_leg_at(session->measure, i)); i++)
		for (size_t at = 0; measure_leg_share(leg, at, &share); at++) {
			const struct measure_process *process = share.process;

			if (!process || !process->comm || tracing->failure ||
			    !is_traced(tracing, leg->id))
				continue;
			/* processes are numbered from 1 */
			while (told.count <= process->number)
				vec_push(&told, false);
			if (told.data[process->number])
				continue;
			told.data[process->number] = true;
			if (!trace_process(tracing->file, process->pid,
					   process->comm))
				tracing->failure = errno;
		}
	vec_free(&told);
}

struct error *session_trace_off(struct session *session)
{
	struct tracing *tracing = &session->tracing;
	struct error *error = NULL;

	if (!tracing->file)
		return NULL;
	error_destroy(settle_counts(session));
	measure_set_observer(session->measure, NULL, NULL);
	trace_insides(session);
	trace_processes(session);
	if (!trace_end(tracing->file, tracing->format) && !tracing->failure)
		tracing->failure = errno;
	if (fclose(tracing->file) != 0 && !tracing->failure)
		tracing->failure = errno;
	if (tracing->failure)
		error = writer_incomplete(tracing->failure, "trace",
					  tracing->path);
	tracing->file = NULL;
	free(tracing->path);
	tracing->path = NULL;
	return error;
}
