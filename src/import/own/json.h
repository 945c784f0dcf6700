/* What the files that read Sextant's own JSON share; for this folder only. */
#ifndef IMPORT_OWN_JSON_H
#define IMPORT_OWN_JSON_H

#include "base/strings.h"
#include "catalog/units.h"
#include "import/json.h"

struct own_json_value {
	struct import_cell key, cell; /* key: of NDJSON */
	bool text;
};

struct own_json_mark {
	uint64_t first, last; /* rows */
	struct import_cell quality;
};

/* What a line of NDJSON says of its device. */
struct own_json_line {
	struct import_cell catalog, name, id;
};

/* Rows of one device. */
struct own_json_table {
	struct import_cell device; /* as the rows say it; no text: they do not */
	bool device_text;
	bool simulated;
	struct import_cell kind;    /* what rows enclose; empty: unknown */
	struct import_cell catalog; /* empty: unknown */
	struct import_cell name;    /* of the device, likewise */
	struct import_cell id;	    /* its number, where no row says it */
	struct strings names;	    /* of columns and constants, each once */
	struct import_cell *units;  /* by name; empty: none */
	uint32_t *positions;	    /* JSON: names, in the order of a row's values */
	uint32_t *columns;	    /* of the table that is made, by name */
	size_t unit_cap, position_cap, position_count;
	struct import_cell lost, lost_more;
	struct import_cell not_lost; /* a value of them that is neither a count nor a boolean */
	struct own_json_value *whys; /* of columns without a value: name and reason */
	size_t why_cap, why_count;
	struct own_json_value *constants; /* the same in each row */
	size_t constant_cap, constant_count;
	struct own_json_mark *marks;
	size_t mark_cap, mark_count, rows;
};

struct own_json {
	struct import_job *job;
	struct own_json_table tables[IMPORT_DEVICES_MAX];
	size_t table_count, at; /* tables, and the one that is walked over */
	size_t seen;		/* devices of the document so far */
	bool lines, failed, by_device, many;
	bool array;   /* with `lines`: the objects are in an array, as others write them */
	bool filling; /* the second walk, over rows */
	struct units units;
	struct strings columns;	       /* header of the table that is made */
	struct own_json_value *values; /* of the current row */
	size_t value_cap, value_count;
	/* Of a line of NDJSON: what its device is, and units by name. */
	struct own_json_line line;
	struct own_json_value *given;
	size_t given_cap, given_count;
	struct import_cell *row; /* its cells, by column */
	bool *texts;
	struct own_json_mark mark;
	struct import_made made;
};

/* One more device; NULL, and r->many, where there are too many. */
struct own_json_table *own_json_add_table(struct own_json *r, struct import_cell device);
/* The number of a key among the table's names; UINT32_MAX, and r->failed: no memory. */
uint32_t own_json_name(struct own_json *r, struct own_json_table *t, struct import_cell key);
/* The document itself is the first table; each of its devices is one more. */
void own_json_see(void *user, enum read_json_event event, const struct read_json_place *place,
		  struct import_cell value);
/* The same for an object a line. */
void own_json_see_line(void *user, enum read_json_event event, const struct read_json_place *place,
		       struct import_cell value);
/* The header line of the table. */
void own_json_begin(struct own_json *r);
/* Writes the current row as a line below it. */
void own_json_write_row(struct own_json *r, struct own_json_table *t);

#endif
