/* The fake kernel behind struct sx_sys; its rules are those of the xe driver's observation layer.
 */
#include "xe_oa.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "wire/oa/oa.h"

#define TIMER_NS      UINT64_C(5000000)
#define BUFFER_USUAL  (UINT64_C(16) << 20)
#define EXTENSIONS    16
#define PROPERTY_LAST XE_PROP_WAIT_REPORTS
#define ALL_LOST      15u
#define MEDIA_GT      1
#define COUNTING      UINT64_MAX

static struct fake_card card_of(const struct fake_xe *f)
{
	return (struct fake_card){.connector = "card0-DP-1",
				  .is_missing = f->no_cards,
				  .has_metrics = f->has_metrics,
				  .has_no_node = f->no_card_node,
				  .has_no_render_node = f->no_render_node};
}

static int fake_open(void *user, const char *path, int flags)
{
	struct fake_xe *f = user;
	if (FAKE_FAILS(f))
		return -1;
	if ((flags & O_ACCMODE) != O_RDWR)
		return fake_refuse(EACCES);
	struct fake_card card = card_of(f);
	if (fake_card_open(&card, path))
		return -1;
	if (f->fds[FAKE_XE_CARD_FD])
		abort();
	f->fds[FAKE_XE_CARD_FD] = true;
	f->open_fds++;
	return FAKE_XE_CARD_FD;
}

static int fake_close(void *user, int fd)
{
	struct fake_xe *f = user;
	if (fd < 0 || fd >= FAKE_XE_FDS || !f->fds[fd])
		abort(); /* closed twice, or not ours */
	f->fds[fd] = false;
	f->open_fds--;
	if (fd == FAKE_XE_STREAM_FD)
		f->stream = f->enabled = false;
	return FAKE_FAILS(f) ? -1 : 0;
}

struct format {
	uint32_t word;
	uint16_t from, to, bytes;
};

/* Bytes of a report, 0 for a word that this generation has not. */
static uint32_t format_bytes(const struct fake_xe *f, uint32_t word)
{
	static const struct format formats[] = {
	    {XE_FORMAT(XE_FMT_OAG, 7, 0, 0), 1200, 1254, 64},
	    {XE_FORMAT(XE_FMT_OAG, 0, 0, 0), 1200, 1254, 64},
	    {XE_FORMAT(XE_FMT_OAG, 2, 0, 0), 1200, 1254, 128},
	    {XE_FORMAT(XE_FMT_OAG, 5, 0, 0), 1200, 1999, 256},
	    {XE_FORMAT(XE_FMT_OAR, 5, 0, 0), 1255, 1999, 256},
	    {XE_FORMAT(XE_FMT_OAC, 1, 0, 0), 1255, 1999, 320},
	    {XE_FORMAT(XE_FMT_OAC, 2, 0, 0), 1255, 1999, 192},
	    {XE_FORMAT(XE_FMT_OAM_MPEC, 1, 0, 0), 1270, 9999, 192},
	    {XE_FORMAT(XE_FMT_OAM_MPEC, 2, 0, 0), 1270, 9999, 128},
	    {XE_FORMAT(XE_FMT_PEC, 1, 1, 0), 2000, 9999, 576},
	    {XE_FORMAT(XE_FMT_PEC, 1, 1, 1), 2000, 9999, 640},
	    {XE_FORMAT(XE_FMT_PEC, 1, 0, 0), 2000, 9999, 320},
	    {XE_FORMAT(XE_FMT_PEC, 5, 1, 0), 2000, 9999, 320},
	    {XE_FORMAT(XE_FMT_PEC, 5, 0, 0), 2000, 9999, 192},
	    {XE_FORMAT(XE_FMT_PEC, 6, 1, 0), 2000, 9999, 320},
	    {XE_FORMAT(XE_FMT_PEC, 6, 0, 0), 2000, 9999, 192},
	    {XE_FORMAT(XE_FMT_PEC, 3, 1, 0), 2000, 9999, 320},
	    {XE_FORMAT(XE_FMT_PEC, 4, 1, 0), 2000, 9999, 320}};
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (formats[i].word == word && f->version >= formats[i].from &&
		    f->version <= formats[i].to)
			return formats[i].bytes;
	return 0;
}

