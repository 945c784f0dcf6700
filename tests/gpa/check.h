/* Checks that clients of GPUPerfAPI share: what fails is printed and counted. */
#ifndef TESTS_GPA_CHECK_H
#define TESTS_GPA_CHECK_H

#include <stdio.h>

/* How a client names a function of the library; one that loads it by hand has its own way. */
#ifndef G
#define G(name) name
#endif

static int failures;

#define CHECK(condition, ...)                                                                      \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			failures++;                                                                \
			printf("FAIL %s:%d: ", __FILE__, __LINE__);                                \
			printf(__VA_ARGS__);                                                       \
			printf("\n");                                                              \
		}                                                                                  \
	} while (0)
#define OK(call)                                                                                   \
	do {                                                                                       \
		GPA_Status status_ = (call);                                                       \
		CHECK(status_ == GPA_STATUS_OK, "%s: %s", #call, G(GPA_GetStatusAsStr)(status_));  \
	} while (0)

#endif
