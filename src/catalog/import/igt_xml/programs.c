/* Register programs of metric sets. */
#include "catalog/import/igt_xml/igt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool igt_begin_program(struct igt *g)
{
	const char *type = igt_get(g, "type"), *when = igt_get(g, "availability"),
		   *priority = igt_get(g, "priority");
	struct igt_program p = {.set = (uint32_t)g->set_count - 1,
				.priority = priority ? strtol(priority, NULL, 10) : 0};
	p.kind = !type			     ? NULL
		 : strcmp(type, "NOA") == 0  ? "mux"
		 : strcmp(type, "OA") == 0   ? "boolean"
		 : strcmp(type, "FLEX") == 0 ? "flex"
					     : NULL;
	g->in_program = false;
	if (!g->set_count || !g->sets[p.set].symbol)
		return true;
	if (!p.kind) {
		vendor_note(g->in, "%s: registers of type \"%s\" are left out",
			    g->sets[p.set].symbol, type ? type : "");
		return true;
	}
	p.when = igt_formula(g, "registers", "condition", when);
	if (when && !p.when)
		return g->in->status == SX_OK;
	if (!mem_grow(&g->programs, &g->program_cap, g->program_count + 1, sizeof(p)))
		return vendor_no_memory(g->in);
	g->programs[g->program_count++] = p;
	g->in_program = true;
	return true;
}

static bool is_hex(const char *text, unsigned long *out)
{
	char *end = NULL;
	if (!text || strncmp(text, "0x", 2) != 0 || strlen(text) > 10)
		return false;
	*out = strtoul(text + 2, &end, 16);
	return end != text + 2 && !*end;
}

bool igt_add_write(struct igt *g)
{
	unsigned long address, value;
	if (!g->in_program)
		return true;
	struct igt_program *p = &g->programs[g->program_count - 1];
	if (!is_hex(igt_get(g, "address"), &address) || !is_hex(igt_get(g, "value"), &value)) {
		vendor_note(g->in, "%s: line %u: a register has no address or no value",
			    g->sets[p->set].symbol, xml_line(&g->in->xml));
		return true;
	}
	vendor_text_put(&p->writes, "%s%lX:%08lX", p->writes.size ? " " : "", address, value);
	return p->writes.failed ? vendor_no_memory(g->in) : true;
}
