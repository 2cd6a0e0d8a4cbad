/* What the Heron's user mode and its kernel-mode driver tell each other. */
#ifndef HERON_UM_H
#define HERON_UM_H
#include <stdint.h>

#define HERON_MAGIC_ALLOCATION 0x41524548u
#define HERON_MAGIC_CONTEXT 0x43524548u
#define HERON_MAGIC_ADAPTER 0x44524548u
#define HERON_MAGIC_ESCAPE 0x45524548u
#define HERON_UM_VERSION 0x00010001u
#define HERON_MAX_ALLOCATION (8u << 20)

#define HERON_ALLOC_CPU_VISIBLE 0x1u
#define HERON_ALLOC_APERTURE_ONLY 0x2u
#define HERON_ALLOC_LOCAL_ONLY 0x4u
#define HERON_ALLOC_CACHED 0x8u
#define HERON_ALLOC_PRIMARY 0x10u
#define HERON_ALLOC_KNOWN 0x1fu

typedef struct HeronAllocationData {
  uint32_t magic;
  uint32_t version;
  uint64_t bytes;
  uint32_t flags;
  uint32_t width; /* of a surface, else 0 */
  uint32_t height;
  uint32_t pitch;
  uint32_t format;            /* D3DDDIFORMAT */
  uint32_t preferred_segment; /* 0, 1 or 2 */
  uint32_t refresh_numerator;
  uint32_t refresh_denominator;
} HeronAllocationData;

typedef struct HeronContextData {
  uint32_t magic;
  uint32_t version;
  uint32_t node;
  uint32_t reserved;
} HeronContextData;

typedef struct HeronAdapterData { /* DXGKQAITYPE_UMDRIVERPRIVATE */
  uint32_t magic;
  uint32_t version;
  uint32_t windows;
  uint32_t nodes;
  uint64_t local_bytes;
  uint64_t aperture_bytes;
} HeronAdapterData;

enum { HERON_ESCAPE_VERSION = 1, HERON_ESCAPE_FENCES = 2 };
typedef struct HeronEscape {
  uint32_t magic;
  uint32_t code;
  uint32_t result[2];
} HeronEscape;

/* Tokens of the command buffer: op in the low, bytes in the high 16 bits of the first dword. */
enum {
  HU_BIND = 1,   /* slot, index into the allocation list, offset, bytes */
  HU_UNBIND = 2, /* slot */
  HU_FILL = 3,   /* slot, offset, bytes, value */
  HU_COPY = 4,   /* slot, offset, source slot, source offset, bytes */
  HU_ADD = 5,    /* slot, offset, value */
  HU_SPIN = 6    /* units */
};
#define HERON_MAX_TOKEN 24u
#define HU_TOKEN(op, bytes) ((uint32_t)(op) | ((uint32_t)(bytes) << 16))
#endif
