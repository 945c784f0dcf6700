/*
 * This machine, as far as sources need it: the DRM nodes by their kernel driver (numbers of cards,
 * their render nodes, PCI), the kernel's version, this process's privileges, the processor's
 * vendor.
 */
#ifndef SOURCE_NODES_H
#define SOURCE_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sys.h"

#define NODES_NONE UINT32_MAX

struct drm_node {
	char driver[32];	    /* the kernel's */
	char slot[32];		    /* address on the PCI bus, or empty */
	uint32_t card;		    /* of cardN */
	uint32_t render;	    /* of renderDN, or NODES_NONE */
	uint32_t vendor, device_id; /* PCI; 0: not a PCI device */
	uint32_t revision;	    /* PCI */
};

#define NODES_MAX 64

/* The cards of a driver, in order of number. */
struct nodes {
	const struct sx_sys *sys;
	const char *driver;
	uint32_t cards[NODES_MAX];
	size_t count, next;
};
/* Lists the cards of the driver (NULL: of any); the next one, false behind the last. */
struct nodes nodes_list(const struct sx_sys *sys, const char *driver);
bool nodes_next(struct nodes *nodes, struct drm_node *out);
/*
 * The card that `id` means: "PREFIX" the driver's first one, "PREFIX:card0" or "card0" that one,
 * "PREFIX:renderD128" or "renderD128" the one of that render node. False when there is none.
 */
bool nodes_find(const struct sx_sys *sys, const char *driver, const char *prefix, const char *id,
		struct drm_node *out);
/*
 * Opens the render node, else the card: unlike the card, a render node never makes its opener
 * master of the display. *fd is -1 where neither can be opened. Errors: SX_ERR_PERMISSION,
 * SX_ERR_NOT_FOUND, SX_ERR_IO.
 */
enum sx_status nodes_open(const struct sx_sys *sys, const struct drm_node *node, int *fd,
			  struct sx_error *err);
/* The number in a file of /sys/class/drm/cardN/; 0 when there is none. */
uint64_t nodes_card_number(const struct sx_sys *sys, uint32_t card, const char *file);
/* The kernel's version as major * 1000 + minor; 0 when it cannot be read. */
uint32_t nodes_kernel_version(const struct sx_sys *sys);
/* The kernel's name of itself; empty when it cannot be read. */
void nodes_kernel_release(const struct sx_sys *sys, char *out, size_t size);
/* Whether this process has a capability, by its number. */
bool nodes_has_capability(const struct sx_sys *sys, unsigned bit);
/* Whether this process may do what CAP_PERFMON or CAP_SYS_ADMIN allow. */
bool nodes_may_perfmon(const struct sx_sys *sys);

/* Which modules of the kernel would show more, where a machine of their processor lacks them. */

enum modules_cpu { MODULES_OTHER, MODULES_INTEL, MODULES_AMD };

/* The vendor of the processor. A guest's counts as other: its host passes nothing of it on. */
enum modules_cpu modules_cpu(const struct sx_sys *sys);

#endif
