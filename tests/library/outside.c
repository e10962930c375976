/*
 * outside.c - a program that measures other programs by libperftool
 *
 * usage: outside TEST PROGRAM [ARG]...
 *
 * Each test prints what it has found, one `NAME VALUE` a line. Its exit status
 * is 1 if a call has failed that must not fail; the message is then on standard
 * error.
 */
#include <perftool.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void must(struct perftool_error *error)
{
	if (!error)
		return;
	fprintf(stderr, "%s\n", perftool_error_message(error));
	perftool_error_destroy(error);
	exit(1);
}

/* Prints the message of an error that must come. */
static void fails(const char *name, struct perftool_error *error)
{
	printf("%s %s\n", name,
	       error ? perftool_error_message(error) : "(no error)");
	perftool_error_destroy(error);
}

static char *command(struct perftool_session *session, const char *line)
{
	char *output = NULL;

	must(perftool_session_command(session, line, &output));
	return output;
}

static void print_leg(struct perftool_session *session)
{
	const struct perftool_bucket *buckets;
	const struct perftool_leg *leg;
	uint64_t in_buckets = 0;
	double mean, sum;
	size_t count;

	must(perftool_session_leg(session, 0, &leg));
	mean = perftool_leg_mean_ns(leg);
	sum = mean * (double)perftool_leg_count(leg);
	count = perftool_leg_buckets(leg, &buckets);
	for (size_t i = 0; i < count; i++)
		in_buckets += buckets[i].count;
	printf("id %u\nname %s\nfrom %s\nto %s\ncount %lu\nin_buckets %lu\n",
	       perftool_leg_id(leg), perftool_leg_name(leg),
	       perftool_leg_from(leg), perftool_leg_to(leg),
	       perftool_leg_count(leg), in_buckets);
	/* The times of short executions may be below 0 where each hit stops the
	 * thread. */
	printf("is_plausible %d\n",
	       (double)perftool_leg_min_ns(leg) <= mean &&
		       mean <= (double)perftool_leg_max_ns(leg) &&
		       perftool_leg_stddev_ns(leg) >= 0 &&
		       sum - (double)perftool_leg_total_ns(leg) <
			       (double)perftool_leg_count(leg) &&
		       (double)perftool_leg_total_ns(leg) - sum <
			       (double)perftool_leg_count(leg));
}

static void print_end(struct perftool_session *session)
{
	pid_t pid = -1;
	int status;

	must(perftool_session_exit_status(session, &status));
	must(perftool_session_pid(session, &pid));
	printf("status %d\npid %d\n", status, (int)pid);
}

/* Carries out an operation. The caller frees the reply. */
static char *operation(struct perftool_session *session, const char *request)
{
	char *reply = NULL;

	must(perftool_session_operation(session, request, &reply));
	return reply;
}

/* ---- one run ------------------------------------------------------------- */

static void measure(char **program)
{
	const struct perftool_node *node;
	const struct perftool_leg *leg;
	struct perftool_session *session;
	char *text;

	must(perftool_session_create(&session));
	must(perftool_session_launch(session, program[0], program, NULL));
	text = command(session, "time work");
	printf("said %s", text);
	free(text);
	must(perftool_session_run(session, -1));
	print_leg(session);
	must(perftool_session_node(session, 1, &node));
	printf("node %u %lu %s %s\n", perftool_node_id(node),
	       perftool_node_count(node), perftool_node_location(node),
	       perftool_node_function(node));
	must(perftool_session_leg_at(session, 1, &leg));
	printf("further %d\n", leg != NULL);
	text = command(session, "print legs");
	printf("table %d\n", strstr(text, "work") != NULL);
	free(text);
	must(perftool_session_tables(session, &text));
	printf("json %d\n", text[0] == '{' && strstr(text, "\"legs\""));
	free(text);
	print_end(session);
	perftool_session_destroy(session);
}

