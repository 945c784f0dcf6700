/* The load of programs: what their busiest threads did during each sample. */
#ifndef SOURCE_GUEST_LOAD_H
#define SOURCE_GUEST_LOAD_H

#include "base/sys.h"
#include "wire/channel.h"

struct load_process;

/* Zero-initialise. */
struct load {
	struct load_process **items;
	size_t count, cap;
};

/* This process is measured from now on. false: no memory. */
bool load_meet(struct load *load, const struct sx_sys *sys, pid_t pid);
/* To be called every few milliseconds; reads the threads of each process every 20 ms. */
void load_look(struct load *load);
/*
 * Gives a sample what the busiest threads of its process did in it. Samples overlap where a process
 * has several contexts: what an earlier one was given (is_row: wire_is_row()) is not given again.
 * false: it is not known yet; look again in a few milliseconds.
 */
bool load_fill(struct load *load, struct wire_sample *sample, bool is_row);
void load_finish(struct load *load);

#endif
