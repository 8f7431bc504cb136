// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/state.h"

bool record_checkpoint(const struct record_state *state)
{
	perf_events_take(state->events);
	return *state->options->stop || state->recorder.errnum;
}
