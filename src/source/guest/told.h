/* What a run says at its end of what its samples do not show. */
#ifndef SOURCE_GUEST_TOLD_H
#define SOURCE_GUEST_TOLD_H

#include "source/guest/inject.h"

/*
 * Once, when the last sample is there: writes the source's note, and how many samples were lost
 * behind the last. false: there is nothing to tell, or it was told.
 */
bool told_write(struct inject_source *in);

#endif
