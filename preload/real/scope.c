/* ELF tables of loaded objects. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/real/real.h"

/* Not strcmp(): a sanitizer's runtime calls our dlsym() before its own strcmp() is usable. */
static bool scope_same(const char *a, const char *b)
{
	while (*a != '\0' && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* The file's name without its folders; "" for NULL. */
static const char *file_of(const char *path)
{
	const char *last = path ? path : "";
	for (const char *c = last; *c != '\0'; c++) {
		if (*c == '/')
			last = c + 1;
	}
	return last;
}

/* Symbol tables of an object. */
struct tables {
	ElfW(Addr) base;
	const ElfW(Sym) * symbols;
	const char *strings;
	const uint32_t *gnu_hash;
	const ElfW(Word) * hash;
};

/* glibc has relocated these addresses, other C libraries have not. */
static const void *table_at(ElfW(Addr) base, ElfW(Addr) value)
{
	return (const void *)(value < base ? base + value : value);
}

static bool read_tables(ElfW(Addr) base, const ElfW(Dyn) * entry, struct tables *out)
{
	*out = (struct tables){.base = base};
	for (; entry && entry->d_tag != DT_NULL; entry++) {
		const void *at = table_at(out->base, entry->d_un.d_ptr);
		if (entry->d_tag == DT_SYMTAB)
			out->symbols = at;
		else if (entry->d_tag == DT_STRTAB)
			out->strings = at;
		else if (entry->d_tag == DT_GNU_HASH)
			out->gnu_hash = at;
		else if (entry->d_tag == DT_HASH)
			out->hash = at;
	}
	return out->symbols && out->strings;
}

/* The address of a defined function of this name, or NULL. */
static void *function_at(const struct tables *t, uint32_t index, const char *name)
{
	const ElfW(Sym) *symbol = &t->symbols[index];

	if (symbol->st_shndx == SHN_UNDEF || (symbol->st_info & 0xf) != STT_FUNC ||
	    !scope_same(t->strings + symbol->st_name, name))
		return NULL;
	return (void *)(t->base + symbol->st_value);
}

static void *find_by_gnu_hash(const struct tables *t, const char *name)
{
	uint32_t buckets = t->gnu_hash[0], first = t->gnu_hash[1], words = t->gnu_hash[2];
	const uint32_t *bucket = t->gnu_hash + 4 + words * (sizeof(ElfW(Addr)) / 4);
	const uint32_t *chain = bucket + buckets;
	uint32_t hash = 5381;
	for (const char *c = name; *c != '\0'; c++)
		hash = hash * 33 + (uint8_t)*c;
	for (uint32_t i = buckets != 0 ? bucket[hash % buckets] : 0; i >= first && i != 0; i++) {
		void *found = (chain[i - first] ^ hash) < 2 ? function_at(t, i, name) : NULL;
		if (found)
			return found;
		if ((chain[i - first] & 1) != 0)
			break;
	}
	return NULL;
}

static void *find_by_tables(ElfW(Addr) base, const ElfW(Dyn) * dynamic, const char *name)
{
	struct tables t;
	void *found = NULL;
	if (!read_tables(base, dynamic, &t))
		return NULL;
	if (t.gnu_hash)
		return find_by_gnu_hash(&t, name);
	for (uint32_t i = 1; t.hash && i < t.hash[1] && !found; i++)
		found = function_at(&t, i, name);
	return found;
}

static void *scope_find_in(const struct dl_phdr_info *object, const char *name)
{
	const ElfW(Dyn) *dynamic = NULL;

	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
	}
	return find_by_tables(object->dlpi_addr, dynamic, name);
}

static bool lies_in(const struct dl_phdr_info *object, const void *address)
{
	ElfW(Addr) at = (ElfW(Addr))address;

	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		ElfW(Addr) begin = object->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_LOAD && at >= begin && at - begin < part->p_memsz)
			return true;
	}
	return false;
}

/* A search for objects by file name. */
struct search {
	const char *const *files; /* NULL-terminated, in order of preference */
	const char *name;
	void *found;
	size_t rank; /* index of the file that it was found in */
};

