/* sextant demo: profiles a real OpenGL program on whatever driver and display are here. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output/views.h"
#include "tools/verbs/run.h"

#define XVFB_WAIT_MS 15000

static enum sx_status missing(const char *program, const char *package, struct sx_error *err)
{
	error_set(err, SX_ERR_NOT_FOUND, "%s is not installed", program);
	error_because(err, "no such program in $PATH");
	error_try(err, "sudo apt-get install %s", package);
	return SX_ERR_NOT_FOUND;
}

static void run_xvfb(int report)
{
	char fd[16];
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	snprintf(fd, sizeof(fd), "%d", report);
	fcntl(report, F_SETFD, 0);
	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	setpgid(0, 0); /* Ctrl-C ends the program first, the display after it */
	execlp("Xvfb", "Xvfb", "-displayfd", fd, "-screen", "0", "1280x1024x24", "-nolisten", "tcp",
	       (char *)NULL);
	_exit(127);
}

/* Reads the display's number, which Xvfb writes once it is ready. */
static bool read_number(int fd, char *text, size_t size)
{
	size_t used = 0;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	while (used + 1 < size && poll(&p, 1, XVFB_WAIT_MS) > 0) {
		ssize_t n = read(fd, text + used, size - 1 - used);
		if (n <= 0)
			break;
		used += (size_t)n;
		text[used] = '\0';
		if (strchr(text, '\n')) {
			*strchr(text, '\n') = '\0';
			return text[0] != '\0';
		}
	}
	return false;
}

static void stop_xvfb(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
}

/* Starts a display of our own and points $DISPLAY at it. */
static enum sx_status start_xvfb(pid_t *pid, struct sx_error *err)
{
	int report[2];
	char number[16], display[24];
	if (run_missing("Xvfb"))
		return missing("Xvfb", "xvfb", err);
	if (pipe2(report, O_CLOEXEC) < 0)
		return error_errno(err, errno, "cannot start Xvfb");
	*pid = fork();
	if (*pid == 0)
		run_xvfb(report[1]);
	close(report[1]);
	bool ready = *pid > 0 && read_number(report[0], number, sizeof(number));
	close(report[0]);
	if (!ready) {
		stop_xvfb(*pid);
		*pid = 0;
		error_set(err, SX_ERR_TIMEOUT, "Xvfb did not start");
		error_because(err, "it named no display within 15 s");
		error_try(err, "set DISPLAY to a display that works");
		return SX_ERR_TIMEOUT;
	}
	snprintf(display, sizeof(display), ":%s", number);
	setenv("DISPLAY", display, 1);
	return SX_OK;
}

#define DEVICE_DEMO_NS UINT64_C(5000000000)

/* A device by name needs no program: it is sampled as it is, or as its model is. */
static int run_device(struct cli *cli)
{
	if (!cli->options.duration_ns && !cli->options.count)
		cli->options.duration_ns = DEVICE_DEMO_NS;
	return profile_run(cli, NULL);
}

static int demo_run(struct cli *cli)
{
	static char *const argv[] = {"glmark2",
				     "-s",
				     "640x480",
				     "-b",
				     "build:duration=2.0",
				     "-b",
				     "shading:duration=2.0",
				     "-b",
				     "texture:duration=2.0",
				     NULL};
	struct sx_error err = {0};
	if (cli->options.devices.count)
		return run_device(cli);
	pid_t xvfb = 0;
	const char *display = getenv("DISPLAY");
	enum sx_status status =
	    run_missing(argv[0]) ? missing(argv[0], "glmark2-x11", &err) : SX_OK;
	if (!status && !(display && *display)) {
		status = start_xvfb(&xvfb, &err);
		if (!status)
			cli_note(cli, "no display here: started Xvfb on %s", getenv("DISPLAY"));
	}
	if (status)
		return cli_fail(cli, &err);
	cli_note(cli, "running: sextant stat -- glmark2 -s 640x480 -b build -b shading -b texture");
	int code = profile_run(cli, argv);
	stop_xvfb(xvfb);
	return code;
}

const struct command cmd_demo = {
    .verb = {.name = "demo",
	     .synopsis = "[-d DEVICE] [--json]",
	     .summary = "profiles a real OpenGL program, here and now",
	     .about =
		 "Runs glmark2 for a few seconds on whatever driver and display are here (a "
		 "display of its own where there is none) and prints its profile. With -d it "
		 "profiles that device for 5 s instead; mali-g310 and mali-g625 are there on "
		 "every machine, as models that draw scenes by themselves: simulated, and said "
		 "to be so in every output.",
	     .formats = VIEWS_FORMATS,
	     .options = "for device metric interval duration count output format",
	     .examples = "  sextant demo\n"
			 "  sextant demo -d mali-g625\n"},
    .run = demo_run,
};
