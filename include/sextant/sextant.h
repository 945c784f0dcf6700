/* Everything of libsextant. */
#ifndef SEXTANT_SEXTANT_H
#define SEXTANT_SEXTANT_H

#include <sextant/analysis.h>
#include <sextant/capture.h>
#include <sextant/catalog.h>
#include <sextant/context.h>
#include <sextant/expr.h>
#include <sextant/lint.h>
#include <sextant/mali.h>
#include <sextant/metric.h>
#include <sextant/oa.h>
#include <sextant/plan.h>
#include <sextant/sample.h>
#include <sextant/session.h>
#include <sextant/source.h>
#include <sextant/status.h>
#include <sextant/table.h>
#include <sextant/value.h>

#endif
