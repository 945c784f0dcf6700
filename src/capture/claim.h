/* A capture's file from before there is something to write: sx_capture_claim(). */
#ifndef CAPTURE_CLAIM_H
#define CAPTURE_CLAIM_H

#include <sextant/capture.h>

/* 0 and *out, which the caller owns; or the errno of what failed, EBUSY where it is another's. */
int claim_take(const char *path, struct sx_capture_claim **out);
/*
 * The descriptor under which the file is locked, for the caller to close; a regular file is empty
 * from now on. Releases the claim in every case. -1: *failed is the errno.
 */
int claim_hand_over(struct sx_capture_claim *claim, int *failed);
/* Whether the claim had to create the file. */
bool claim_created(const struct sx_capture_claim *claim);
/* Tells that a capture cannot be written because of an errno; what is in it stays readable. */
enum sx_status claim_error(struct sx_error *err, int failed, const char *path);
/* The same of one that nothing could be written into. */
enum sx_status claim_refused(struct sx_error *err, int failed, const char *path);

#endif