/* The same with the operations of front ends. */
static void operations(char **program)
{
	struct perftool_session *session;
	char *text;

	must(perftool_session_create(&session));
	must(perftool_session_operation(session, "{\"method\": \"ping\"}",
					NULL));
	must(perftool_session_launch(session, program[0], program, NULL));
	text = operation(session,
			 "{\"method\": \"setdetail\", \"params\": "
			 "{\"item\": \"marked.c:work\", \"value\": true}}");
	printf("detail %s\n", text);
	free(text);
	text = operation(session, "{\"method\": \"clear\"}");
	printf("clear %s\n", text);
	free(text);
	text = command(session, "dyper ping");
	printf("dyper %s", text);
	free(text);
	must(perftool_session_run(session, -1));
	print_leg(session);
	text = operation(session, "{\"method\": \"who\", \"id\": 1}");
	printf("who %d\n", strstr(text, program[0]) != NULL);
	free(text);
	perftool_session_destroy(session);
}

/* What a handler of events has got by itself. */
struct got {
	atomic_uint reports, dumps, wrong;
};

static void get(void *context, const struct perftool_event *event)
{
	struct got *got = context;
	bool is_report = event->kind == PERFTOOL_EVENT_REPORT;
	const char *part = is_report ? "\"legs\"" : "\"stack\"";

	if (!is_report && event->kind != PERFTOOL_EVENT_DUMP)
		return;
	if (event->text[0] != '{' || !strstr(event->text, part))
		atomic_fetch_add(&got->wrong, 1);
	atomic_fetch_add(is_report ? &got->reports : &got->dumps, 1);
}

/* Waits until there are so many more reports and dumps, but not for ever. With
 * `session`, the program runs only meanwhile. */
static int more(struct got *got, struct perftool_session *session,
		unsigned reports, unsigned dumps)
{
	reports += atomic_load(&got->reports);
	dumps += atomic_load(&got->dumps);
	for (int i = 0; i < 1000; i++) {
		if (atomic_load(&got->reports) >= reports &&
		    atomic_load(&got->dumps) >= dumps)
			return 1;
		if (session)
			must(perftool_session_run(session, 20000000));
		else
			usleep(20000);
	}
	return 0;
}

static void set(struct perftool_session *session, const char *name,
		const char *value)
{
	char request[200];

	snprintf(request, sizeof(request),
		 "{\"method\": \"set\", \"params\": "
		 "{\"name\": \"%s\", \"value\": \"%s\"}}",
		 name, value);
	free(operation(session, request));
}

/* Reports and dumps come by themselves, while the session has nothing to do
 * (`program` is then attached to) and during runs. */
static void notices(char **program)
{
	struct perftool_session *session;
	struct got got = {0};
	unsigned before;

	must(perftool_session_create(&session));
	must(perftool_session_on_event(session, get, &got));
	must(perftool_session_attach(session, (pid_t)atoi(program[0])));
	free(command(session, "time work"));
	must(perftool_session_run(session, 0));
	set(session, "REPORTTIME", "30");
	printf("reports %d\n", more(&got, NULL, 3, 0));
	set(session, "SHOWSTACK", "TRUE");
	printf("dumps %d\n", more(&got, NULL, 0, 2));
	printf("both %d\n", more(&got, NULL, 2, 2));
	printf("in_runs %d\n", more(&got, session, 2, 2));
	set(session, "REPORTTIME", "0");
	before = atomic_load(&got.reports);
	printf("only_dumps %d\n", more(&got, NULL, 0, 2));
	printf("ended %d\n", atomic_load(&got.reports) == before);
	must(perftool_session_on_event(session, NULL, NULL));
	fails("refused", perftool_session_operation(
				 session,
				 "{\"method\": \"set\", \"params\": "
				 "{\"name\": \"SHOWSTACK\", \"value\": true}}",
				 NULL));
	perftool_session_destroy(session);
	must(perftool_session_create(&session));
	must(perftool_session_on_event(session, get, &got));
	must(perftool_session_launch(session, program[1], program + 1, NULL));
	set(session, "REPORTTIME", "10");
	set(session, "SHOWSTACK", "TRUE");
	printf("launched %d\n", more(&got, session, 2, 2));
	printf("wrong %u\n", atomic_load(&got.wrong));
	perftool_session_destroy(session);
}

