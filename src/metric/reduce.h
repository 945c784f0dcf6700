/* Reduced counters of which a table holds the instances apart ("SPI[0].VS_BUSY", "SPI1.VS_BUSY").
 */
#ifndef METRIC_REDUCE_H
#define METRIC_REDUCE_H

#include <sextant/metric.h>

struct reduce_columns {
	uint32_t *columns; /* of the table; owned */
	uint32_t count;
	enum sx_reduce how;
};

/*
 * The columns of instances that make up `input`, when it is a counter that reduces to a sum, mean
 * or maximum; none otherwise. false: out of memory.
 */
bool reduce_find(const struct sx_catalog *catalog, const struct sx_metric_input *input,
		 const struct sx_table *like, struct reduce_columns *out);

/*
 * Reduces every row into a vector of `type`. Values and qualities lie in one allocation, that of
 * vector->data. A row that lacks an instance has no data. false: out of memory.
 */
bool reduce_rows(const struct reduce_columns *from, const struct sx_table *in, enum sx_type type,
		 struct sx_vector *vector);

#endif
