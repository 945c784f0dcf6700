/*
 * The command with a fake kernel for an Intel GPU: the same program with another table of system
 * calls. Calls on the card are answered by the fake of $SEXTANT_FAKE, all others by this machine.
 * For tests only, never installed. SEXTANT_FAKE is the driver, followed by words:
 *
 *   xe device=64a0 version=2000 paranoid=1 capable=0 perf=2 kernel=7.2.0 lose=1@100 gone=1@200
 *
 * where @ gives the time in ms since the stream was opened: it happens after the first read from
 * then on, so that a busy machine has read as much. metrics=0 is a kernel without
 * OA metrics; held=1 says that another process has the stream; removed=N that another process
 * removes the configuration before each of the next N OPENs, and with takeover=1 gets its id;
 * open=, add= and topology= are errnos of those calls. What the kernel holds after each call,
 * configurations and streams, is in the file $SEXTANT_FAKE_STATE, which outlives the command.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>

#define sys_real sys_underneath
#include "base/sys.c"
#undef sys_real

#include "i915_oa.h"
#include "source/i915_oa/uapi.h"
#include "xe_oa.h"

#define TIMER_NS 5000000

const struct sx_sys *sys_real(void);

static struct {
	struct sx_sys sys;
	const struct sx_sys *fake, *under;
	struct fake_xe xe;
	struct fake_i915 i915;
	bool is_xe;
	int state;	  /* file that what the kernel holds is written to; or -1 */
	int card, stream; /* descriptors of this machine that represent the fake's; or -1 */
	uint64_t opened_ns;
	uint32_t lose;
	int gone;
	uint64_t lose_ns, gone_ns; /* since the stream was opened */
} m;

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void disarm(void)
{
	timerfd_settime(m.stream, 0, &(struct itimerspec){{0, 0}, {0, 0}}, NULL);
}

/* The fake's clock is this machine's. */
static void tick(void)
{
	uint64_t now = now_ns(), *fakes = m.is_xe ? &m.xe.now_ns : &m.i915.now_ns;
	*fakes = now > *fakes ? now : *fakes;
}

/* What was due at this time happens. */
static void happen(uint64_t now)
{
	if (m.lose && now >= m.opened_ns + m.lose_ns) {
		m.xe.lose = m.lose;
		m.i915.lose_report = (m.lose & XE_STATUS_REPORT_LOST) != 0;
		m.lose = 0;
	}
	if (m.gone && now >= m.opened_ns + m.gone_ns) {
		m.xe.gone = (enum fake_xe_gone)m.gone;
		m.i915.gone = true;
		if (m.is_xe && m.gone == FAKE_XE_SILENT)
			disarm();
	}
}

static int command_open(void *user, const char *path, int flags)
{
	if (strncmp(path, "/dev/dri/", 9) != 0)
		return m.under->open(user, path, flags);
	tick();
	if (m.fake->open(m.fake->user, path, flags) < 0)
		return -1;
	m.card = open("/dev/null", O_RDWR | O_CLOEXEC);
	return m.card;
}

/* What the kernel holds, for the test to read at any time. */
static void keep_state(void)
{
	char text[64];
	int saved = errno;
	bool streams = m.is_xe ? m.xe.stream : m.i915.stream != 0;
	int size = snprintf(text, sizeof(text), "configurations %u streams %d\n",
			    m.is_xe ? fake_xe_config_count(&m.xe) : fake_i915_config_count(&m.i915),
			    streams);
	if (m.state >= 0 && pwrite(m.state, text, (size_t)size, 0) != size)
		abort();
	errno = saved;
}

static int fake_fd(int fd)
{
	if (fd < 0)
		return -1;
	if (m.is_xe)
		return fd == m.card ? FAKE_XE_CARD_FD : fd == m.stream ? FAKE_XE_STREAM_FD : -1;
	return fd == m.card ? 3 : fd == m.stream ? m.i915.stream : -1;
}

static int command_close(void *user, int fd)
{
	int fake = fake_fd(fd);
	if (fake >= 0) {
		m.fake->close(m.fake->user, fake);
		keep_state();
	}
	if (fd == m.card)
		m.card = -1;
	if (fd == m.stream)
		m.stream = -1;
	return m.under->close(user, fd);
}

static bool opens_stream(unsigned long request, const void *arg)
{
	if (m.is_xe)
		return request == XE_OBSERVATION &&
		       ((const struct xe_observation *)arg)->op == XE_OBSERVE_OPEN;
	return request == I915_PERF_OPEN;
}

static int command_ioctl(void *user, int fd, unsigned long request, void *arg)
{
	const struct itimerspec every = {{0, TIMER_NS}, {0, TIMER_NS}};
	int fake = fake_fd(fd);
	if (fake < 0)
		return m.under->ioctl(user, fd, request, arg);
	tick();
	int result = m.fake->ioctl(m.fake->user, fake, request, arg);
	keep_state();
	if (result < 0 || !opens_stream(request, arg))
		return result;
	m.stream = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	timerfd_settime(m.stream, 0, &every, NULL);
	m.opened_ns = now_ns();
	return m.stream;
}

