// SPDX-License-Identifier: GPL-2.0-or-later
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "util/stop.h"

/*
 * GRACE_US after SIGTERM resolving is cut short. The program ends when it has computed for CPU_US
 * since, or waited for LAST_US: on a busy host the sums are still printed.
 */
enum { GRACE_US = 400000, CPU_US = 400000, LAST_US = 4000000 };

static volatile sig_atomic_t caught; /* last signal; 0: none */
static volatile sig_atomic_t resolving, left_out;

static void end_by(int number)
{
	signal(number, SIG_DFL);
	raise(number);
}

static void set_timer(int clock, long us)
{
	const struct itimerval timer = {.it_value = {us / 1000000, us % 1000000}};

	setitimer(clock, &timer, NULL);
}

static void leave_out(void)
{
	stop_ask();
	set_timer(ITIMER_PROF, CPU_US);
	set_timer(ITIMER_REAL, LAST_US);
}

/*
 * Ends the input at the first signal, resolving at the second, the program at the third. A SIGTERM
 * after the first signal ends the program.
 */
static void end_input(int number)
{
	int errnum = errno, null = caught ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (stop_asked() || (caught && number == SIGTERM))
		end_by(number);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	if (caught)
		leave_out();
	else if (number == SIGTERM)
		set_timer(ITIMER_REAL, GRACE_US);
	caught = number;
	errno = errnum;
}

static void end_resolving(int number)
{
	(void)number;
	if (stop_asked() && resolving)
		end_by(caught);
	leave_out();
}

void ending_catch(void)
{
	/* without SA_RESTART: it interrupts what waits for input */
	const struct sigaction ends = {.sa_handler = end_input};

	signal(SIGALRM, end_resolving);
	signal(SIGPROF, end_resolving);
	sigaction(SIGINT, &ends, NULL);
	sigaction(SIGTERM, &ends, NULL);
}

void ending_resolves(bool resolves)
{
	resolving = resolves;
	left_out = left_out || (!resolves && stop_asked());
}

int ending_status(int status)
{
	if (caught == SIGTERM || (caught && left_out))
		end_by(caught);
	return status;
}
