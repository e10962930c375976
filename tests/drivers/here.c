/*
 * here.c - sessions of the library that work on the thread of their caller, as
 * a user interface has them (perftool/library.h)
 *
 * usage: here TEST PROGRAM [ARG]...
 *
 * Each test prints what it has found, one `NAME VALUE` a line. Its exit status
 * is 1 if a call has failed that must not fail.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/library.h"

static void must(struct error *error)
{
	if (!error)
		return;
	fprintf(stderr, "%s\n", error_message(error));
	exit(1);
}

static void ok(struct perftool_error *error)
{
	must(perftool_error_cause(error));
}

static void fails(const char *name, struct perftool_error *error)
{
	printf("%s %s\n", name,
	       error ? perftool_error_message(error) : "(no error)");
	perftool_error_destroy(error);
}

/* What the user interface of these tests does and hears. */
struct user {
	struct perftool_session *session;
	int runs, stops_running, notes, stops, progress, questions, flushes;
	uint64_t counted; /* by the leg 0, as a callback has seen it */
};

static void hear(void *context, const struct perftool_event *event)
{
	struct user *user = context;

	switch (event->kind) {
	case PERFTOOL_EVENT_NOTE:
		user->notes++;
		break;
	case PERFTOOL_EVENT_STOP:
		user->stops++;
		break;
	case PERFTOOL_EVENT_PROGRESS:
		user->progress++;
		break;
	case PERFTOOL_EVENT_REPORT:
	case PERFTOOL_EVENT_DUMP:
		break;
	}
}

static void program_runs(void *context, pid_t group)
{
	struct user *user = context;

	(void)group;
	user->runs++;
}

static void program_stopped(void *context)
{
	struct user *user = context;

	user->stops_running++;
}

/* A callback may call the session, while that waits for the program. */
static bool report(void *context, bool due)
{
	struct user *user = context;
	const struct perftool_leg *leg;

	(void)due;
	ok(perftool_session_leg(user->session, 0, &leg));
	user->counted = perftool_leg_count(leg);
	return false;
}

static bool confirm(void *context, const char *question, bool is_leaving)
{
	struct user *user = context;

	(void)question;
	user->questions++;
	return is_leaving;
}

static bool ask(void *context, const char *name, const char *before,
		char **answer)
{
	(void)context;
	printf("asked %s after [%s]\n", name, before);
	*answer = xstrdup("work");
	return true;
}

static void before_output(void *context)
{
	struct user *user = context;

	user->flushes++;
}

/* Makes a session whose output is standard output, with all callbacks. */
static void create(struct user *user, bool interactive)
{
	const struct perftool_options options = {
		.user = {.context = user,
			 .program_runs = program_runs,
			 .program_stopped = program_stopped,
			 .report = report,
			 .confirm = confirm,
			 .ask = ask,
			 .before_output = before_output},
		.output = stdout,
		.messages = stdout,
		.interactive = interactive,
		.every_ns = 1000000,
	};

	perftool_session_create_here(&options, &user->session);
	ok(perftool_session_on_event(user->session, hear, user));
}

static void destroy(struct user *user)
{
	must(perftool_session_close_files(user->session));
	perftool_session_destroy(user->session);
}

/* ---- the functions of perftool.h ----------------------------------------- */

static void public_functions(char **program)
{
	struct user user = {0};
	const struct perftool_leg *leg;
	char *output = NULL, *json = NULL;
	int status = -1;
	pid_t pid = 0;

	create(&user, false);
	ok(perftool_session_launch(user.session, program[0], program, NULL));
	ok(perftool_session_command(user.session, "time work", &output));
	printf("output [%s]\n", output);
	free(output);
	ok(perftool_session_run(user.session, -1));
	ok(perftool_session_leg(user.session, 0, &leg));
	printf("count %lu\n", perftool_leg_count(leg));
	ok(perftool_session_exit_status(user.session, &status));
	ok(perftool_session_pid(user.session, &pid));
	printf("status %d %d\n", status, (int)pid);
	ok(perftool_session_tables(user.session, &json));
	printf("json %c\n", *json);
	free(json);
	printf("called %d\n", user.runs && user.stops_running);
	printf("seen %d\n", user.counted && user.counted <= 2000);
	printf("stops %d\n", user.stops);
	destroy(&user);
}

