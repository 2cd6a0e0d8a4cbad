// What the Merlin's user mode and its kernel-mode driver tell each other.
#pragma once
#include <stdint.h>

#define MERLIN_ABI 3u
#define MERLIN_MAGIC_ALLOC 0x616C724Du
#define MERLIN_MAGIC_RESOURCE 0x726C724Du
#define MERLIN_MAGIC_CONTEXT 0x636C724Du
#define MERLIN_MAGIC_SUBMIT 0x736C724Du
#define MERLIN_MAGIC_ESCAPE 0x656C724Du
#define MERLIN_MAGIC_PAGING 0x706C724Du

#define MERLIN_PLACE_ANY 0u
#define MERLIN_PLACE_LOCAL 1u
#define MERLIN_PLACE_SYSTEM 2u
#define MERLIN_ALLOC_CPU 0x1u
#define MERLIN_ALLOC_SHARED 0x2u
#define MERLIN_ALLOC_FLAGS 0x3u

typedef struct MerlinAllocData {
  uint32_t magic;
  uint32_t abi;
  uint64_t bytes;
  uint32_t place;
  uint32_t flags;
  uint32_t gpu;
  uint32_t pitch;  // 0: no surface
} MerlinAllocData;

typedef struct MerlinResourceData {
  uint32_t magic;
  uint32_t abi;
} MerlinResourceData;

typedef struct MerlinContextData {
  uint32_t magic;
  uint32_t abi;
  uint32_t node;
  uint32_t reserved;  // 0
} MerlinContextData;

typedef struct MerlinSubmitData {
  uint32_t magic;
  uint32_t abi;
  uint32_t command_bytes;
  uint32_t check;  // exclusive or of the three above and the low word of the address
} MerlinSubmitData;

typedef struct MerlinUmdInfo {  // UMDRIVERPRIVATE
  uint32_t abi;
  uint32_t gpus;
  uint64_t vram_bytes;
} MerlinUmdInfo;

typedef struct MerlinEscape {
  uint32_t magic;
  uint32_t abi;
  uint32_t gpu;
  uint32_t packets;  // out
} MerlinEscape;
