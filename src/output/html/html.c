/*
 * A report as one page that needs nothing else: page.html with its placeholders filled. "{{NAME}}"
 * is an embedded file where the name has a dot, else a part that is written here.
 */
#include <string.h>

#include "base/utf8.h"
#include "catalog/embedded.h"
#include "output/html/html.h"
#include "output/report/report.h"

/* One page while it is written. */
struct page {
	const struct view *view;
	const struct report *report;
	FILE *out;
	struct sx_error *err;
};

/* Text between tags and within quotes. */
static void put_text(FILE *out, const char *text)
{
	static const char special[] = "&<>\"'";
	bool sound = utf8_is_text(text, strlen(text), NULL);
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if ((*p < 0x20 && *p != '\n' && *p != '\t') || (!sound && *p > 0x7e))
			fputs("\xef\xbf\xbd", out);
		else if (strchr(special, *p))
			fprintf(out, "&#%d;", *p);
		else
			fputc(*p, out);
	}
}

static enum sx_status page_title(struct page *p)
{
	const struct report *r = p->report;
	put_text(p->out, r->file ? r->file : "a run");
	if (machine_simulated(r))
		fputs(" (simulated)", p->out);
	return SX_OK;
}

/* A summary for readers without scripts. */
static enum sx_status page_summary(struct page *p)
{
	for (uint32_t d = 0; d < p->report->device_count; d++) {
		const struct report_device *device = &p->report->devices[d];
		fputs("<h2>", p->out);
		put_text(p->out, device->facts.name ? device->facts.name : "");
		fputs(device->facts.simulated ? " (SIMULATED, not a real device)</h2>\n<ul>\n"
					      : "</h2>\n<ul>\n",
		      p->out);
		for (size_t i = 0; i < device->finding_count && device->findings[i].fired; i++) {
			fputs("<li><b>", p->out);
			put_text(p->out, device->findings[i].rule->title);
			fputs("</b>. ", p->out);
			put_text(p->out, device->findings[i].rule->advice);
			fputs("</li>\n", p->out);
		}
		fputs("</ul>\n", p->out);
	}
	return SX_OK;
}

static enum sx_status page_report(struct page *p)
{
	return model_write(p->view, p->report, p->err);
}

static enum sx_status courses_of(struct page *p, const struct report *r, const char *name)
{
	enum sx_status status = SX_OK;
	for (uint32_t d = 0; r && !status && d < r->device_count; d++) {
		if (!r->devices[d].pyramid)
			continue;
		fprintf(p->out, "<script type=\"text/plain\" id=\"%s-%u\">", name, (unsigned)d);
		status = course_write(p->out, &r->devices[d], course_origin(r), p->err);
		fputs("</script>\n", p->out);
	}
	return status;
}

static enum sx_status page_courses(struct page *p)
{
	enum sx_status status = courses_of(p, p->report, "course");
	return status ? status : courses_of(p, p->report->baseline, "baseline");
}

static const struct part {
	const char *name;
	enum sx_status (*write)(struct page *page);
} parts[] = {
    {"title", page_title},
    {"summary", page_summary},
    {"report", page_report},
    {"courses", page_courses},
};

static const struct embedded_file *find_file(const char *name, size_t length)
{
	for (const struct embedded_file *f = embedded_data; f->name; f++)
		if (strlen(f->name) == length && memcmp(f->name, name, length) == 0)
			return f;
	return NULL;
}

static enum sx_status put_part(struct page *p, const char *name, size_t length)
{
	const struct embedded_file *file = find_file(name, length);
	if (file) {
		fwrite(file->begin, 1, (size_t)(file->end - file->begin), p->out);
		return SX_OK;
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strlen(parts[i].name) == length && memcmp(parts[i].name, name, length) == 0)
			return parts[i].write(p);
	return error_set(p->err, SX_ERR_UNSUPPORTED, "the page has no part \"%.*s\"", (int)length,
			 name);
}

static enum sx_status report_write_html(const struct view *view, const struct report *r,
					struct sx_error *err)
{
	struct page page = {.view = view, .report = r, .out = view->out.out, .err = err};
	const struct embedded_file *template = find_file("page.html", strlen("page.html"));
	const char *at = template ? template->begin : "", *open;
	enum sx_status status = SX_OK;
	while (!status && !ferror(page.out) && (open = strstr(at, "{{"))) {
		const char *close = strstr(open, "}}");
		fwrite(at, 1, (size_t)(open - at), page.out);
		status = put_part(&page, open + 2, (size_t)(close - open - 2));
		at = close + 2;
	}
	if (!status)
		fputs(at, page.out);
	return status;
}

const struct report_view view_html = {.write = report_write_html};
