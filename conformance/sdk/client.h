/* The client plug-in: the user-mode side of the driver under test, in plain C.
 *
 * It turns abstract GPU commands into what a user-mode display driver would hand to pfnRenderCb:
 * a command buffer, an allocation list and a patch-location list; and it supplies the private data
 * of allocations and contexts. A vendor exports WddmClientEntry from a library named with --client
 * or WDDM_CLIENT. Without a client only paging packets are judged.
 */
#ifndef WDDMCHECK_PLUGIN_CLIENT_H
#define WDDMCHECK_PLUGIN_CLIENT_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define WDDM_CLIENT_VERSION 1u
#define WDDM_CLIENT_NO_ALLOCATION 0xffffffffu

typedef enum WddmCommandKind {
  WDDM_COMMAND_BIND = 1,   /* from here on `slot` names `allocation` */
  WDDM_COMMAND_UNBIND = 2, /* from here on `slot` names nothing */
  WDDM_COMMAND_FILL = 3, /* `size` bytes at `offset` of `slot` become `value` (32 bits) repeated */
  WDDM_COMMAND_COPY = 4, /* `size` bytes: `slot`:`offset` <- `source_slot`:`source_offset` */
  WDDM_COMMAND_ADD = 5,  /* the 32-bit word at `offset` of `slot` grows by `value` */
  WDDM_COMMAND_SIGNAL = 6, /* hardware semaphore `slot` becomes `value` */
  WDDM_COMMAND_WAIT = 7,   /* stall until hardware semaphore `slot` >= `value` */
  WDDM_COMMAND_SPIN = 8    /* keep the engine busy for `size` units of GPU time; preemptible */
} WddmCommandKind;

/* One abstract command. Unused members are 0. Offsets and sizes are bytes, multiples of 4, and lie
 * within the allocation. */
typedef struct WddmCommand {
  uint32_t kind; /* WddmCommandKind */
  uint32_t slot;
  uint32_t allocation; /* index into WddmBuildRequest::allocations */
  uint32_t offset;
  uint32_t size;
  uint32_t source_slot;
  uint32_t source_offset;
  uint32_t value;
} WddmCommand;

/* An allocation to be created. The client answers with the private data for
 * DXGK_ALLOCATIONINFO::pPrivateDriverData. */
typedef struct WddmAllocationRequest {
  uint64_t size;        /* bytes wanted */
  uint32_t segment;     /* preferred SegmentId, 0 = client's choice */
  uint32_t cpu_visible; /* 1: the CPU must be able to lock it */
  uint32_t aperture;    /* 1: wanted in system memory reached through an aperture */
  uint32_t shared;
} WddmAllocationRequest;

typedef struct WddmListAllocation {
  uint32_t allocation; /* index into WddmBuildRequest::allocations or WDDM_CLIENT_NO_ALLOCATION */
  uint32_t write;      /* 1: WriteOperation */
} WddmListAllocation;

/* Same members and order as D3DDDI_PATCHLOCATIONLIST. */
typedef struct WddmPatchLocation {
  uint32_t allocation_index; /* into the allocation list, not into WddmBuildRequest::allocations */
  uint32_t slot;             /* SlotId, bits 0..23 */
  uint32_t driver_id;
  uint32_t allocation_offset;
  uint32_t patch_offset;
  uint32_t split_offset;
} WddmPatchLocation;

typedef struct WddmBuildRequest {
  const WddmCommand* commands;
  uint32_t command_count;
  uint32_t allocation_count; /* allocations that commands may name: 0..allocation_count-1 */
  const uint64_t* allocation_sizes;
  uint32_t slot_count; /* slots that commands may use; at most the driver's slot table */
  uint32_t node;       /* node of the context */
} WddmBuildRequest;

/* Room for the answer. On entry the capacities, on return the counts. */
typedef struct WddmBuildResult {
  void* command_buffer;
  uint32_t command_bytes;
  uint32_t allocation_count;
  uint32_t patch_count;
  uint32_t reserved;
  WddmListAllocation* allocations;
  WddmPatchLocation* patches;
} WddmBuildResult;

/* One command that decode() found in a DMA buffer. */
typedef struct WddmDecoded {
  uint32_t offset;            /* first byte of the hardware command in the decoded range */
  uint32_t length;            /* bytes */
  uint32_t kind;              /* WddmCommandKind, 0 = state setting or padding */
  uint32_t slot;              /* slot whose allocation it writes, ~0u if none */
  uint32_t source_slot;       /* slot it reads, ~0u if none */
  uint32_t address_count;     /* addresses embedded in it: at most 2 */
  uint32_t address_offset[2]; /* byte offset of each address field in the decoded range */
  uint32_t address_width[2];  /* 4 or 8 */
  uint64_t address[2];        /* GPU address each field leads to now, in full: base + offset */
} WddmDecoded;

typedef struct WddmClient {
  uint32_t size;    /* sizeof(WddmClient) as the client was built */
  uint32_t version; /* WDDM_CLIENT_VERSION */
  const char* name;
  void* (*create)(void);
  void (*destroy)(void* client);
  /* Writes the private data of one allocation; returns its bytes, or -1 if the request can't be
   * met. Called with buffer null to ask for the size. */
  int (*allocation_data)(void* client, const WddmAllocationRequest* request, void* buffer,
                         uint32_t capacity);
  /* Optional, may be null: writes the private data of a context on `node`; returns its bytes (0 =
   * none). */
  int (*context_data)(void* client, uint32_t node, void* buffer, uint32_t capacity);
  /* Translates commands; returns 0, or -1 if the capacities are too small or a command has no
   * counterpart in this driver (then nothing is submitted and the reason counts as "not
   * applicable"). The client must end every build with slots unbound that it no longer uses. */
  int (*build)(void* client, const WddmBuildRequest* request, WddmBuildResult* result);
  /* Optional, may be null: decodes `bytes` of a DMA buffer that the driver made. Returns the number
   * of commands, or -1 if the range does not start or end on a command boundary. Only the first
   * `capacity` are written. */
  int (*decode)(void* client, const void* dma, uint32_t bytes, WddmDecoded* out, uint32_t capacity);
} WddmClient;

/* The one exported function: a table with static lifetime, or null. */
const WddmClient* WddmClientEntry(uint32_t host_version);
typedef const WddmClient* (*WddmClientEntryFunction)(uint32_t host_version);

#ifdef __cplusplus
}
#endif
#endif
