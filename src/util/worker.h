/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that does one kind of work beside the main one, which prepares more of it meanwhile. */
#pragma once

struct worker;

/* WORK(CONTEXT) is the work. Without a CPU or a thread for it, worker_run() does it itself. */
struct worker *worker_create(void (*work)(void *context), void *context);
/* Waits until none of the work is being done: what it uses may be touched until worker_run(). */
void worker_wait(struct worker *worker);
/* Has the work done once. Nothing is being done yet, see worker_wait(). */
void worker_run(struct worker *worker);
/* Waits as well. NULL is fine. */
void worker_destroy(struct worker *worker);
