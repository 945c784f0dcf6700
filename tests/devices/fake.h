/* What fake devices have in common: how a call fails, is refused, is answered. */
#ifndef DEVICES_FAKE_H
#define DEVICES_FAKE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

/* One more call of a fake; the one that is to fail sets errno. */
#define FAKE_FAILS(fake)                                                                           \
	(++(fake)->calls == (fake)->fail_at && ((void)(errno = (fake)->fail_errno), true))

static inline int fake_refuse(int error)
{
	errno = error;
	return -1;
}

/* The content of a file, as much as there is room for. */
static inline ssize_t fake_give(char *buf, size_t size, const char *text)
{
	int n = snprintf(buf, size, "%s", text);
	return n < 0 || (size_t)n >= size ? (ssize_t)size - 1 : n;
}

static inline int fake_time(struct timespec *out, uint64_t ns)
{
	*out = (struct timespec){.tv_sec = (time_t)(ns / 1000000000),
				 .tv_nsec = (long)(ns % 1000000000)};
	return 0;
}

static inline const char *fake_capabilities(bool capable)
{
	return capable ? "Name:\tx\nCapEff:\t000001ffffffffff\n"
		       : "Name:\tx\nCapEff:\t0000000000000000\n";
}

/* "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", with or without an end. */
static inline bool fake_uuid_is_valid(const char *uuid)
{
	for (int i = 0; i < 36; i++)
		if (i == 8 || i == 13 || i == 18 || i == 23
			? uuid[i] != '-'
			: !uuid[i] || !strchr("0123456789abcdefABCDEF", uuid[i]))
			return false;
	return true;
}

/* Registers that user space may write. */
struct fake_range {
	uint16_t from, to; /* graphics versions, times 100 */
	uint32_t first, last;
};

static inline bool fake_listed(const struct fake_range *ranges, size_t count, uint32_t version,
			       uint32_t address)
{
	for (size_t i = 0; i < count; i++)
		if (version >= ranges[i].from && version <= ranges[i].to &&
		    address >= ranges[i].first && address <= ranges[i].last)
			return true;
	return false;
}

/* What a DRM driver's only card has in sysfs and /dev. */
struct fake_card {
	const char *connector; /* "card0-DP-1" */
	bool is_missing, has_metrics, has_no_node, has_no_render_node;
};

/* 0: one of its nodes may be opened. */
static inline int fake_card_open(const struct fake_card *card, const char *path)
{
	bool render = strcmp(path, "/dev/dri/renderD128") == 0;
	if (!render && strcmp(path, "/dev/dri/card0") != 0)
		return fake_refuse(ENOENT);
	return (render ? card->has_no_render_node : card->has_no_node) ? fake_refuse(EACCES) : 0;
}

static inline int fake_card_list(const struct fake_card *card, const char *path,
				 int (*visit)(void *arg, const char *name), void *arg)
{
	const char *const entries[] = {"card0", card->connector, "renderD128", "version"};
	if (strcmp(path, "/sys/class/drm/card0/metrics") == 0)
		return card->has_metrics ? 0 : fake_refuse(ENOENT);
	if (strcmp(path, "/sys/class/drm/card0/device/drm") == 0) {
		if (!visit(arg, "card0"))
			visit(arg, "renderD128");
		return 0;
	}
	if (strcmp(path, "/sys/class/drm") != 0 || card->is_missing)
		return fake_refuse(ENOENT);
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		if (visit(arg, entries[i]))
			break;
	return 0;
}

#endif
