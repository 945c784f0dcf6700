/*
 * Two recordings of one stretch of true time, by two simulated machines: make-machines A B. The
 * clock of B runs 200 ppm fast, and its wall clock was 2 s behind until it was set; A slept for 5
 * s. What B counts is a known function of true time. Written to check `capture merge`.
 */
#include <math.h>
#include <stdint.h>

#include <sextant/capture.h>

#define NS	1e9
#define WALL_NS UINT64_C(1700000000000000000)
#define LENGTH	24.0 /* s of true time */
#define SET_AT	4.1
#define SET_BY	2.0
#define SLEEP	9.6 /* begins */
#define WAKE	14.6
#define DRIFT	200e-6

/* CPU time in ns until a true time: its rate goes up and down. */
static double counted(double t)
{
	return NS * (0.5 * t - 0.3 * 7 / 6.2831853 * cos(t * 6.2831853 / 7));
}

static uint64_t clock_a(double t)
{
	double slept = t < SLEEP ? 0 : t < WAKE ? t - SLEEP : WAKE - SLEEP;
	return (uint64_t)((100 + t - slept) * NS);
}

static uint64_t clock_b(double t)
{
	return (uint64_t)((5000 + t * (1 + DRIFT)) * NS);
}

/* A pair is read up to a microsecond late. */
static void pair_a(struct sx_capture_writer *w, double t)
{
	struct sx_capture_clock clocks[] = {
	    {"monotonic", clock_a(t) + 600, 900},
	    {"realtime", WALL_NS + (uint64_t)(t * NS), 0},
	    {"boottime", (uint64_t)((100 + t) * NS), 0},
	};
	sx_capture_clocks(w, SX_CAPTURE_NO_DEVICE, clocks, 3, NULL);
}

static void pair_b(struct sx_capture_writer *w, double t)
{
	double wrong = t < SET_AT ? SET_BY : 0;
	struct sx_capture_clock clocks[] = {
	    {"monotonic", clock_b(t) - 500, 800},
	    {"realtime", WALL_NS + (uint64_t)((t - wrong) * NS), 0},
	    {"boottime", clock_b(t) - 500, 0},
	};
	sx_capture_clocks(w, SX_CAPTURE_NO_DEVICE, clocks, 3, NULL);
}

static void add_row(struct sx_capture_writer *w, uint32_t device, uint64_t begin, uint64_t end,
		    uint64_t value, uint64_t frame)
{
	struct sx_vector v = {SX_U64, &value, NULL};
	struct sx_rows rows = {
	    .count = 1, .begin_ns = &begin, .end_ns = &end, .columns = &v, .column_count = 1};
	if (frame != SX_LABEL_ABSENT)
		rows.labels[SX_LABEL_FRAME] = &frame;
	sx_capture_write(w, device, &rows, NULL);
}

static struct sx_capture_writer *create(const char *path, const char *boot,
					const struct sx_capture_device *device, uint32_t *index)
{
	struct sx_capture_property property = {"boot", boot};
	struct sx_capture_options options = {
	    .created_ns = WALL_NS, .properties = &property, .property_count = 1};
	struct sx_capture_writer *w = NULL;
	if (sx_capture_create(path, &options, &w, NULL) ||
	    sx_capture_add_device(w, device, index, NULL))
		return NULL;
	return w;
}

/* Frames of 50 ms while the machine is awake; their value is the frame's number. */
static int write_a(const char *path)
{
	struct sx_column column = {"FrameTime", "ns", SX_U64, SX_REDUCE_SUM, NULL};
	struct sx_capture_device device = {.catalog = "opengl",
					   .facts.source = "gl",
					   .facts.name = "machine A",
					   .kind = SX_SAMPLE_FRAME,
					   .facts.simulated = true,
					   .columns = &column,
					   .column_count = 1};
	uint32_t index;
	struct sx_capture_writer *w = create(path, "a", &device, &index);
	if (!w)
		return 1;
	pair_a(w, 0);
	for (int i = 0; i < (int)(LENGTH / 0.05); i++) {
		double t = i * 0.05;
		if (t + 0.05 > SLEEP && t < WAKE + 0.05)
			continue;
		add_row(w, index, clock_a(t), clock_a(t + 0.05), clock_a(t + 0.05) - clock_a(t),
			(uint64_t)i);
		if (i % 20 == 19)
			pair_a(w, t + 0.05);
		if (i == (int)(SLEEP / 0.05) - 1) /* the next one is made by the clocks' jump */
			pair_a(w, WAKE + 0.002);
	}
	pair_a(w, LENGTH);
	return sx_capture_finish(w, NULL, NULL) != SX_OK;
}

/* Slices of 20 ms. */
static int write_b(const char *path)
{
	struct sx_column column = {"TaskClock", "ns", SX_U64, SX_REDUCE_SUM, NULL};
	struct sx_capture_device device = {.catalog = "cpu",
					   .facts.source = "cpu",
					   .facts.name = "machine B",
					   .kind = SX_SAMPLE_TIME,
					   .facts.simulated = true,
					   .columns = &column,
					   .column_count = 1};
	uint32_t index;
	struct sx_capture_writer *w = create(path, "b", &device, &index);
	if (!w)
		return 1;
	pair_b(w, 0);
	for (int i = 0; i < (int)(LENGTH / 0.02); i++) {
		double t = i * 0.02;
		add_row(w, index, clock_b(t), clock_b(t + 0.02),
			(uint64_t)(counted(t + 0.02) - counted(t)), SX_LABEL_ABSENT);
		if (i % 50 == 49)
			pair_b(w, t + 0.02);
		if (t <= SET_AT && t + 0.02 > SET_AT)
			pair_b(w, SET_AT + 0.001);
	}
	pair_b(w, LENGTH);
	return sx_capture_finish(w, NULL, NULL) != SX_OK;
}

int main(int argc, char **argv)
{
	return argc == 3 ? write_a(argv[1]) || write_b(argv[2]) : 2;
}