/* Runs the program in pieces of 20 ms. */
static void pieces(char **program)
{
	struct perftool_session *session;
	const struct perftool_leg *leg;
	uint64_t last = 0;
	int grown = 0, still = 0;
	pid_t pid;

	must(perftool_session_create(&session));
	must(perftool_session_launch(session, program[0], program, NULL));
	free(command(session, "time work"));
	for (int i = 0; i < 5; i++) {
		/* On a busy machine the program may have no CPU for a while. */
		do {
			must(perftool_session_run(session, 20000000));
			must(perftool_session_leg(session, 0, &leg));
		} while (perftool_leg_count(leg) == last);
		grown += perftool_leg_count(leg) > last;
		last = perftool_leg_count(leg);
		must(perftool_session_leg(session, 0, &leg));
		still += perftool_leg_count(leg) == last;
	}
	must(perftool_session_pid(session, &pid));
	kill(pid, SIGTERM);
	must(perftool_session_run(session, -1));
	printf("grown %d\nstill %d\n", grown, still);
	print_leg(session);
	print_end(session);
	perftool_session_destroy(session);
}

/* ---- a process that runs ------------------------------------------------- */

static void attach(char **program)
{
	pid_t pid = (pid_t)atoi(program[0]), measured;
	struct perftool_session *session;
	const struct perftool_leg *leg;
	uint64_t first;

	must(perftool_session_create(&session));
	must(perftool_session_attach(session, pid));
	must(perftool_session_pid(session, &measured));
	printf("is_measured %d\n", measured == pid);
	free(command(session, "time work"));
	do {
		must(perftool_session_run(session, 50000000));
		must(perftool_session_leg(session, 0, &leg));
		first = perftool_leg_count(leg);
	} while (!first);
	/* The process goes on while nobody calls the session. */
	do
		must(perftool_session_leg(session, 0, &leg));
	while (perftool_leg_count(leg) <= first);
	printf("counted %d\n", first > 0);
	perftool_session_destroy(session);
	printf("lives %d\n", kill(pid, 0) == 0);
}

/* ---- settings, completion, ends ------------------------------------------ */

static void print_words(struct perftool_session *session, const char *line)
{
	char **words = NULL;
	size_t start = 99;

	must(perftool_session_complete(session, line, &start, &words));
	printf("words %s:%zu", line, start);
	for (size_t i = 0; words[i]; i++)
		printf(" %s", words[i]);
	printf("\n");
	perftool_words_destroy(words);
}

/* Runs the program until it has called work(), so that it handles SIGTERM. */
static void run_until_work(struct perftool_session *session)
{
	const struct perftool_leg *leg;

	free(command(session, "time work"));
	do {
		must(perftool_session_run(session, 20000000));
		must(perftool_session_leg(session, 0, &leg));
	} while (!perftool_leg_count(leg));
}

/* The program runs to its end by a signal: once by detaching, and a second time
 * because the session ends it. */
static void ends(char **program)
{
	struct perftool_session *session;
	char *text = "untouched";
	int status;
	pid_t pid;

	perftool_words_destroy(NULL);
	must(perftool_session_create(&session));
	fails("none", perftool_session_detach(session, &text));
	fails("nothing", perftool_session_end(session, NULL));
	printf("text %s\n", text);
	must(perftool_session_launch(session, program[0], program, NULL));
	print_words(session, "break entry wor@mark");
	print_words(session, "xyzzy ");
	must(perftool_session_set(session, "format", "json"));
	fails("set", perftool_session_set(session, "format", "nonsense"));
	text = command(session, "print legs");
	printf("set %c\n", *text);
	free(text);
	run_until_work(session);
	must(perftool_session_pid(session, &pid));
	must(perftool_session_detach(session, &text));
	printf("detached %s", text);
	free(text);
	fails("again", perftool_session_detach(session, NULL));
	printf("on %d\n", kill(pid, SIGTERM));
	waitpid(pid, &status, 0);
	printf("lived %d\n", WIFEXITED(status) && WEXITSTATUS(status) == 0);
	must(perftool_session_launch(session, program[0], program, NULL));
	must(perftool_session_run(session, 20000000));
	must(perftool_session_end(session, &text));
	must(perftool_session_exit_status(session, &status));
	printf("ended %d\nsaid [%s]\n", status, text);
	free(text);
	perftool_session_destroy(session);
}

