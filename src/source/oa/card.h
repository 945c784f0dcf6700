/* What the OA sources of all drivers share about cards: finding, describing and asking them. */
#ifndef SOURCE_OA_CARD_H
#define SOURCE_OA_CARD_H

#include <sextant/oa.h>
#include "source/nodes.h"
#include "source/source.h"

#define OA_SET	 "RenderBasic" /* when nobody chose one; every chipset has it */
#define OA_FACTS 3

/* A kernel driver with an OA interface. */
struct oa_driver {
	const char *name;   /* of the driver: ids are "NAME:card0" */
	const char *source; /* the source's name */
	/* NULL when a card can be observed, else why not; *remedy says what to do, *status its
	 * kind. */
	const char *(*obstacle)(const struct sx_sys *sys, const struct drm_node *node,
				enum sx_status *status, const char **remedy);
	/* Whether start() would get a stream, as oa_source_attempt(). */
	enum sx_status (*attempt)(const struct source_host *host, const char *id,
				  struct sx_error *err);
};

/* Where configurations are. */
struct oa_place {
	const struct sx_sys *sys;
	int fd;	       /* of the card */
	uint32_t card; /* the card's number */
};

enum oa_state { OA_IDLE, OA_RUNNING, OA_LOST, OA_STOPPED };

/* The catalog of a card, and how it was found. */
struct oa_catalog {
	char name[SX_OA_CATALOG_NAME_MAX];
	enum sx_oa_match match;
};

/* ioctl, again while a signal interrupts it. */
int oa_ioctl(const struct sx_sys *sys, int fd, unsigned long request, void *arg);

/* As source_ops.probe: each card that the driver has, or that there is none. */
void oa_probe(const struct oa_driver *driver, const struct source_host *host, source_found_fn found,
	      void *user);
/* Finds the card that an id means ("i915:card0", "card0", "renderD128", "i915", the source's). */
bool oa_find(const struct oa_driver *driver, const struct sx_sys *sys, const char *id,
	     struct drm_node *node);
/*
 * Says that the driver refuses a query, which Linux `since` brought. Returns SX_ERR_PERMISSION,
 * SX_ERR_UNSUPPORTED, SX_ERR_DEVICE_LOST, or what the errno is.
 */
enum sx_status oa_query_refused(int why, const char *what, const char *since, struct sx_error *err);
/*
 * Fills in why a call was refused for want of rights, where the rules of the files (`paranoid` by
 * this sysctl) and the capabilities allow it. Returns SX_ERR_PERMISSION.
 */
enum sx_status oa_denied(bool paranoid, const char *sysctl, struct sx_error *err);
/* Says that there is no such card. Returns SX_ERR_NOT_FOUND. */
enum sx_status oa_not_found(const struct oa_driver *driver, const char *id, struct sx_error *err);
/* Finds the catalog of a card; false when there is none of its own. */
bool oa_find_catalog(struct sx_context *catalogs, uint32_t device_id, struct oa_catalog *out);
/*
 * The kernel's id of the configuration under a uuid, 0 when there is none. An id alone proves
 * nothing: the kernel gives that of a removed one to the next that is added.
 */
uint64_t oa_config_find(const struct oa_place *place, const char *uuid);
/* Whether the uuid has no such id any more; false where that cannot be read. */
bool oa_config_gone(const struct oa_place *place, const char *uuid, uint64_t id);
/* Whether the kernel has the folder of a card's metrics. */
bool oa_kernel_has_metrics(const struct sx_sys *sys, uint32_t card);

/* What is programmed, as recordings keep it. */
struct oa_facts {
	struct source_property properties[OA_FACTS];
	char exponent[12];
};
struct oa_stream {
	const char *set, *uuid; /* live as long as the facts */
	enum sx_oa_format format;
	uint32_t exponent;
	uint64_t period_ns;
};
/* Describes a stream; NULL: none runs. */
void oa_describe_stream(struct source_desc *desc, struct oa_facts *facts,
			const struct oa_stream *stream);
/* The head of a raw file: version, device and topology. Returns its size. */
size_t oa_raw_head(const struct sx_oa_device *device, const struct oa_stream *stream, uint8_t *out,
		   size_t cap);
/* Says that the stream of a card ended by itself after so long. Returns SX_ERR_DEVICE_LOST. */
enum sx_status oa_stream_lost(uint32_t card, uint64_t ran_ns, const char *because,
			      struct sx_error *err);
/* Ticks of reports for each one of another clock of the GPU. */
uint64_t oa_ticks_a_count(uint64_t oa_hz, uint64_t other_hz);

#endif
