/*
 * gator's events-Mali-*.xml: names, titles and units of counters. The file does not contain slots.
 */
#include "catalog/import/import.h"
#include "base/error.h"

#include <string.h>

/* One event as a counter; a name of Streamline's kind is made of category and name. */
static void put_event(struct vendor *in, const char *category)
{
	const char *counter = xml_get(&in->xml, "counter"), *name = xml_get(&in->xml, "name");
	const char *units = xml_get(&in->xml, "units"), *text = xml_get(&in->xml, "description");
	const char *factor = xml_get(&in->xml, "multiplier");
	if (!vendor_is_name(counter) || !name) {
		vendor_note(in, "line %u: an event has no counter or no name", xml_line(&in->xml));
		return;
	}
	const char *unit = vendor_unit(units ? units : "");
	if (!unit)
		vendor_note(in, "%s: the unit \"%s\" is not known; taken as a count", counter,
			    units ? units : "");
	if (factor && strcmp(factor, "1") != 0)
		vendor_note(in,
			    "%s: its multiplier %s is not translated: the counter stays as it is",
			    counter, factor);
	vendor_put(in, "  - {name: %s, title: ", counter);
	vendor_put_quoted(in, name, 200);
	vendor_put(in, ", unit: %s, notes: [", unit ? unit : "count");
	vendor_put_quoted(in, category ? category : "no category", 200);
	vendor_put(in, "], description: ");
	vendor_put_quoted(in, text && *text ? text : name, 230);
	vendor_put(in, "}\n");
}

static void gator_xml_put_head(struct vendor *in)
{
	const char *name = in->request->name ? in->request->name : "mali-imported";
	vendor_put(
	    in,
	    "sextant-catalog: 1\nname: %s\ntitle: %s\nvendor: Arm\nkind: gpu\n"
	    "dialect: standard\nnotation: infix\n"
	    "facts: [\"imported from a file of gator\"]\n"
	    "notes: [\"the file has no slots: such counters are read from tables by name\"]\n"
	    "counters:\n",
	    name, name);
}

bool vendor_gator_xml(struct vendor *in)
{
	const char *category = NULL;
	uint32_t events = 0;
	gator_xml_put_head(in);
	for (;;) {
		enum xml_event event = xml_next(&in->xml);
		if (event == XML_FAILED) {
			in->status = in->xml.status;
			return false;
		}
		if (event == XML_END)
			break;
		if (event == XML_CLOSE)
			continue;
		if (strcmp(in->xml.name, "category") == 0)
			category = xml_get(&in->xml, "name");
		if (strcmp(in->xml.name, "event") == 0 && ++events)
			put_event(in, category);
	}
	if (events)
		return true;
	in->status =
	    error_set(in->err, SX_ERR_BAD_INPUT, "%s:1: no counters here", in->request->origin);
	error_because(in->err, "the file has no element called event");
	error_try(in->err, "give one of gator's events-Mali-*.xml");
	return false;
}