/* ---- errors -------------------------------------------------------------- */

static void errors(char **program)
{
	char *none[] = {"/nonexistent/program", NULL};
	struct perftool_session *session;
	const struct perftool_node *node = NULL;
	const struct perftool_leg *leg = NULL;
	struct perftool_error *error;
	char *output = "untouched";
	int status = -7;
	pid_t pid;

	must(perftool_session_create(&session));
	error = perftool_session_launch(session, none[0], none, NULL);
	printf("code %d\n",
	       perftool_error_code(error) == PERFTOOL_ERROR_NO_PROGRAM);
	fails("launch", error);
	fails("run", perftool_session_run(session, -1));
	fails("duration", perftool_session_run(session, -2));
	fails("status", perftool_session_exit_status(session, &status));
	fails("attach", perftool_session_attach(session, 0));
	fails("itself", perftool_session_attach(session, getpid()));
	fails("command",
	      perftool_session_command(session, "tmie work", &output));
	printf("output %s\n", output ? output : "NULL");
	output = "untouched";
	error = perftool_session_operation(
		session, "{\"method\": \"frobnicate\"}", &output);
	printf("operation_code %d\noperation_output %s\n",
	       perftool_error_code(error) == PERFTOOL_ERROR_NOT_FOUND,
	       output ? output : "NULL");
	fails("operation", error);
	fails("leg", perftool_session_leg(session, 9, &leg));
	fails("node", perftool_session_node(session, 1, &node));
	printf("untouched %d\n", !leg && !node && status == -7);
	fails("null session", perftool_session_run(NULL, -1));
	fails("null create", perftool_session_create(NULL));
	fails("null path", perftool_session_launch(session, NULL, NULL, NULL));
	fails("null command", perftool_session_command(session, NULL, NULL));
	output = "untouched";
	fails("no command", perftool_session_command(session, NULL, &output));
	printf("no_command_output %s\n", output ? output : "NULL");
	output = "untouched";
	fails("no session", perftool_session_command(NULL, "help", &output));
	printf("no_session_output %s\n", output ? output : "NULL");
	output = "untouched";
	fails("no operation",
	      perftool_session_operation(session, NULL, &output));
	printf("no_operation_output %s\n", output ? output : "NULL");
	output = "untouched";
	printf("no_line %d ", spy_command(NULL, &output));
	printf("%s\n", output ? output : "NULL");
	fails("null session operation",
	      perftool_session_operation(NULL, "{\"method\":\"ping\"}", NULL));
	fails("null operation",
	      perftool_session_operation(session, NULL, NULL));
	fails("null leg", perftool_session_leg(session, 1, NULL));
	fails("null status", perftool_session_exit_status(session, NULL));
	perftool_error_destroy(NULL);
	perftool_session_destroy(NULL);
	must(perftool_session_launch(session, program[0], program, NULL));
	fails("twice",
	      perftool_session_launch(session, program[0], program, NULL));
	must(perftool_session_pid(session, &pid));
	perftool_session_destroy(session);
	printf("killed %d\n", kill(pid, 0) < 0);
}

/* ---- events -------------------------------------------------------------- */

struct heard {
	struct perftool_session *session;
	int notes, stops, progress, refused;
	char last[200];
};

