/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that does one kind of work beside the main one, which prepares more of it meanwhile. */
#ifndef UTIL_RELAY_H
#define UTIL_RELAY_H

struct relay;

/* WORK(CONTEXT) is the work. Without a CPU or a thread for it, relay_run() does it itself. */
struct relay *relay_create(void (*work)(void *context), void *context);
/* Waits until none of the work is being done: what it uses may be touched until relay_run(). */
void relay_wait(struct relay *relay);
/* Has the work done once. Nothing is being done yet, see relay_wait(). */
void relay_run(struct relay *relay);
/* Waits as well. NULL is fine. */
void relay_destroy(struct relay *relay);

#endif
