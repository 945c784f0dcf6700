/* Chooses measured samples by a token bucket; see budget.h. */
#include "guest/budget.h"

#define SAMPLES_KEPT 4096.0 /* after so many, older samples are halved */
#define SAMPLES_KNOW 16.0   /* after so many, the measured cost is used */
#define BESIDE	     1.5    /* factor for the driver's own work, which we cannot time */

void budget_start(struct budget *budget, uint32_t overhead_ppm, uint64_t now_ns)
{
	*budget = (struct budget){.overhead_ppm = overhead_ppm,
				  .random = 0x9e3779b9u,
				  .have_ns = BUDGET_SAVED_NS,
				  .cost_ns = BUDGET_FIRST_NS,
				  .asked_ns = now_ns};
}

/* Random, so that it does not coincide with a period of the program. */
static uint32_t rest(struct budget *budget)
{
	budget->random ^= budget->random << 13;
	budget->random ^= budget->random >> 17;
	budget->random ^= budget->random << 5;
	return BUDGET_REST + budget->random % BUDGET_REST;
}

uint32_t budget_ask(struct budget *budget, uint64_t now_ns)
{
	if (budget->overhead_ppm == 0)
		return 0;
	if (now_ns > budget->asked_ns) {
		budget->have_ns +=
		    (double)(now_ns - budget->asked_ns) * 1e-6 * budget->overhead_ppm;
		budget->asked_ns = now_ns;
	}
	if (budget->have_ns > BUDGET_SAVED_NS)
		budget->have_ns = BUDGET_SAVED_NS;
	if (budget->have_ns < budget->cost_ns)
		return rest(budget);
	budget->have_ns -= budget->cost_ns;
	return 0;
}

void budget_spend(struct budget *budget, uint64_t own_ns, uint32_t samples)
{
	/* budget_ask() has charged the estimated cost; replace it by the real one. */
	budget->have_ns += samples * budget->cost_ns - BESIDE * (double)own_ns;
	budget->own_ns += (double)own_ns;
	budget->samples += samples;
	if (budget->samples >= SAMPLES_KNOW)
		budget->cost_ns = BESIDE * budget->own_ns / budget->samples;
	if (budget->samples >= SAMPLES_KEPT) {
		budget->samples /= 2;
		budget->own_ns /= 2;
	}
}