static void hear(void *context, const struct perftool_event *event)
{
	struct heard *heard = context;
	struct perftool_error *error;

	switch (event->kind) {
	case PERFTOOL_EVENT_NOTE:
		heard->notes++;
		break;
	case PERFTOOL_EVENT_STOP:
		heard->stops++;
		snprintf(heard->last, sizeof(heard->last), "%s", event->text);
		break;
	case PERFTOOL_EVENT_PROGRESS:
		heard->progress++;
		if (event->hits > 1000)
			perftool_session_interrupt(heard->session);
		break;
	case PERFTOOL_EVENT_REPORT:
	case PERFTOOL_EVENT_DUMP:
		break;
	}
	error = perftool_session_run(heard->session, -1);
	heard->refused += error != NULL;
	perftool_error_destroy(error);
}

static void events(char **program)
{
	struct perftool_session *session;
	struct heard heard = {0};
	struct perftool_error *error;

	must(perftool_session_create(&session));
	heard.session = session;
	must(perftool_session_on_event(session, hear, &heard));
	must(perftool_session_launch(session, program[0], program, NULL));
	free(command(session, "time work"));
	error = perftool_session_run(session, -1);
	printf("interrupted %d\n",
	       perftool_error_code(error) == PERFTOOL_ERROR_INTERRUPTED);
	perftool_error_destroy(error);
	printf("progress %d\n", heard.progress > 0);
	printf("refused %d\n",
	       heard.refused == heard.notes + heard.stops + heard.progress);
	free(command(session, "kill"));
	printf("stops %d\nlast %s", heard.stops > 0, heard.last);
	printf("\n");
	perftool_session_destroy(session);
}

/* ---- the surroundings ---------------------------------------------------- */

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
	(void)number;
	alarms++;
}

/* The session leaves the program's own children, signals and handlers alone,
 * and gives the program that it launches the environment that was asked for. */
static void surroundings(char **program)
{
	char *environment[] = {"MARKED_WORD=of-the-caller", NULL};
	struct sigaction before[65], now, own = {.sa_handler = on_alarm};
	struct perftool_session *session;
	int changed = 0, status;
	sigset_t mask, later;
	pid_t child;

	sigaction(SIGALRM, &own, NULL);
	sigaction(SIGTERM, &own, NULL);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int i = 1; i <= 64; i++)
		sigaction(i, NULL, &before[i]);
	child = fork();
	if (child == 0)
		_exit(7);
	must(perftool_session_create(&session));
	must(perftool_session_launch(session, program[0], program,
				     environment));
	free(command(session, "time work"));
	alarm(1);
	must(perftool_session_run(session, -1));
	print_leg(session);
	perftool_session_destroy(session);
	for (int i = 1; i <= 64; i++) {
		/* The C library keeps two signals to itself. */
		if (sigaction(i, NULL, &now) < 0)
			continue;
		if (now.sa_handler != before[i].sa_handler && i != SIGSTKFLT)
			changed = i;
	}
	sigprocmask(SIG_SETMASK, NULL, &later);
	printf("changed %d\nmask %d\n", changed,
	       memcmp(&mask, &later, sizeof(mask)) == 0);
	printf("child %d\n",
	       waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
	while (!alarms)
		pause();
	printf("alarms %d\n", (int)alarms);
}

/* ---- several sessions ---------------------------------------------------- */

static void *measure_once(void *argument)
{
	char **program = argument;
	struct perftool_session *session;
	const struct perftool_leg *leg;

	must(perftool_session_create(&session));
	must(perftool_session_launch(session, program[0], program, NULL));
	free(command(session, "time work"));
	must(perftool_session_run(session, -1));
	must(perftool_session_leg(session, 0, &leg));
	printf("count %lu\n", perftool_leg_count(leg));
	perftool_session_destroy(session);
	return NULL;
}

/* One after another, then two at once. */
static void several(char **program)
{
	pthread_t threads[2];

	for (int i = 0; i < 3; i++)
		measure_once(program);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, measure_once, program);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* Ten threads that ask the same session while its process runs. */
