// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/follow/uevent.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "util/cleanup.h"
#include "util/text.h"

/* the kernel's UEVENT_BUFFER_SIZE is 2048 bytes; group 1 is the kernel's, others are udev's */
enum { MESSAGE_MAX = 8192, KERNEL_GROUP = 1 };

int uevent_open(void)
{
	const struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP};
	auto_fd int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -1;
	return take_fd(fd);
}

/*
 * Messages have the form:
 *
 *	add@/module/nf_tables\0ACTION=add\0DEVPATH=/module/nf_tables\0SUBSYSTEM=module\0SEQNUM=4711\0
 *
 * The first string is sufficient.
 */
const char *uevent_module(const char *message, size_t len)
{
	static const char *const starts[] = {"add@/module/", "remove@/module/"};

	if (!len || !memchr(message, '\0', len))
		return NULL;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		const char *name = message + strlen(starts[i]);

		if (text_starts_with(message, len, starts[i]) && *name && !strchr(name, '/'))
			return name;
	}
	return NULL;
}

/*
 * Returns true unless another process sent the message, which CAP_NET_ADMIN permits; the kernel's
 * own address is 0. Other sockets, as in tests, have no such address.
 */
static bool is_from_kernel(const struct sockaddr_nl *sender, socklen_t len)
{
	return len < sizeof(*sender) || sender->nl_family != AF_NETLINK || !sender->nl_pid;
}

bool uevent_read(int fd, void (*handle)(void *context, const char *module), void *context)
{
	char message[MESSAGE_MAX];

	for (;;) {
		struct sockaddr_nl sender = {};
		socklen_t sender_len = sizeof(sender);
		ssize_t n = recvfrom(fd, message, sizeof(message), MSG_DONTWAIT,
			(struct sockaddr *)&sender, &sender_len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n ? errno : EPIPE;
			return errno == EAGAIN;
		}
		const char *module = uevent_module(message, (size_t)n);
		if (module && is_from_kernel(&sender, sender_len))
			handle(context, module);
	}
}
