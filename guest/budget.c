/* What samples may cost is counted as they come: a bucket that fills as time goes by. */
#include "guest/budget.h"

#define SAMPLES_KEPT 4096.0 /* after so many, old samples count half */
#define SAMPLES_KNOW 16.0   /* after so many, what they took is known */
#define BESIDE	     1.5    /* the driver keeps times for us as well, which our code does not see */

void budget_start(struct budget *budget, uint32_t overhead_ppm, uint64_t now_ns)
{
	*budget = (struct budget){.overhead_ppm = overhead_ppm,
				  .random = 0x9e3779b9u,
				  .have_ns = BUDGET_SAVED_NS,
				  .cost_ns = BUDGET_FIRST_NS,
				  .asked_ns = now_ns};
}

/* A distance that varies does not fall into step with what the program does every so often. */
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
	/* The question has taken what it seemed to cost; this is what it did. */
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