static void *ask(void *argument)
{
	struct perftool_session *session = argument;
	const struct perftool_leg *leg;

	for (int i = 0; i < 20; i++)
		must(perftool_session_leg(session, 0, &leg));
	return NULL;
}

static void together(char **program)
{
	struct perftool_session *session;
	pthread_t threads[10];

	must(perftool_session_create(&session));
	must(perftool_session_attach(session, (pid_t)atoi(program[0])));
	free(command(session, "time work"));
	must(perftool_session_run(session, 0));
	for (int i = 0; i < 10; i++)
		pthread_create(&threads[i], NULL, ask, session);
	for (int i = 0; i < 10; i++)
		pthread_join(threads[i], NULL);
	printf("asked 200\n");
	perftool_session_destroy(session);
}

/* ---- the end of a session that others use -------------------------------- */

struct user {
	struct perftool_session *session;
	sem_t runs;         /* posted when the program runs */
	atomic_int refused; /* calls of close by the handler */
	enum perftool_error_code code;
};

static void close_at_progress(void *context, const struct perftool_event *event)
{
	struct user *user = context;
	struct perftool_error *error;

	if (event->kind != PERFTOOL_EVENT_PROGRESS)
		return;
	perftool_session_destroy(user->session);
	error = perftool_session_close(user->session);
	user->refused += error != NULL;
	perftool_error_destroy(error);
	sem_post(&user->runs);
}

static void *run_to_end(void *argument)
{
	struct user *user = argument;
	struct perftool_error *error = perftool_session_run(user->session, -1);

	user->code = perftool_error_code(error);
	perftool_error_destroy(error);
	return NULL;
}

static void *close_session(void *argument)
{
	must(perftool_session_close(argument));
	return NULL;
}

/* What a child of fork(2) gets, which has no thread of the session. */
static void use_in_child(struct perftool_session *session)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		fails("run in child", perftool_session_run(session, -1));
		fails("close in child", perftool_session_close(session));
		perftool_session_interrupt(session);
		perftool_session_destroy(session);
		_exit(0);
	}
	printf("child %d\n",
	       waitpid(child, &status, 0) == child && status == 0);
}

static void closing(char **program)
{
	struct user user = {0};
	struct perftool_session *session;
	const struct perftool_leg *leg;
	pthread_t threads[4];

	sem_init(&user.runs, 0, 0);
	must(perftool_session_create(&session));
	user.session = session;
	must(perftool_session_on_event(session, close_at_progress, &user));
	must(perftool_session_launch(session, program[0], program, NULL));
	free(command(session, "time work"));
	must(perftool_session_leg(session, 0, &leg));
	pthread_create(&threads[0], NULL, run_to_end, &user);
	sem_wait(&user.runs);
	use_in_child(session);
	for (int i = 1; i < 4; i++)
		pthread_create(&threads[i], NULL, close_session, session);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("interrupted %d\n", user.code == PERFTOOL_ERROR_INTERRUPTED);
	printf("refused %d\n", user.refused > 0);
	must(perftool_session_close(session));
	fails("closed", perftool_session_run(session, -1));
	perftool_session_interrupt(session);
	printf("destroyed %s\n", perftool_leg_name(leg) ? "later" : "");
	perftool_session_destroy(session);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(char **program);
	} tests[] = {{"measure", measure},
		     {"pieces", pieces},
		     {"attach", attach},
		     {"ends", ends},
		     {"errors", errors},
		     {"events", events},
		     {"surroundings", surroundings},
		     {"several", several},
		     {"together", together},
		     {"operations", operations},
		     {"notices", notices},
		     {"closing", closing}};

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		if (argc > 2 && strcmp(argv[1], tests[i].name) == 0) {
			tests[i].run(argv + 2);
			return 0;
		}
	fprintf(stderr, "usage: outside TEST PROGRAM [ARG]...\n");
	return 2;
}