/* ---- a whole measurement ------------------------------------------------- */

static void print_state(const char *name, struct perftool_session *session)
{
	struct perftool_state state;

	perftool_session_state(session, &state);
	printf("%s program %d process %d run %d requests %d ended %d status %d "
	       "commands %zu done %d\n",
	       name, state.has_program, state.has_process, state.was_run,
	       state.has_requests, state.has_ended, state.exit_status,
	       state.commands, state.is_done);
}

static void measure(char **program)
{
	const struct perftool_report text = {.format = PERFTOOL_FORMAT_TEXT};
	struct user user = {0};
	struct str said = {0};
	bool in_time = true, all_found;

	create(&user, false);
	print_state("at first", user.session);
	ok(perftool_session_set(user.session, "pending", "on"));
	must(perftool_session_load(user.session, program));
	must(perftool_session_time(user.session, "work if number >= 10"));
	ok(perftool_session_command(user.session, "break entry nowhere", NULL));
	print_state("before", user.session);
	must(perftool_session_measure(user.session, 0, &in_time));
	print_state("after", user.session);
	printf("in time %d\n", in_time);
	all_found = perftool_session_unresolved(user.session, &said);
	printf("resolved %d %d\n", all_found,
	       strstr(str_text(&said), "nowhere") != NULL);
	str_deinit(&said);
	ok(perftool_session_command(user.session, "expect leg(0).count == 1990",
				    NULL));
	printf("expected %d\n", perftool_session_expected(user.session));
	perftool_session_report_text(user.session, &text, stdout, &said);
	printf("report %d\n", strstr(str_text(&said), "1,990") != NULL);
	str_deinit(&said);
	destroy(&user);
}

static void limit(char **program)
{
	struct user user = {0};
	struct perftool_state state;
	bool in_time = false;

	create(&user, false);
	must(perftool_session_load(user.session, program));
	must(perftool_session_time(user.session, "work"));
	must(perftool_session_measure(user.session, 50000000, &in_time));
	perftool_session_state(user.session, &state);
	printf("in time %d, process %d, status %d\n", in_time,
	       state.has_process, state.exit_status);
	destroy(&user);
}

/* ---- at a prompt --------------------------------------------------------- */

static void prompt(char **program)
{
	struct user user = {0};
	char *whole = NULL;

	create(&user, true);
	must(perftool_session_load(user.session, program));
	must(perftool_session_ask(user.session, "time", &whole));
	printf("whole %s\n", whole);
	free(whole);
	ok(perftool_session_launch(user.session, program[0], program, NULL));
	ok(perftool_session_command(user.session, "quit", NULL));
	printf("questions %d\n", user.questions);
	printf("flushes %d\n", user.flushes);
	ok(perftool_session_command(user.session, "show clock", NULL));
	printf("flushes %d\n", user.flushes);
	print_state("left", user.session);
	perftool_session_remark(user.session, "a remark");
	printf("notes %d\n", user.notes);
	destroy(&user);
}

/* ---- other threads ------------------------------------------------------- */

static void *interrupt(void *argument)
{
	struct user *user = argument;

	fails("other thread", perftool_session_run(user->session, -1));
	while (!__atomic_load_n(&user->progress, __ATOMIC_SEQ_CST))
		usleep(1000);
	perftool_session_interrupt(user->session);
	return NULL;
}

static void threads(char **program)
{
	struct user user = {0};
	pthread_t thread;

	create(&user, false);
	ok(perftool_session_launch(user.session, program[0], program, NULL));
	ok(perftool_session_command(user.session, "time work", NULL));
	pthread_create(&thread, NULL, interrupt, &user);
	fails("interrupted", perftool_session_run(user.session, -1));
	pthread_join(thread, NULL);
	destroy(&user);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(char **program);
	} tests[] = {{"public", public_functions},
		     {"measure", measure},
		     {"limit", limit},
		     {"prompt", prompt},
		     {"threads", threads}};

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		if (argc > 2 && strcmp(argv[1], tests[i].name) == 0) {
			tests[i].run(argv + 2);
			return 0;
		}
	fprintf(stderr, "usage: here TEST PROGRAM [ARG]...\n");
	return 2;
}
