/*
 * A driver with GL_AMD_performance_monitor in front of the real one: a program that is linked with
 * it and exports its symbols gets its eglGetProcAddress. Groups, limits and errors are those of
 * Mesa's radeonsi on GFX7 and GFX8, the window of a shader stage over TA, TD and TCP among them;
 * values come from a model and are kept to 32 bits.
 */
#ifndef TESTS_GPA_FAKE_AMD_H
#define TESTS_GPA_FAKE_AMD_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Switches the driver on as `chip` ("hawaii", "polaris10") with this many instances of TA, TCP
 * and TD, of CB and DB, and of TCC.
 */
void fake_amd_enable(const char *chip, unsigned ta, unsigned rb, unsigned tcc);
/* The same with SPI and TA split by shader engine, as RADEON_PC_SEPARATE_SE does: "SPI1", "TA1_3".
 */
void fake_amd_enable_split(const char *chip, unsigned engines, unsigned ta);
/* A chip of GFX6: Mesa reports its shape (group GPIN) and counts nothing. */
void fake_amd_enable_gfx6(void);
void fake_amd_disable(void);

/*
 * From now on the driver lies or fails, by a word: "small-size", "huge-size", "long-answer",
 * "garbage", "never-ready", "no-begin" (refuses every one), "later" (refuses from the 10th on),
 * "none".
 */
void fake_amd_lie(const char *how);
/* Only one monitor may run at a time, and another driver's groups come first. */
void fake_amd_exclusive(void);
void fake_amd_shuffle(void);

/* What the model gives for a counter of a group: FNV-1a of "GROUP/COUNTER" modulo a million. */
uint32_t fake_amd_value(const char *group, unsigned counter);

/* What has happened since it was enabled. */
struct fake_amd_log {
	unsigned begun;	  /* monitors begun */
	unsigned refused; /* begins that broke a rule */
	unsigned alive;	  /* monitors not deleted */
	unsigned most;	  /* counters in one monitor */
};
struct fake_amd_log fake_amd_report(void);

/* Begins a monitor with the first `counters` counters of two groups, and deletes it. */
void fake_amd_try(const char *a, const char *b, unsigned counters);

#endif
