/* The verdict of a report, for people and for machines. */
#ifndef OUTPUT_REPORT_VERDICT_H
#define OUTPUT_REPORT_VERDICT_H

#include "analysis/verdict/verdict.h"
#include "output/view.h"
#include "output/write/json.h"

/* Writes the verdict above everything else; nothing where there is none. */
void verdict_text(const struct view *view, const struct verdict *verdict);
/* "verdict", or whose it is where there are several programs. */
void verdict_heading(const struct verdict *verdict, char *buf, size_t size);
/* The key "verdict" and an object, or null. */
void verdict_json(struct json *json, const struct verdict *verdict);
/* "Bound by the GPU (fragment shading)". */
void verdict_title(const struct verdict_part *part, char *buf, size_t size);

#endif
