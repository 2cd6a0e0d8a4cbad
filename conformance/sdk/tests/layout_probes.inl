// The probes themselves. Included by one file per build mode, which defines LAYOUT_FUNCTION.
//
// A bit-field has no address, so its place is found by setting it to all ones in an object of
// zeros.
#include "d3dkmddi.h"
#include "dispmprt.h"
#include "layout_probe.h"

#ifdef __cplusplus
#define PROBE_ONES(object, member) static_cast<decltype((object).member)>(ones)
#else
#define PROBE_ONES(object, member) ones
#endif

static void find_bits(const unsigned char* bytes, unsigned long long size, long long* first,
                      long long* width) {
  *first = -1;
  *width = 0;
  for (unsigned long long bit = 0; bit < size * 8; ++bit) {
    if (!(bytes[bit / 8] >> (bit % 8) & 1)) continue;
    if (*first < 0) *first = (long long)bit;
    ++*width;
  }
}

// One small function per row would cost time to compile; one big one costs stack for every object.
// A static buffer that all bit-field objects share costs neither.
static union {
  unsigned char bytes[65536];
  unsigned long long alignment;
} scratch;

static void add(struct LayoutProbe* probes, unsigned capacity, unsigned* count, const char* type,
                const char* kind, const char* member, long long value, long long width) {
  if (*count < capacity) {
    struct LayoutProbe* probe = &probes[*count];
    probe->type = type;
    probe->kind = kind;
    probe->member = member;
    probe->value = value;
    probe->width = width;
  }
  ++*count;
}

#define PROBE_TYPE_SIZE(T) add(probes, capacity, &count, #T, "size", "-", (long long)sizeof(T), 0);
#define PROBE_MEMBER_SIZE(T, m) \
  add(probes, capacity, &count, #T, "size", #m, (long long)sizeof(((T*)0)->m), 0);
#define PROBE_OFFSET(T, m) \
  add(probes, capacity, &count, #T, "offset", #m, (long long)__builtin_offsetof(T, m), 0);
#define PROBE_ENUM(T, e) add(probes, capacity, &count, #T, "enum", #e, (int)e, 0);
#define PROBE_BITS(T, m)                                         \
  {                                                              \
    T* object = (T*)scratch.bytes;                               \
    __builtin_memset(object, 0, sizeof(T));                      \
    object->m = PROBE_ONES(*object, m);                          \
    find_bits(scratch.bytes, sizeof(T), &first, &width);         \
    add(probes, capacity, &count, #T, "bits", #m, first, width); \
  }

#ifdef __cplusplus
extern "C"
#endif
    unsigned
    LAYOUT_FUNCTION(struct LayoutProbe* probes, unsigned capacity) {
  // Volatile, so that no compiler warns of a constant too wide for its field.
  const volatile unsigned long long ones = ~0ULL;
  unsigned count = 0;
  long long first = 0;
  long long width = 0;
#include "layout_probes.inc"
  return count;
}
