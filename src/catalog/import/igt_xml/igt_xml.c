/* IGT's and Mesa's oa-*.xml: metric sets, their equations and register programs. */
#include "base/error.h"
#include "catalog/import/igt_xml/igt.h"

#include <stdlib.h>

static bool has_sets(struct igt *g)
{
	for (size_t i = 0; i < g->set_count; i++)
		if (g->sets[i].symbol)
			return true;
	g->in->status = error_set(g->in->err, SX_ERR_BAD_INPUT, "%s:1: no metric sets here",
				  g->in->request->origin);
	error_because(g->in->err, g->set_count ? "no set of the file has a symbol_name"
					       : "the file has no element called set");
	error_try(g->in->err, "give one of IGT's or Mesa's oa-*.xml");
	return false;
}

bool vendor_igt_xml(struct vendor *in)
{
	struct igt g = {.in = in};
	bool good = igt_read(&g) && has_sets(&g) && igt_drop_dependents(&g) && igt_write(&g);
	for (size_t i = 0; i < g.program_count; i++)
		free(g.programs[i].writes.data);
	for (size_t i = 0; i < g.metric_count; i++)
		free(g.metrics[i].sets);
	free(g.lost);
	free(g.programs);
	free(g.metrics);
	free(g.sets);
	return good;
}
