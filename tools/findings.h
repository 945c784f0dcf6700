/* Findings as every verb shows them: what advice says of a run or a file. */
#ifndef TOOLS_FINDINGS_H
#define TOOLS_FINDINGS_H

#include <sextant/analysis.h>

#include "tools/cli.h"

/* Verdicts, then advice by rank, each under its heading; nothing when no rule applies. */
void findings_text(const struct cli *cli, const struct sx_catalog *catalog,
		   const struct sx_advice *advice);
/* The elements of an array: one object a rule that applies. */
void findings_json(struct json *json, const struct sx_advice *advice, uint32_t device);

#endif