static int take_property(struct fake_xe *f, uint32_t id, uint64_t value)
{
	f->properties |= UINT64_C(1) << id;
	switch (id) {
	case XE_PROP_UNIT:
		f->unit = value;
		return value < f->unit_count ? 0 : EINVAL;
	case XE_PROP_SAMPLE:
		f->sample = value != 0;
		return 0;
	case XE_PROP_SET:
		f->set_id = value;
		return 0;
	case XE_PROP_FORMAT:
		f->format = (uint32_t)value;
		f->report_bytes = format_bytes(f, f->format);
		return f->report_bytes ? 0 : EINVAL;
	case XE_PROP_EXPONENT:
		f->exponent = value;
		f->periodic = true;
		return value <= 31 ? 0 : EINVAL;
	case XE_PROP_DISABLED:
		f->disabled_at_open = value != 0;
		return 0;
	case XE_PROP_EXEC_QUEUE:
		return ENOENT; /* no queue exists */
	case XE_PROP_ENGINE_INSTANCE:
	case XE_PROP_SYNCS:
		return 0;
	case XE_PROP_NO_PREEMPT:
		return value ? EINVAL : 0; /* without an exec queue */
	case XE_PROP_SYNC_COUNT:
		return value > 1024 ? EINVAL : 0;
	case XE_PROP_BUFFER_SIZE:
		f->buffer_bytes = value;
		return f->old_caps || value & (value - 1) || value < 128 << 10 || value > 128 << 20
			   ? EINVAL
			   : 0;
	case XE_PROP_WAIT_REPORTS:
		f->wait_reports = value;
		return f->old_caps || !value ? EINVAL : 0;
	default:
		return EINVAL;
	}
}

static int take_chain(struct fake_xe *f, uint64_t address)
{
	for (int number = 0; address; number++) {
		const struct xe_set_property *link = (const void *)(uintptr_t)address;
		if (number >= EXTENSIONS)
			return E2BIG;
		if (link->pad || link->name || link->pad2 || !link->property ||
		    link->property > PROPERTY_LAST)
			return EINVAL;
		int error = take_property(f, link->property, link->value);
		if (error)
			return error;
		address = link->next;
	}
	return 0;
}

static bool fits_unit(const struct fake_xe *f)
{
	uint32_t type = f->format & 0xff;
	if (f->units[f->unit].type == XE_OA_UNIT_OAG)
		return type == XE_FMT_OAG || type == XE_FMT_OAR || type == XE_FMT_OAC ||
		       type == XE_FMT_PEC;
	return type == XE_FMT_OAM || type == XE_FMT_OAM_MPEC;
}

static void enable(struct fake_xe *f)
{
	uint64_t step = UINT64_C(2) << f->exponent;
	f->restarts += f->enabled_ns != 0;
	f->enabled = true;
	f->trampled = f->pollin = false;
	f->status = 0;
	f->enabled_ns = f->looked_ns = f->now_ns;
	f->first_ticks = fake_xe_ticks(f, f->now_ns);
	f->next_ticks = f->periodic ? (f->first_ticks / step + 1) * step : COUNTING;
	f->end_ticks = COUNTING;
}

static int open_stream(struct fake_xe *f, uint64_t chain)
{
	f->unit = f->exponent = f->properties = f->set_id = 0;
	f->buffer_bytes = BUFFER_USUAL;
	f->wait_reports = 1;
	f->format = f->report_bytes = 0;
	f->sample = f->periodic = f->disabled_at_open = false;
	int error = take_chain(f, chain);
	if (error)
		return fake_refuse(error);
	if (f->open_errno)
		return fake_refuse(f->open_errno);
	if (!fake_xe_may_observe(f))
		return fake_refuse(EACCES);
	if (!f->sample || !f->report_bytes || !fits_unit(f) ||
	    f->wait_reports > f->buffer_bytes / f->report_bytes)
		return fake_refuse(EINVAL);
	if (f->stream || f->held)
		return fake_refuse(EBUSY);
	if (fake_xe_find_config(f, f->set_id) && f->vanish && f->vanish--) {
		fake_xe_remove_config(f, f->set_id);
		if (f->takes_over)
			fake_xe_add_foreign(f, "01234567-0123-0123-0123-012345678901", f->set_id);
	}
	const struct fake_xe_config *config = fake_xe_find_config(f, f->set_id);
	if (!config)
		return fake_refuse(EINVAL);
	f->active = *config; /* the stream's own reference: removing it does no harm */
	f->stream = true;
	f->nonblocking = f->cloexec = f->enabled = false;
	f->enabled_ns = 0;
	f->next_ticks = COUNTING;
	f->restarts = 0;
	f->status = f->read_status = 0;
	if (!f->disabled_at_open)
		enable(f);
	f->fds[FAKE_XE_STREAM_FD] = true;
	f->open_fds++;
	return FAKE_XE_STREAM_FD;
}

