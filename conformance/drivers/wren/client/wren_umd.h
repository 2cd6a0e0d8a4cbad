// What the Wren's user mode and its kernel-mode driver tell each other.
#pragma once
#include <stdint.h>
#define WREN_UMD_MAGIC 0x6E657277u
#define WREN_UMD_VERSION 3u

typedef struct WrenUmdAllocation {  // of each allocation
  uint32_t magic, version;
  uint64_t bytes;
  uint32_t flags;
  uint32_t width, height, pitch;
} WrenUmdAllocation;
#define WREN_ALLOC_CPU 1u
#define WREN_ALLOC_SHARED 2u
#define WREN_ALLOC_KNOWN 3u

typedef struct WrenUmdContext {
  uint32_t magic, version;
  uint32_t node;
  uint32_t reserved;  // 0
} WrenUmdContext;

typedef struct WrenUmdAdapter {  // DXGKQAITYPE_UMDRIVERPRIVATE
  uint32_t magic, version;
  uint32_t nodes, slots;
  uint64_t aperture_bytes;
} WrenUmdAdapter;

typedef struct WrenUmdEscape {
  uint32_t magic, version;
  uint32_t what;  // 0: packets that ended on `node`
  uint32_t node;
  uint64_t answer;
} WrenUmdEscape;

// Commands of the command buffer: operation and dwords. Where a dword is an address it is 0, and
// the next input patch location has its offset.
#define WREN_UC(op, dwords) ((uint32_t)(op) | (uint32_t)(dwords) << 8)
#define WREN_UC_NOP 0x01
#define WREN_UC_FILL 0x21    // address, dwords, value
#define WREN_UC_COPY 0x22    // to, from, bytes
#define WREN_UC_ADD 0x23     // address, value
#define WREN_UC_DELAY 0x24   // ticks
#define WREN_UC_SIGNAL 0x25  // semaphore, value
#define WREN_UC_WAIT 0x26    // semaphore, value
#define WREN_SLOTS 16u       // SlotIds that lists may use; the hardware has none
