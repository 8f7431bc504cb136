// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/fetch/interrupt.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include "util/cleanup.h"

void interrupt_init(struct interrupt *interrupt)
{
	*interrupt = (struct interrupt){.fd = -1};
}

static bool is_ignored(void)
{
	struct sigaction action;

	return !sigaction(SIGINT, NULL, &action) && action.sa_handler == SIG_IGN;
}

void interrupt_catch(struct interrupt *interrupt)
{
	sigset_t mask;

	if (interrupt->fd >= 0 || interrupt->seen || is_ignored())
		return;
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	interrupt->fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (interrupt->fd >= 0)
		sigprocmask(SIG_BLOCK, &mask, &interrupt->mask);
}

void interrupt_release(struct interrupt *interrupt)
{
	if (interrupt->fd < 0)
		return;
	sigprocmask(SIG_SETMASK, &interrupt->mask, NULL);
	close(take_fd(interrupt->fd));
}

bool interrupt_seen(struct interrupt *interrupt)
{
	struct signalfd_siginfo info;

	if (interrupt->fd < 0 || read(interrupt->fd, &info, sizeof(info)) != sizeof(info))
		return false;
	signal(SIGINT, SIG_DFL);
	interrupt->seen = true;
	interrupt_release(interrupt);
	return true;
}