static int observation(struct fake_xe *f, const struct xe_observation *arg)
{
	if (arg->extensions || arg->type != XE_OBSERVE_OA || !f->has_metrics)
		return fake_refuse(f->has_metrics ? EINVAL : ENODEV);
	switch (arg->op) {
	case XE_OBSERVE_OPEN:
		return open_stream(f, arg->param);
	case XE_OBSERVE_ADD_CONFIG:
		return fake_xe_add_config(f, (const void *)(uintptr_t)arg->param);
	case XE_OBSERVE_REMOVE_CONFIG:
		return fake_xe_remove_config(f, *(const uint64_t *)(uintptr_t)arg->param);
	default:
		return fake_refuse(EINVAL);
	}
}

static int stream_ioctl(struct fake_xe *f, unsigned long request, void *arg)
{
	switch (request) {
	case XE_STREAM_ENABLE:
		if (!f->enabled)
			enable(f);
		return 0;
	case XE_STREAM_DISABLE:
		if (f->enabled)
			f->end_ticks = fake_xe_ticks(f, f->now_ns);
		f->enabled = false;
		return 0;
	case XE_STREAM_STATUS: {
		struct xe_stream_status *status = arg;
		*status = (struct xe_stream_status){.status = f->read_status};
		return 0;
	}
	case XE_STREAM_INFO: {
		struct xe_stream_info *info = arg;
		*info = (struct xe_stream_info){.buffer_bytes = f->buffer_bytes};
		return 0;
	}
	default:
		return fake_refuse(EINVAL);
	}
}

static int fake_ioctl(void *user, int fd, unsigned long request, void *arg)
{
	struct fake_xe *f = user;
	if (FAKE_FAILS(f))
		return -1;
	if (fd < 0 || fd >= FAKE_XE_FDS || !f->fds[fd])
		return fake_refuse(EBADF);
	f->now_ns += 1000;
	if (request == XE_FIONBIO || request == XE_FIOCLEX) {
		f->nonblocking |= request == XE_FIONBIO && fd == FAKE_XE_STREAM_FD && *(int *)arg;
		f->cloexec |= request == XE_FIOCLEX && fd == FAKE_XE_STREAM_FD;
		return 0;
	}
	if (fd == FAKE_XE_STREAM_FD)
		return stream_ioctl(f, request, arg);
	if (f->gone)
		return fake_refuse(ENODEV);
	if (request == XE_DEVICE_QUERY)
		return fake_xe_query(f, arg);
	if (request == XE_OBSERVATION)
		return observation(f, arg);
	return fake_refuse(ENOTTY);
}

/* Reports between what was read and the hardware's tail; more than the buffer holds trample it. */
static uint64_t available(struct fake_xe *f)
{
	uint64_t tail = f->enabled ? fake_xe_ticks(f, f->now_ns) : f->end_ticks;
	uint64_t step = UINT64_C(2) << f->exponent;
	if (!f->enabled_ns || f->next_ticks > tail)
		return 0;
	uint64_t count = (tail - f->next_ticks) / step + 1;
	if (count > f->buffer_bytes / f->report_bytes) {
		f->status |= XE_STATUS_BUFFER_OVERFLOW;
		f->trampled = true;
		count = f->buffer_bytes / f->report_bytes;
		f->next_ticks = tail - tail % step - (count - 1) * step;
	}
	return count;
}

