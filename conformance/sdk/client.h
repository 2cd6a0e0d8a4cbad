/* The client plug-in: the user-mode side of the driver under test, in plain C.
 *
 * It turns abstract GPU commands into what a user-mode display driver would hand to pfnRenderCb:
 * a command buffer, an allocation list and a patch-location list; and it supplies the private data
 * of allocations and contexts. A vendor exports WddmClientEntry from a library named with --client
 * or WDDM_CLIENT. Without a client only paging packets are judged.
 *
 * How this contract grows: members are only ever added at the end. A struct that is passed one at a
 * time begins with its own size in bytes, as whoever made it was built; an array comes with the
 * stride of its elements, as whoever made the array was built. What lies beyond a size or a stride
 * isn't there: it reads as 0 or null and must not be written. So plug-ins built with an older
 * header of this version work with every newer wddmcheck, and the other way round. Sizes and
 * strides are multiples of 4, and of 8 where an element has a member of 8 bytes.
 */
#ifndef WDDMCHECK_PLUGIN_CLIENT_H
#define WDDMCHECK_PLUGIN_CLIENT_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Grows only when a plug-in must be rebuilt. Version 1 had neither sizes nor strides. */
#define WDDM_CLIENT_VERSION 2u
#define WDDM_CLIENT_NO_ALLOCATION 0xffffffffu

/* Address of element `index` of the array at `first`; `type` is that of the elements. */
#define WDDM_CLIENT_ELEMENT(type, first, stride, index) \
  ((type*)((uintptr_t)(first) + (size_t)(stride) * (index)))

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

/* One abstract command; element of an array. Unused members are 0. Offsets and sizes are bytes,
 * multiples of 4, and lie within the allocation. */
typedef struct WddmCommand {
  uint32_t kind; /* WddmCommandKind; build() refuses a kind that it doesn't know */
  uint32_t slot; /* 0..slot_count-1 of the request; of SIGNAL and WAIT the semaphore, 0..255 */
  uint32_t allocation; /* index into WddmBuildRequest::allocation_sizes */
  uint32_t offset;     /* bytes from the start of the allocation */
  uint32_t size;       /* bytes; of SPIN units of GPU time (device.h, advance) */
  uint32_t source_slot;
  uint32_t source_offset; /* bytes */
  uint32_t value;
} WddmCommand;

/* An allocation to be created. The client answers with the private data for
 * DXGK_ALLOCATIONINFO::pPrivateDriverData. */
typedef struct WddmAllocationRequest {
  uint32_t size;        /* of this struct */
  uint32_t segment;     /* preferred SegmentId, 0 = client's choice */
  uint64_t bytes;       /* wanted; not 0, a multiple of 4096 */
  uint32_t cpu_visible; /* 1: the CPU must be able to lock it; else 0 */
  uint32_t aperture;    /* 1: wanted in system memory reached through an aperture; else 0 */
  uint32_t shared;      /* 1: other processes may open it; else 0 */
  uint32_t reserved;    /* 0 */
} WddmAllocationRequest;

/* A context to be created. The client answers with the private data for
 * DXGKARG_CREATECONTEXT::pPrivateDriverData. */
typedef struct WddmContextRequest {
  uint32_t size; /* of this struct */
  uint32_t node; /* NodeOrdinal, below the driver's number of nodes */
} WddmContextRequest;

/* One entry of the allocation list; element of an array. */
typedef struct WddmListAllocation {
  uint32_t allocation; /* index into WddmBuildRequest::allocation_sizes, or
                          WDDM_CLIENT_NO_ALLOCATION for an entry that names none */
  uint32_t write;      /* 1: WriteOperation; else 0 */
} WddmListAllocation;

/* One input patch location; element of an array. Same members and order as
 * D3DDDI_PATCHLOCATIONLIST. */
typedef struct WddmPatchLocation {
  uint32_t allocation_index;  /* into the allocation list, not into allocation_sizes */
  uint32_t slot;              /* SlotId, bits 0..23 */
  uint32_t driver_id;         /* the driver's own */
  uint32_t allocation_offset; /* bytes */
  uint32_t patch_offset;      /* bytes from the start of the command buffer */
  uint32_t split_offset;      /* bytes from the start of the command buffer */
} WddmPatchLocation;

