/*
 * signals.c - see signals.h
 *
 * Invariant: a handler does nothing but note the signal. The note is the one
 * mutable global of the program, for a handler can reach nothing else.
 */
#include "signals.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t pending;

static void note(int number)
{
	if (pending == 0 || pending == SIGINT)
		pending = number;
}

static void interrupt_only(int number)
{
	(void)number;
}

static void install(int number, void (*handler)(int number))
{
	struct sigaction action = {0}, before;

	sigemptyset(&action.sa_mask);
	action.sa_handler = handler;
	sigaction(number, NULL, &before);
	/* nohup(1) and shells' background jobs ignore some for a reason */
	if (before.sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

void signals_install(void)
{
	install(SIGINT, note);
	install(SIGTERM, note);
	install(SIGHUP, note);
	install(SIGWINCH, interrupt_only);
	install(SIGCONT, interrupt_only);
}

int signals_peek(void)
{
	return pending;
}

int signals_take(void)
{
	int number = pending;

	if (number)
		pending = 0;
	return number;
}