static ssize_t command_read(void *user, int fd, void *buf, size_t size)
{
	uint64_t looks;
	int fake = fake_fd(fd);
	if (fake < 0)
		return m.under->read(user, fd, buf, size);
	tick();
	if (fd == m.stream && read(fd, &looks, sizeof(looks)) < 0)
		looks = 0; /* it may be read without having been waited for */
	uint64_t now = now_ns();
	ssize_t got = m.fake->read(m.fake->user, fake, buf, size);
	int saved = errno;
	happen(now);
	errno = saved;
	return got;
}

static bool of_fake(const char *path)
{
	static const char *const begins[] = {
	    "/sys/class/drm", "/proc/sys/dev/", "/proc/thread-self/status",
	    "/proc/sys/kernel/osrelease", "/proc/sys/kernel/perf_event_paranoid"};
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (strncmp(path, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

static ssize_t command_read_file(void *user, const char *path, char *buf, size_t size)
{
	return of_fake(path) ? m.fake->read_file(m.fake->user, path, buf, size)
			     : m.under->read_file(user, path, buf, size);
}

static int command_list_dir(void *user, const char *path, int (*visit)(void *arg, const char *name),
			    void *arg)
{
	return of_fake(path) ? m.fake->list_dir(m.fake->user, path, visit, arg)
			     : m.under->list_dir(user, path, visit, arg);
}

static void finish(void)
{
	fake_i915_finish(&m.i915);
}

/* Words that are one field of the machine, of either driver. */
struct field {
	const char *word;
	bool *flags[2];
	int *numbers[2];
};

static bool take_field(const char *word, uint32_t number)
{
	static const struct field fields[] = {
	    {"paranoid", {&m.xe.paranoid, &m.i915.paranoid}, {0}},
	    {"capable", {&m.xe.capable, &m.i915.capable}, {0}},
	    {"metrics", {&m.xe.has_metrics, &m.i915.has_metrics}, {0}},
	    {"takeover", {&m.xe.takes_over, &m.i915.takes_over}, {0}},
	    {"held", {&m.xe.held, &m.i915.held}, {0}},
	    {"perf", {0}, {&m.xe.perf_paranoid, NULL}},
	    {"open", {0}, {&m.xe.open_errno, &m.i915.open_errno}},
	    {"add", {0}, {NULL, &m.i915.add_errno}},
	    {"topology", {0}, {&m.xe.topology_errno, &m.i915.topology_errno}},
	    {"removed", {0}, {&m.xe.vanish, &m.i915.vanish}},
	};
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (strcmp(word, fields[i].word) != 0)
			continue;
		for (int k = 0; k < 2; k++) {
			if (fields[i].flags[k])
				*fields[i].flags[k] = number != 0;
			if (fields[i].numbers[k])
				*fields[i].numbers[k] = (int)number;
		}
		return true;
	}
	return false;
}

/* One word of $SEXTANT_FAKE. */
static bool take_word(char *word)
{
	static char kernel[64];
	char *value = strchr(word, '='), *at = strchr(word, '@');
	if (!value)
		return false;
	*value++ = '\0';
	uint64_t when_ns = at ? strtoull(at + 1, NULL, 10) * 1000000 : 0;
	uint32_t number = (uint32_t)strtoul(value, NULL, strcmp(word, "device") == 0 ? 16 : 10);
	if (strcmp(word, "device") == 0)
		m.xe.device_id = m.i915.device.device_id = number;
	else if (strcmp(word, "version") == 0)
		fake_xe_become(&m.xe, m.xe.device_id, number);
	else if (strcmp(word, "kernel") == 0)
		m.xe.kernel = strncpy(kernel, value, sizeof(kernel) - 1);
	else if (strcmp(word, "lose") == 0)
		m.lose = number, m.lose_ns = when_ns;
	else if (strcmp(word, "gone") == 0)
		m.gone = (int)number, m.gone_ns = when_ns;
	else
		return take_field(word, number);
	return true;
}

static bool begin_machine(char *words)
{
	m.card = m.stream = -1;
	m.under = sys_underneath();
	fake_xe_init(&m.xe);
	fake_i915_init(&m.i915);
	char *word = strtok(words, " ");
	m.is_xe = word && strcmp(word, "xe") == 0;
	if (!word || (!m.is_xe && strcmp(word, "i915") != 0))
		return false;
	while ((word = strtok(NULL, " ")))
		if (!take_word(word))
			return false;
	m.xe.look_ns = m.i915.look_ns = 0;
	m.fake = m.is_xe ? &m.xe.sys : &m.i915.sys;
	m.sys = *m.under;
	m.sys.open = command_open;
	m.sys.close = command_close;
	m.sys.ioctl = command_ioctl;
	m.sys.read = command_read;
	m.sys.read_file = command_read_file;
	m.sys.list_dir = command_list_dir;
	const char *state = getenv("SEXTANT_FAKE_STATE");
	m.state = state ? open(state, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	keep_state();
	atexit(finish);
	return true;
}

const struct sx_sys *sys_real(void)
{
	const char *words = getenv("SEXTANT_FAKE");
	if (m.sys.open)
		return &m.sys;
	char *copy = strdup(words ? words : "i915");
	if (!copy || !begin_machine(copy)) {
		fprintf(stderr, "SEXTANT_FAKE: not understood\n");
		exit(99);
	}
	free(copy);
	return &m.sys;
}