typedef struct WddmBuildRequest {
  uint32_t size;           /* of this struct */
  uint32_t command_stride; /* bytes from one element of `commands` to the next */
  const WddmCommand* commands;
  uint32_t command_count;
  uint32_t allocation_count;        /* allocations that commands may name: 0..allocation_count-1 */
  const uint64_t* allocation_sizes; /* bytes of each */
  uint32_t slot_count;              /* slots that commands may use; at most the driver's slot table,
                                       and at most 256 */
  uint32_t node;                    /* node of the context */
} WddmBuildRequest;

/* Room for the answer; all of it is 0 on entry. On entry the capacities, on return the counts. */
typedef struct WddmBuildResult {
  uint32_t size; /* of this struct */
  uint32_t command_bytes;
  void* command_buffer; /* aligned to 8 bytes */
  uint32_t allocation_count;
  uint32_t allocation_stride; /* bytes from one element of `allocations` to the next */
  WddmListAllocation* allocations;
  uint32_t patch_count;
  uint32_t patch_stride; /* bytes from one element of `patches` to the next */
  WddmPatchLocation* patches;
} WddmBuildResult;

/* One command that decode() found in a DMA buffer; element of an array. */
typedef struct WddmDecoded {
  uint32_t offset;            /* first byte of the hardware command in the decoded range */
  uint32_t length;            /* bytes */
  uint32_t kind;              /* WddmCommandKind, 0 = state setting or padding */
  uint32_t slot;              /* slot whose allocation it writes, ~0u if none */
  uint32_t source_slot;       /* slot it reads, ~0u if none */
  uint32_t address_count;     /* addresses embedded in it: at most 2 */
  uint32_t address_offset[2]; /* byte offset of each address field in the decoded range */
  uint32_t address_width[2];  /* bytes: 4 or 8 */
  uint64_t address[2];        /* GPU address each field leads to now, in full: base + offset */
} WddmDecoded;

/* The client. Functions that aren't said to be optional must be there. */
typedef struct WddmClient {
  uint32_t size;    /* sizeof(WddmClient) as the client was built */
  uint32_t version; /* WDDM_CLIENT_VERSION */
  const char* name; /* for reports; may be null */
  /* Makes a client, handed to every other function. Null is an answer like any other: a client
   * without state needs no memory. */
  void* (*create)(void);
  void (*destroy)(void* client);
  /* Writes the private data of one allocation; returns its bytes, or -1 if the request can't be
   * met: the scenario then goes on without that allocation. Called with buffer null to ask for the
   * size, and then with room for that many bytes, which must be the answer again. */
  int (*allocation_data)(void* client, const WddmAllocationRequest* request, void* buffer,
                         uint32_t capacity);
  /* Optional, may be null: writes the private data of a context; returns its bytes (0 = none).
   * `capacity` is 256. Without it contexts are created without private data. */
  int (*context_data)(void* client, const WddmContextRequest* request, void* buffer,
                      uint32_t capacity);
  /* Translates commands; returns 0, or -1 if the capacities are too small or a command has no
   * counterpart in this driver (then nothing is submitted and the reason counts as "not
   * applicable"). Called again with more room, three times in all. The client must end every build
   * with slots unbound that it no longer uses. */
  int (*build)(void* client, const WddmBuildRequest* request, WddmBuildResult* result);
  /* Optional, may be null: decodes `bytes` of a DMA buffer that the driver made. Returns the number
   * of commands, or -1 if the range does not start or end on a command boundary. Only the first
   * `capacity` are written, `out_stride` bytes apart; all of `out` is 0 on entry. Without it the
   * clauses that need to know what lies in a DMA buffer are not applicable. */
  int (*decode)(void* client, const void* dma, uint32_t bytes, WddmDecoded* out,
                uint32_t out_stride, uint32_t capacity);
} WddmClient;

/* The one exported function: a table with static lifetime, or null if `host_version` (the host's
 * WDDM_CLIENT_VERSION) is not one that the client can work with. */
const WddmClient* WddmClientEntry(uint32_t host_version);
typedef const WddmClient* (*WddmClientEntryFunction)(uint32_t host_version);

#ifdef __cplusplus
}
#endif
#endif
