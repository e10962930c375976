/*
 * signals.c - notes the signals that reach the tool, and waits until a signal
 * has come
 *
 * Invariant: a handler does nothing but note the signal. The notes are the only
 * mutable global variables of the tool, because a handler can reach nothing
 * else.
 */
#include "signals.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>

static volatile sig_atomic_t pending, resized, continued, suspension, report;

/*
 * Handler of the signals that interrupt or end the tool. Another signal may
 * come between any two instructions, also while a handler runs. So the handler
 * compares and changes the note, in which the signal is stored, in one atomic
 * operation.
 */
static void note(int number)
{
	sig_atomic_t before = 0;

	if (__atomic_compare_exchange_n(&pending, &before, number, false,
					__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return;
	/* A signal that is noted already has precedence over this one, unless
	 * the noted signal is SIGINT. */
	before = SIGINT;
	__atomic_compare_exchange_n(&pending, &before, number, false,
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static void note_size(int number)
{
	(void)number;
	resized = 1;
}

static void note_return(int number)
{
	(void)number;
	continued = 1;
}

static void note_suspension(int number)
{
	(void)number;
	suspension = 1;
}

static void note_report(int number)
{
	(void)number;
	report = 1;
}

/* The signals that would otherwise end the tool and leave breakpoints behind in
 * an attached process. Signals of errors of the tool itself (for example
 * SIGSEGV) are not in the list. Neither is SIGALRM, which is the tick of
 * target_wait(). */
static const int ends[] = {SIGINT,  SIGTERM, SIGHUP,    SIGQUIT,
			   SIGUSR2, SIGPROF, SIGVTALRM, SIGXCPU,
			   SIGIO,   SIGPWR,  SIGSTKFLT};

/* Handler of SIGPIPE and SIGXFSZ. The write fails, and the tool reports this as
 * it reports any other failure. */
static void pass(int number)
{
	(void)number;
}

static void install_as(int number, void (*handler)(int number), int flags)
{
	struct sigaction action = {.sa_flags = flags}, before;

	sigemptyset(&action.sa_mask);
	action.sa_handler = handler;
	sigaction(number, NULL, &before);
	/* nohup(1) makes its command ignore some signals for a reason, and so
	 * do shells for their background jobs. The tool leaves these signals
	 * ignored. */
	if (before.sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

static void install(int number, void (*handler)(int number))
{
	install_as(number, handler, 0);
}

void signals_install_report(void)
{
	install_as(SIGUSR1, note_report, SA_RESTART);
}

void signals_install_ends(void)
{
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		install(ends[i], note);
}

void signals_release_ends(void)
{
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		install(ends[i], SIG_DFL);
}

void signals_install(void)
{
	signals_install_ends();
	install(SIGWINCH, note_size);
	install(SIGCONT, note_return);
	install(SIGTSTP, note_suspension);
	/* The tool installs handlers for these two signals and does not ignore
	 * them, because a launched program would inherit an ignored signal. */
	install(SIGPIPE, pass);
	install(SIGXFSZ, pass);
}

void signals_hold_ticks(bool on)
{
	sigset_t ticks;

	sigemptyset(&ticks);
	sigaddset(&ticks, SIGALRM);
	sigprocmask(on ? SIG_BLOCK : SIG_UNBLOCK, &ticks, NULL);
}

void signals_die(int number)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	struct rlimit none = {0};
	sigset_t set;

	if (number == 0 || number == SIGINT || number == SIGTERM ||
	    number == SIGHUP)
		return;
	setrlimit(RLIMIT_CORE, &none);
	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
}

int signals_peek(void)
{
	return __atomic_load_n(&pending, __ATOMIC_SEQ_CST);
}

int signals_take(void)
{
	return pending ? __atomic_exchange_n(&pending, 0, __ATOMIC_SEQ_CST) : 0;
}

static bool is_any_noted(void)
{
	return pending || resized || continued || suspension;
}

static bool is_any_or_report_noted(void)
{
	return is_any_noted() || report;
}

static bool is_pending(void)
{
	return pending;
}

/* Waits for events of `count` files, unless `is_noted` returns true. The
 * signals are blocked from the look at the notes until ppoll(2) waits, and
 * ppoll(2) unblocks them. Otherwise a signal that came between the look and the
 * wait would not end the wait. */
static void await_all(struct pollfd *files, nfds_t count,
		      const struct timespec *longest, bool (*is_noted)(void))
{
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	if (!is_noted())
		ppoll(files, count, longest, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void await(int fd, short events, const struct timespec *longest,
		  bool (*is_noted)(void))
{
	struct pollfd file = {.fd = fd, .events = events};

	await_all(&file, 1, longest, is_noted);
}

void signals_await(int fd, short events)
{
	await(fd, events, NULL, is_any_noted);
}

void signals_await_report(int fd, short events)
{
	await(fd, events, NULL, is_any_or_report_noted);
}

void signals_await_input(int fd, int other)
{
	struct pollfd files[] = {{.fd = fd, .events = POLLIN},
				 {.fd = other, .events = POLLIN}};

	await_all(files, 2, NULL, is_any_or_report_noted);
}

void signals_await_data(int fd)
{
	await(fd, POLLIN, NULL, is_pending);
}

void signals_await_room(int fd, int milliseconds)
{
	struct timespec longest = {milliseconds / 1000,
				   milliseconds % 1000 * 1000000};

	await(fd, POLLOUT, milliseconds < 0 ? NULL : &longest, is_pending);
}

/* Returns whether the signal is noted, and clears the note. */
static bool take(volatile sig_atomic_t *note)
{
	bool was = *note != 0;

	if (was)
		*note = 0;
	return was;
}

bool signals_take_resized(void)
{
	return take(&resized);
}

bool signals_take_continued(void)
{
	return take(&continued);
}

bool signals_peek_redraw(void)
{
	return resized || continued;
}

bool signals_take_report(void)
{
	return take(&report);
}

bool signals_peek_report(void)
{
	return report != 0;
}

bool signals_take_suspend(void)
{
	return take(&suspension);
}

bool signals_peek_suspend(void)
{
	return suspension != 0;
}

/* Stops the tool by SIGTSTP itself, with the default action, and not by
 * SIGSTOP. For SIGTSTP the kernel does not stop a process of an orphaned
 * process group, which no shell could continue. */
void signals_suspend(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL}, before;

	sigemptyset(&action.sa_mask);
	sigaction(SIGTSTP, &action, &before);
	raise(SIGTSTP);
	sigaction(SIGTSTP, &before, NULL);
}

void signals_hold(bool on)
{
	const struct timespec now = {0};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTTIN);
	sigaddset(&set, SIGTTOU);
	/* The function throws away the signals that came while they were
	 * blocked; otherwise they would stop the tool now. */
	while (!on && sigtimedwait(&set, NULL, &now) > 0)
		;
	sigprocmask(on ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}