/* The timer's looks up to now; the last of them decides. */
static void look(struct fake_xe *f)
{
	uint64_t looks = (f->now_ns - f->looked_ns) / TIMER_NS;
	if (!f->enabled || !looks)
		return;
	f->looked_ns += looks * TIMER_NS;
	if (f->gone != FAKE_XE_SILENT)
		f->pollin |= available(f) >= f->wait_reports || f->lose || f->gone;
}

static int fake_poll(void *user, struct pollfd *fds, nfds_t count, int timeout_ms)
{
	struct fake_xe *f = user;
	uint64_t wait = (uint64_t)timeout_ms * 1000000, spent = 0;
	if (FAKE_FAILS(f))
		return -1;
	if (count != 1 || fds->fd != FAKE_XE_STREAM_FD || !f->stream)
		return fake_refuse(EBADF);
	fds->revents = 0;
	look(f);
	while (!f->pollin && spent < wait) {
		uint64_t next = f->looked_ns + TIMER_NS - f->now_ns;
		uint64_t nap = !f->enabled || next > wait - spent ? wait - spent : next;
		f->now_ns += nap;
		spent += nap;
		look(f);
	}
	if (!f->pollin)
		return 0;
	fds->revents = POLLIN;
	return 1;
}

/* What the unit's status register says, which a read() clears. */
static uint32_t take_status(struct fake_xe *f)
{
	uint32_t status = f->gone ? ALL_LOST : f->status | f->lose;
	if (f->lose & XE_STATUS_REPORT_LOST)
		f->next_ticks += UINT64_C(2) << f->exponent;
	f->trampled |= (f->lose & XE_STATUS_BUFFER_OVERFLOW) != 0;
	f->status = f->lose = 0;
	return status;
}

static ssize_t fake_read(void *user, int fd, void *buf, size_t size)
{
	struct fake_xe *f = user;
	size_t used = 0;
	if (FAKE_FAILS(f))
		return -1;
	if (fd != FAKE_XE_STREAM_FD || !f->stream)
		return fake_refuse(EBADF);
	if (f->read_errno)
		return fake_refuse(f->read_errno);
	uint64_t left = f->gone ? 0 : available(f);
	if (!f->nonblocking && !left && !f->gone)
		abort(); /* the driver would wait, perhaps for ever */
	f->read_status = take_status(f);
	if (f->read_status)
		return fake_refuse(EIO);
	for (left = available(f); left && size - used >= f->report_bytes; left--) {
		if (f->trampled)
			memset((uint8_t *)buf + used, 0x5a, f->report_bytes);
		else
			fake_xe_report(f, f->next_ticks, (uint8_t *)buf + used);
		f->next_ticks += UINT64_C(2) << f->exponent;
		used += f->report_bytes;
	}
	if (!left)
		f->pollin = false;
	return used ? (ssize_t)used : fake_refuse(left ? ENOSPC : EAGAIN);
}

static int fake_clock(void *user, clockid_t clock, struct timespec *out)
{
	struct fake_xe *f = user;
	if (FAKE_FAILS(f))
		return -1;
	f->now_ns += f->look_ns;
	return fake_time(out, f->now_ns);
}

static ssize_t read_card(const struct fake_xe *f, const char *path, char *buf, size_t size)
{
	char text[96];
	if (strcmp(path, "device/uevent") == 0)
		return fake_give(buf, size, f->other_driver ? "DRIVER=i915\n" : "DRIVER=xe\n");
	if (strcmp(path, "device/vendor") == 0)
		return fake_give(buf, size, "0x8086\n");
	if (strcmp(path, "device/device") == 0) {
		snprintf(text, sizeof(text), "0x%04x\n", f->device_id);
		return fake_give(buf, size, text);
	}
	if (strcmp(path, "device/tile0/gt0/freq0/rpn_freq") == 0)
		return fake_give(buf, size, "400\n");
	if (strcmp(path, "device/tile0/gt0/freq0/rp0_freq") == 0)
		return fake_give(buf, size, "2850\n");
	for (size_t i = 0; i < FAKE_XE_CONFIGS; i++) {
		snprintf(text, sizeof(text), "metrics/%s/id", f->configs[i].uuid);
		if (!f->configs[i].used || strcmp(text, path) != 0)
			continue;
		snprintf(text, sizeof(text), "%llu\n", (unsigned long long)f->configs[i].id);
		return fake_give(buf, size, text);
	}
	return fake_refuse(ENOENT);
}

