/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the frames of a stack in --json output back into slots, with the locations that were
 * resolved.
 */
#pragma once

#include "input/bpftool/json_members.h"
#include "input/lists/slots.h"
#include "util/vec.h"

/* Locations are allocated in the members' arena. */
struct json_frames {
	struct slots slots;
	struct VEC(struct frame) open; /* inlined frames of the current location */
};

void json_frames_deinit(struct json_frames *frames);
/* Reads the array whose first token was TOKEN. Returns false if it is malformed. */
bool json_frames_read(
	struct json_members *members, enum json_token token, struct json_frames *frames);
