/*
 * signals.c - see signals.h
 *
 * Invariant: a handler does nothing but note the signal. The notes are the only
 * mutable globals of the program, for a handler can reach nothing else.
 */
#include "signals.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>

static volatile sig_atomic_t pending, resized, continued, suspension, report;

/*
 * Another signal may come between any two instructions, of a handler, too: the
 * note is looked at and changed at once.
 */
static void note(int number)
{
	sig_atomic_t before = 0;

	if (__atomic_compare_exchange_n(&pending, &before, number, false,
					__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return;
	/* what is noted already outweighs this one, unless it is a SIGINT */
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

/* What would end us otherwise, and leave breakpoints behind in what was
 * attached to. Not those that tell of an error of our own; SIGALRM is the tick
 * of target_wait(). */
static const int ends[] = {SIGINT,  SIGTERM, SIGHUP,    SIGQUIT,
			   SIGUSR2, SIGPROF, SIGVTALRM, SIGXCPU,
			   SIGIO,   SIGPWR,  SIGSTKFLT};

/* The write fails, which is reported as any other failure. */
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
	/* nohup(1) and shells' background jobs ignore some for a reason */
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

void signals_install(void)
{
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		install(ends[i], note);
	install(SIGWINCH, note_size);
	install(SIGCONT, note_return);
	install(SIGTSTP, note_suspension);
	/* not ignored, which the program would inherit */
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

/* The signals are blocked from the look at the notes until the wait, so that
 * none comes in between and the wait goes on. */
static void await(int fd, short events, const struct timespec *longest,
		  bool (*is_noted)(void))
{
	struct pollfd ready = {.fd = fd, .events = events};
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	if (!is_noted())
		ppoll(&ready, 1, longest, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void signals_await(int fd, short events)
{
	await(fd, events, NULL, is_any_noted);
}

void signals_await_report(int fd, short events)
{
	await(fd, events, NULL, is_any_or_report_noted);
}

void signals_await_room(int fd, int milliseconds)
{
	struct timespec longest = {milliseconds / 1000,
				   milliseconds % 1000 * 1000000};

	await(fd, POLLOUT, milliseconds < 0 ? NULL : &longest, is_pending);
}

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

/* By the signal itself: the kernel does not stop an orphaned process group,
 * which no shell could continue. */
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
	/* what came meanwhile was not heard */
	while (!on && sigtimedwait(&set, NULL, &now) > 0)
		;
	sigprocmask(on ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}