static ssize_t fake_read_file(void *user, const char *path, char *buf, size_t size)
{
	struct fake_xe *f = user;
	static const char card[] = "/sys/class/drm/card0/";
	char text[32];
	if (FAKE_FAILS(f))
		return -1;
	if (strcmp(path, "/proc/sys/dev/xe/observation_paranoid") == 0)
		return fake_give(buf, size, f->paranoid ? "1\n" : "0\n");
	if (strcmp(path, "/proc/sys/kernel/perf_event_paranoid") == 0) {
		snprintf(text, sizeof(text), "%d\n", f->perf_paranoid);
		return fake_give(buf, size, text);
	}
	if (strcmp(path, "/proc/sys/kernel/osrelease") == 0)
		return fake_give(buf, size, f->kernel);
	if (strcmp(path, "/proc/thread-self/status") == 0)
		return fake_give(buf, size, fake_capabilities(f->capable));
	if (strncmp(path, card, strlen(card)) != 0 || f->no_cards)
		return fake_refuse(ENOENT);
	return read_card(f, path + strlen(card), buf, size);
}

static int fake_list_dir(void *user, const char *path, int (*visit)(void *arg, const char *name),
			 void *arg)
{
	struct fake_xe *f = user;
	struct fake_card card = card_of(f);
	return FAKE_FAILS(f) ? -1 : fake_card_list(&card, path, visit, arg);
}

void fake_xe_become(struct fake_xe *f, uint32_t device_id, uint32_t version)
{
	static const struct xe_engine render = {XE_ENGINE_RENDER, 0, 0, 0},
				      compute = {XE_ENGINE_COMPUTE, 0, 0, 0},
				      decode = {XE_ENGINE_VIDEO_DECODE, 0, MEDIA_GT, 0};
	bool discrete = device_id >> 8 == 0xe2;
	f->device_id = device_id;
	f->version = version;
	f->reference_hz = 19200000;
	f->oa_hz = version >= 1255 && version < 2000 ? 38400000 : 19200000;
	f->eus = version >= 2000 ? 0xff : 0xffff;
	f->cores = version < 1255 ? 0x3f : 0xff;
	f->units[0] = (struct fake_xe_unit){XE_OA_UNIT_OAG, 0, 2, {render, compute}};
	if (version == 1260)
		f->units[0] = (struct fake_xe_unit){XE_OA_UNIT_OAG, 0, 1, {compute}};
	f->unit_count = 1;
	if (version >= 2000) {
		f->units[1] = (struct fake_xe_unit){.type = XE_OA_UNIT_OAM_SAG, .gt_id = MEDIA_GT};
		f->units[2] = (struct fake_xe_unit){XE_OA_UNIT_OAM, MEDIA_GT, 1, {decode}};
		f->units[3] = (struct fake_xe_unit){.type = XE_OA_UNIT_OAM, .gt_id = MEDIA_GT};
		f->unit_count = discrete ? 4 : 3;
	} else if (version >= 1270) {
		f->units[1] = (struct fake_xe_unit){XE_OA_UNIT_OAM, MEDIA_GT, 1, {decode}};
		f->unit_count = 2;
	}
}

void fake_xe_init(struct fake_xe *f)
{
	*f = (struct fake_xe){
	    .now_ns = 1000000000,
	    .look_ns = 100,
	    .kernel = "7.0.5-fake\n",
	    .paranoid = true,
	    .capable = true,
	    .has_metrics = true,
	    .perf_paranoid = 2,
	    .clock_hz = 2400000000,
	    .next_id = 1,
	};
	fake_xe_become(f, 0xe20b, 2000);
	f->sys = (struct sx_sys){.user = f,
				 .open = fake_open,
				 .close = fake_close,
				 .ioctl = fake_ioctl,
				 .read = fake_read,
				 .poll = fake_poll,
				 .clock_gettime = fake_clock,
				 .read_file = fake_read_file,
				 .list_dir = fake_list_dir};
}
