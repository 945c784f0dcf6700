/* What tools call columns that we have under another name: whole headers, with their units. */
#include <string.h>
#include <strings.h>

#include "import/read/csv/cell.h"

static const struct {
	const char *theirs, *ours;
} words[] = {
    {"msBetweenPresents", "frame_time (ms)"}, /* of PresentMon: MsBetweenPresents, too */
    /* nvidia-smi --query-gpu=… --format=csv, with or without nounits. */
    {"utilization.gpu [%]", "GpuBusy (%)"},
    {"memory.used [MiB]", "MemoryUsed (MiB)"},
    {"memory.total [MiB]", "MemoryTotal (MiB)"},
    {"power.draw [W]", "GpuPower (W)"},
    {"temperature.gpu", "GpuTemperature"},
    {"clocks.current.graphics [MHz]", "GpuFrequency (MHz)"},
    {"clocks.gr [MHz]", "GpuFrequency (MHz)"},
    {"clocks.current.sm [MHz]", "GpuFrequency (MHz)"},
    {"clocks.sm [MHz]", "GpuFrequency (MHz)"},
    {"clocks.current.memory [MHz]", "MemoryFrequency (MHz)"},
    {"clocks.mem [MHz]", "MemoryFrequency (MHz)"},
    {"fan.speed [%]", "FanSpeed (%)"},
    /* nvidia-smi dmon and pmon, with the units of their second line. */
    {"gpu (Idx)", "device"},
    {"pwr (W)", "GpuPower (W)"},
    {"gtemp (C)", "GpuTemperature (C)"},
    {"sm (%)", "GpuBusy (%)"},
    {"enc (%)", "EncoderBusy (%)"},
    {"dec (%)", "DecoderBusy (%)"},
    {"mclk (MHz)", "MemoryFrequency (MHz)"},
    {"pclk (MHz)", "GpuFrequency (MHz)"},
    {"fb (MB)", "MemoryUsed (MiB)"},
    {"command (name)", "command"},
    /* turbostat */
    {"Busy%", "CpuBusy (%)"},
    {"Bzy_MHz", "CpuFrequency (MHz)"},
    {"PkgTmp", "CpuTemperature (C)"},
    {"PkgWatt", "PackagePower (W)"},
    {"CorWatt", "CpuPower (W)"},
    {"GFXWatt", "GpuPower (W)"},
    {"GFXAMHz", "GpuFrequency (MHz)"},
    {"GFXMHz", "GpuFrequencyRequested (MHz)"},
    {"GFX%rc6", "SleepShare (%)"},
    {"GFX%C0", "GpuBusy (%)"},
};

struct import_cell csv_our_word(struct import_cell head)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (head.size == strlen(words[i].theirs) &&
		    strncasecmp(head.text, words[i].theirs, head.size) == 0)
			return (struct import_cell){words[i].ours, strlen(words[i].ours)};
	return head;
}
