/* Private data that the Egret's user mode hands to its kernel-mode driver, and gets from it. */
#ifndef EGRET_UMD_H
#define EGRET_UMD_H

#include "../device/egret_hw.h"

#define EG_UMD_VERSION 3u

#define EG_ALLOC_MAGIC 0x414c4f43u
#define EG_ALLOC_CPU 1u    /* lockable */
#define EG_ALLOC_SYSTEM 2u /* in system memory alone */
#define EG_ALLOC_SHARED 4u
#define EG_ALLOC_LOCAL 8u /* prefers local memory (the default) */
#define EG_ALLOC_FLAGS 15u
typedef struct eg_alloc_data {
  eg_u32 magic, version;
  eg_u64 bytes;
  eg_u32 flags;
  eg_u32 width, height, pitch, format; /* of standard allocations; else 0 */
  eg_u32 check;                        /* eg_checksum of what is before it */
} eg_alloc_data;
#define EG_MAX_ALLOC 0x40000000ull

#define EG_CTX_MAGIC 0x43545831u
typedef struct eg_ctx_data {
  eg_u32 magic, version, node, flags; /* flags: 0 */
} eg_ctx_data;

#define EG_SUBMIT_MAGIC 0x5355424du
typedef struct eg_submit_data {
  eg_u32 magic, version;
  eg_u32 bytes; /* of the command buffer */
  eg_u32 flags; /* 0 */
} eg_submit_data;

#define EG_INFO_MAGIC 0x494e464fu
typedef struct eg_adapter_data { /* UMDRIVERPRIVATE */
  eg_u32 magic, version;
  eg_u64 vram_bytes;
  eg_u32 nodes, slots;
} eg_adapter_data;

static __inline__ eg_u32 eg_checksum(const void* data, eg_u32 bytes) {
  const unsigned char* p = (const unsigned char*)data;
  eg_u32 h = 0x811c9dc5u, i;
  for (i = 0; i < bytes; ++i) h = (h ^ p[i]) * 0x01000193u;
  return h;
}
#endif
