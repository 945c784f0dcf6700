/* The list of GPUPerfAPIFunctions.h under the name that the guide gives it; nothing without its
 * macro. */
#include "GPUPerfAPIFunctions.h"