static int search_object(struct dl_phdr_info *object, size_t size, void *arg)
{
	struct search *search = arg;
	const char *file = file_of(object->dlpi_name);
	for (size_t i = 0; search->files[i] && i < search->rank; i++) {
		if (!scope_same(file, search->files[i]))
			continue;
		void *found = scope_find_in(object, search->name);
		if (found) {
			search->found = found;
			search->rank = i;
		}
	}
	return 0;
}

static void *search_files(const char *const *files, const char *name)
{
	struct search search = {files, name, NULL, SIZE_MAX};
	dl_iterate_phdr(search_object, &search);
	return search.found;
}

/*
 * Reads the linker's list instead of dl_iterate_phdr(), because a sanitizer's runtime may not be
 * ready for that at the first look-up, before main().
 */
void *scope_libc(const char *name)
{
	void *found = NULL;
	for (const struct link_map *m = _r_debug.r_map; m && !found; m = m->l_next) {
		const char *file = file_of(m->l_name);
		if (scope_same(file, "libc.so.6") || scope_same(file, "libdl.so.2"))
			found = find_by_tables(m->l_addr, m->l_ld, name);
	}
	return found;
}

/* The linker's functions, which other libraries may hook. */
struct linker {
	void *(*open)(const char *, int);
	void *(*look)(void *, const char *);
	int (*close)(void *);
};

static const struct linker *real_linker(void)
{
	static struct linker linker; /* fields are atomic; all threads write the same values */
	if (!__atomic_load_n(&linker.close, __ATOMIC_ACQUIRE)) {
		__atomic_store_n((void **)&linker.open, scope_libc("dlopen"), __ATOMIC_RELEASE);
		__atomic_store_n((void **)&linker.look, scope_libc("dlsym"), __ATOMIC_RELEASE);
		__atomic_store_n((void **)&linker.close, scope_libc("dlclose"), __ATOMIC_RELEASE);
	}
	return linker.open && linker.look && linker.close ? &linker : NULL;
}

void *scope_driver(const char *name)
{
	static const char *const files[] = {"libGL.so.1",
					    "libGLX.so.0",
					    "libOpenGL.so.0",
					    "libEGL.so.1",
					    "libGLESv2.so.2",
					    "libGLESv1_CM.so.1",
					    "libX11.so.6",
					    "libX11-xcb.so.1",
					    "libxcb-glx.so.0",
					    "libxcb.so.1",
					    NULL};

	return search_files(files, name);
}

void *scope_of_caller(const void *caller, const char *name)
{
	const struct linker *linker = real_linker();
	void *found = NULL;
	Dl_info info;
	if (!linker || dladdr(caller, &info) == 0 || !info.dli_fname)
		return NULL;
	void *module = linker->open(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (module) {
		found = linker->look(module, name);
		linker->close(module); /* the program may unload it */
	}
	if (!found)
		dlerror(); /* the program must not get our error */
	return found;
}

/* Compares the load order of the objects at two addresses. */
struct order {
	const void *ours, *theirs;
	const char *name; /* that the second one must export, or NULL */
	bool ours_passed, behind;
};

static int compare_order(struct dl_phdr_info *object, size_t size, void *arg)
{
	struct order *order = arg;
	if (lies_in(object, order->ours)) {
		order->ours_passed = true;
	} else if (lies_in(object, order->theirs)) {
		order->behind =
		    order->ours_passed && (!order->name || scope_find_in(object, order->name));
		return 1;
	}
	return 0;
}

bool scope_hooks_behind(const void *caller, const char *name)
{
	static const char here;
	struct order order = {&here, caller, name, false, false};
	dl_iterate_phdr(compare_order, &order);
	return order.behind;
}

bool scope_is_behind(const void *address)
{
	return scope_hooks_behind(address, NULL);
}

void scope_pin(const void *address)
{
	const struct linker *linker = real_linker();
	Dl_info info;
	if (linker && dladdr(address, &info) != 0 && info.dli_fname &&
	    !linker->open(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE))
		dlerror();
}
