/* The client plug-in: the user-mode side of the driver under test, in plain C.
 *
 * It turns abstract GPU commands into what a user-mode display driver would hand to pfnRenderCb:
 * a command buffer, an allocation list and a patch-location list; and it supplies the private data
 * of allocations and contexts. A vendor exports WddmClientEntry from a library named with --client
 * or WDDM_CLIENT. Without a client only paging packets are judged.
 *
 * Of a driver with GPU virtual addresses (GpuMmuSupported) the client is what calls
 * pfnSubmitCommandCb: it gets the addresses of the allocations, and the command buffer that it
 * builds is what the GPU fetches; there are no patch locations.
 *
 * What a client needs to be of use, in the order in which it pays:
 * 1. allocation_data(), for the allocations that scenarios make (and resource_data(), if the driver
 *    wants some for their resources), and build() with BIND, ADD and UNBIND. Every render ends with
 *    a *marker*, which wddmcheck appends: BIND of an allocation of one CPU-visible page to the last
 *    slot, ADD of 1 to a word of it, UNBIND. It is how anybody knows whether a packet has run, so
 *    without ADD, or COPY in its place, nothing that was rendered can be judged. With patch lists
 *    it is open on one device: contexts of others render without, and of no command at all too.
 * 2. FILL and COPY: contents of memory.
 * 3. SPIN: a packet that is long enough to be preempted; WAIT and SIGNAL, on a GPU that has
 *    semaphores: packets of several contexts in a known order.
 * 4. decode(): what lies in a DMA buffer; decode_entry(): what a page table says.
 * 5. PRIVILEGED: what hostile user mode must not have done; escape_data(): what it sends beside
 *    commands; WddmContextState: what a context has.
 * `run` ends with what each of these would add: "in the client's build(): copy".
 * conformance/drivers/reference/client/first_client.c is the first of these with FILL, in some
 * seventy lines; client_entry.cpp beside it is all of them.
 *
 * Hardware that can COPY loses little without the others: wddmcheck fills, adds and spends time by
 * copies of patterns that the CPU has written, in commands that are longer. Nothing stands for WAIT
 * and SIGNAL. Where commands name no addresses, since they work on what registers of slots were
 * loaded with, decode() tells what is encoded: a load of a slot is of kind 0 and has its address in
 * address[], whether it names the slot or ~0u; the command that starts the copy is COPY, names its
 * slots, and has no address.
 *
 * A slot names an allocation from a BIND to its UNBIND or the next BIND of the same slot. In the
 * terms of the driver model it is a SlotId. Releasing one is UNBIND: a command that makes the
 * driver emit a patch location of that SlotId for an allocation-list entry that names none; a
 * driver like that needs such an entry (WDDM_CLIENT_NO_ALLOCATION) in the list of every build.
 * Every build ends with all slots released: build() itself unbinds what the commands that it was
 * given leave bound. A client that binds what commands use of an allocation, and not all of it, has
 * AllocationOffset judged too.
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
  WDDM_COMMAND_WAIT = 7,   /* stall until hardware semaphore `slot` >= `value`; a preemption stops
                              it there, whatever its granularity is: it may never be signalled */
  WDDM_COMMAND_SPIN = 8,   /* keep the engine busy for `size` units of GPU time; preemptible */
  WDDM_COMMAND_PRIVILEGED = 9 /* `size` bytes at the physical `address` become `value` repeated, by
                                 what the hardware has for kernel mode alone; always the last */
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
  /* Of PRIVILEGED, by which hostile user mode writes to what it has no address for. `slot` says by
   * which of such commands (fill by physical address, entries of page tables, ...), 0 is the first;
   * build() refuses a number that it has none for, and lists no allocation for the others. */
  uint64_t address; /* multiple of 8: BaseAddress of the segment + offset, or of system memory */
  uint32_t segment; /* SegmentId; 0: system memory */
  uint32_t reserved; /* 0 */
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
  /* GPU of the link whose memory it is wanted in, 0 without a link. Where it is then, the driver
   * says by PhysicalAdapterIndex. A client that leaves it aside has all its memory on GPU 0. */
  uint32_t physical_adapter;
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

/* What a buffer finds in its context: WddmBuildRequest::context_state. */
typedef enum WddmContextState {
  WDDM_CONTEXT_STATE_UNKNOWN = 0, /* nothing is known of it: a buffer sets all that it needs */
  WDDM_CONTEXT_STATE_INITIAL = 1, /* what a new context of this driver has, if that is laid down */
  WDDM_CONTEXT_STATE_KEPT = 2     /* what the build left in `state` */
} WddmContextState;

typedef struct WddmBuildRequest {
  uint32_t size;           /* of this struct */
  uint32_t command_stride; /* bytes from one element of `commands` to the next */
  const WddmCommand* commands;
  uint32_t command_count;
  uint32_t allocation_count;        /* allocations that commands may name: 0..allocation_count-1 */
  const uint64_t* allocation_sizes; /* bytes of each */
  /* Slots that commands may use, at most 256. With patch lists those of the driver's slot table
   * (MaxAllocationListSlotId); a driver that reports none is taken to have all SlotIds that 24 bits
   * hold, so 256. With GPU virtual addresses slots are the client's own: 16 where the driver has no
   * table. */
  uint32_t slot_count;
  uint32_t node;                    /* node of the context */
  /* What a user-mode driver knows with GPU virtual addresses; null and 0 with patch lists. */
  const uint64_t* allocation_addresses; /* GPU virtual address of each, in the process of the
                                           context; null: patch lists */
  uint64_t command_address;             /* GPU virtual address of the command buffer */
  uint32_t address_bits;                /* DXGK_GPUMMUCAPS::VirtualAddressBitCount */
  uint32_t reserved;                    /* 0 */
  /* What the driver asked for in DXGK_CONTEXTINFO (without contexts in DXGK_DEVICEINFO), and a
   * user-mode driver learns from D3DDDICB_CREATECONTEXT. A build has no more to hand over than
   * that; buffers are never made larger on the client's demand. With GPU virtual addresses the
   * first three are 0: user mode makes command buffers of its own, and lists go to no driver. */
  uint32_t dma_buffer_bytes;         /* DmaBufferSize: bytes of the command buffer */
  uint32_t allocation_list_size;     /* AllocationListSize: elements */
  uint32_t patch_location_list_size; /* PatchLocationListSize: elements */
  uint32_t private_data_bytes;       /* DmaBufferPrivateDataSize */
  /* User-mode drivers leave out what they know to be set in their context. Where the last buffer of
   * it has run whole, `state` is what WddmBuildResult::state was. Commands before `state_commands`
   * may count on it, all others set what they need. If a driver keeps none, leave this aside. */
  uint32_t context_state; /* WddmContextState */
  uint32_t state_bytes;
  const void* state; /* aligned to 8 bytes; null but with WDDM_CONTEXT_STATE_KEPT */
  uint32_t state_commands;
  uint32_t reserved2; /* 0 */
} WddmBuildRequest;
#define WDDM_CLIENT_STATE_ROOM 256u /* bytes; of WddmBuildResult::state */

#define WDDM_CLIENT_ESCAPES 8u        /* that escape_data() is asked for */
#define WDDM_CLIENT_ESCAPE_ROOM 1024u /* bytes; its `capacity` */

/* Room for the answer; all of it is 0 on entry. On entry the capacities, on return the counts. What
 * is submitted has no more room than the request says that the driver asked for, and often less; a
 * client that minds the capacities alone is right. Where wddmcheck only wants to know which
 * commands there are, capacities are larger, and what is built goes to nobody. */
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
  /* With GPU virtual addresses: what pfnSubmitCommandCb gets as pPrivateDriverData, in room for
   * DXGK_CONTEXTINFO::DmaBufferPrivateDataSize bytes, all 0 on entry. With patch lists null and 0.
   */
  void* private_data; /* aligned to 8 bytes */
  uint32_t private_data_bytes;
  uint32_t reserved; /* 0 */
  /* The client's own record of the state that this buffer leaves, for the next one of the context,
   * of fewer bytes than there is room for; with none, or as many as on entry, nothing is known. */
  void* state; /* aligned to 8 bytes */
  uint32_t state_bytes;
  uint32_t counts_on_state; /* 1: on what the request says of the state of the context; else 0 */
} WddmBuildResult;

/* One command that decode() found in a DMA buffer; element of an array.
 *
 * Slots are those of the hardware: what the command itself names. Hardware whose commands hold
 * addresses knows none, whatever SlotId the patch locations have (0 in all of them, perhaps): slot
 * and source_slot are ~0u, and the addresses say what is accessed, by the element of the
 * patch-location list with the same offset. A client that answers 0 there says that every command
 * goes through slot 0, and its driver is blamed for the slot table that it does not keep. */
typedef struct WddmDecoded {
  uint32_t offset;            /* first byte of the hardware command in the decoded range */
  uint32_t length;            /* bytes */
  uint32_t kind;              /* WddmCommandKind, 0 = state setting or padding: loads of a slot are
                                 that too, by their own kinds (BIND, UNBIND) or 0 */
  uint32_t slot;              /* slot whose allocation it writes, ~0u if none */
  uint32_t source_slot;       /* slot it reads, ~0u if none */
  uint32_t address_count;     /* addresses embedded in it: at most 2 */
  uint32_t address_offset[2]; /* byte offset of each address field in the decoded range */
  uint32_t address_width[2];  /* bytes: 4 or 8 */
  uint64_t address[2];        /* GPU address each field leads to now, in full: base + offset */
  /* In a buffer that runs with GPU virtual addresses: bit n set says that address[n] is a physical
   * one all the same, as in updates of page tables by physical address. Without patch lists only,
   * and nobody asks then today: see decode(). */
  uint32_t physical_addresses;
  uint32_t reserved; /* 0 */
} WddmDecoded;

/* A page table, as far as the form of its entries depends on it. */
typedef struct WddmPageTable {
  uint32_t size;        /* of this struct */
  uint32_t level;       /* 0 = leaf */
  uint32_t level_count; /* DXGK_GPUMMUCAPS::PageTableLevelCount */
  uint32_t page_bytes;  /* of a leaf table 4096 or 65536, else 4096 */
  uint32_t dual;        /* DXGK_GPUMMUCAPS::DualPteSupported */
  uint32_t adapter;     /* physical adapter index of the GPU that has the table */
} WddmPageTable;

/* Where an entry leads: bits of WddmEntryTarget::flags. */
typedef enum WddmEntryFlags {
  WDDM_ENTRY_VALID = 0x1,      /* else accesses fault, and nothing else is said */
  WDDM_ENTRY_ZERO = 0x2,       /* reads give zeros, writes are dropped */
  WDDM_ENTRY_SYSTEM = 0x4,     /* `address` is of system memory, else as the GPU sees it */
  WDDM_ENTRY_COHERENT = 0x8,   /* accesses snoop the CPU's caches */
  WDDM_ENTRY_READ_ONLY = 0x10, /* writes fault */
  WDDM_ENTRY_NO_EXECUTE = 0x20,
  WDDM_ENTRY_LARGE = 0x40,    /* above level 0: maps memory, and the walk ends */
  WDDM_ENTRY_LEAF_64KB = 0x80 /* level 1 without dual entries: the table below has 64 KB pages */
} WddmEntryFlags;
/* Part of another struct, so it never grows. */
typedef struct WddmEntryTarget {
  uint32_t flags;   /* WddmEntryFlags */
  /* Physical adapter index of the GPU whose memory the page is in: of an entry that maps pages of a
   * segment. Of system memory, which is no GPU's, and of an entry that leads to a table nobody
   * reads it. */
  uint32_t adapter;
  /* Page, or table of the next lower level: physical address of system memory, or BaseAddress of
   * the segment + offset. */
  uint64_t address;
  uint64_t driver_protection; /* as much of DriverProtection as the entry keeps */
} WddmEntryTarget;

/* What one entry of a page table says. */
typedef struct WddmTableEntry {
  uint32_t size; /* of this struct */
  uint32_t reserved;
  WddmEntryTarget target;
  WddmEntryTarget target_64kb; /* level 1 with dual entries: the leaf table with 64 KB pages */
} WddmTableEntry;

/* An allocation that a device requires (MakeResident); element of an array. */
typedef struct WddmRequiredAllocation {
  uint64_t bytes;
  uint64_t last_fence; /* of the last buffer that used it since it was made resident; 0: none */
} WddmRequiredAllocation;

typedef enum WddmTrimFlags { /* the bits of D3DDDI_TRIMRESIDENCYSET_FLAGS */
  WDDM_TRIM_PERIODIC = 1,
  WDDM_TRIM_RESTART_PERIODIC = 2,
  WDDM_TRIM_TO_BUDGET = 4
} WddmTrimFlags;

/* pfnTrimResidencySet for a device. */
typedef struct WddmTrimRequest {
  uint32_t size;                    /* of this struct */
  uint32_t flags;                   /* WddmTrimFlags */
  uint64_t bytes;                   /* NumBytesToTrim */
  uint64_t completed_fence;         /* of the last buffer that has ended; 0: none */
  uint32_t device;                  /* a number; each has a periodic fence of its own */
  uint32_t allocation_count;
  uint32_t allocation_stride;       /* bytes from one element of `allocations` to the next */
  uint32_t reserved;                /* 0 */
  const WddmRequiredAllocation* allocations; /* the longest unused first */
} WddmTrimRequest;

/* Small resources that an application asks for, all at once. */
typedef struct WddmPlacementRequest {
  uint32_t size;                  /* of this struct */
  uint32_t resource_count;
  const uint64_t* resource_bytes; /* of each */
} WddmPlacementRequest;

/* Where a resource lies; element of an array. */
typedef struct WddmPlacedResource {
  uint32_t allocation; /* index into WddmPlacementResult::allocation_bytes */
  uint32_t reserved;   /* 0 */
  uint64_t offset;     /* bytes from the start of the allocation */
} WddmPlacedResource;

/* Room for the answer; all of it is 0 on entry but `size`, the stride and the pointers. */
typedef struct WddmPlacementResult {
  uint32_t size; /* of this struct */
  uint32_t allocation_count;  /* how many allocations it takes; at most one for each resource */
  uint64_t* allocation_bytes; /* the size of each, as it is asked for at CreateAllocation */
  WddmPlacedResource* resources;
  uint32_t resource_stride; /* bytes from one element of `resources` to the next */
  uint32_t reserved;        /* 0 */
} WddmPlacementResult;

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
  /* Optional, may be null: writes the private data of a context; returns its bytes (0 = none), or
   * -1 for a node that is nothing to user mode, which scenarios for each node leave out then.
   * `capacity` is 256. Without it contexts are created without private data, as those of the system
   * always are. */
  int (*context_data)(void* client, const WddmContextRequest* request, void* buffer,
                      uint32_t capacity);
  /* Translates commands; returns 0, or -1 if the capacities are too small or a command has no
   * counterpart in this driver (then nothing is submitted and the reason counts as "not
   * applicable"). Of no commands (command_count 0) it builds what stands for nothing: a buffer of
   * no bytes goes to Render as any other. Called again with more room, three times in all. With GPU
   * virtual addresses the allocation list goes to nobody but wddmcheck, which learns from it what
   * the buffer uses and writes. A client built before there was decode_entry knows nothing of them:
   * it is not asked to build then, and only paging packets are judged. */
  int (*build)(void* client, const WddmBuildRequest* request, WddmBuildResult* result);
  /* Optional, may be null: decodes `bytes` of a DMA buffer that the driver made. It is asked
   * twice of a buffer with patch lists: of what Render wrote, in parts from one SplitOffset of the
   * patch-location list to the next, with the addresses that Render left in it; and of each portion
   * that was patched. It is not asked of paging buffers, of buffers that Render refused, and of
   * what user mode submits itself: with GPU virtual addresses it is never called, and a client of
   * such a driver may leave it null. Commands of the driver's own are of kind 0, with the addresses
   * that they hold. Returns the number of commands, or -1 if the range does not start or end on a
   * command boundary, or holds what the hardware has no meaning for. That is the answer for
   * buffers that hostile user mode has tampered with, too, where Render took them: what the
   * hardware would find, or -1; never a guess, and no access outside of the range. Only the first
   * `capacity` are written, `out_stride` bytes apart; all of `out` is 0 on entry. Without it the
   * clauses that need to know what lies in a DMA buffer are not applicable. */
  int (*decode)(void* client, const void* dma, uint32_t bytes, WddmDecoded* out,
                uint32_t out_stride, uint32_t capacity);
  /* Optional, may be null: reads an entry of a page table as the hardware would. Returns the bytes
   * that an entry of `table` has, or -1 if there is no such table. With `entry` null that is all;
   * else `out` says what the entry means, all of it 0 on entry but `size`. Without it the content
   * of page tables is judged only by what the GPU reaches through them, so clauses on single bits
   * of entries (cache coherence, driver protection, entries that must stay as they were) are not
   * applicable. */
  int (*decode_entry)(void* client, const WddmPageTable* table, const void* entry,
                      WddmTableEntry* out);
  /* Optional, may be null: what it evicts when it is told to trim. `evict` has one element for each
   * allocation of the request; evict[i] becomes 1 if that one is evicted, and is 0 on entry. All
   * that was submitted has ended by then. The client keeps its periodic fence itself. What was
   * never used (last_fence 0) is for TrimToBudget alone. Returns 0, or -1 if it cannot tell; then,
   * and without it, wddmcheck trims in its place. */
  int (*trim)(void* client, const WddmTrimRequest* request, uint32_t* evict);
  /* Optional, may be null: where it would put small resources, and in which allocations. There is
   * room for as many allocations as resources. Resources lie inside of their allocation and not
   * over each other; what alignment they need is the client's affair. Returns 0, or -1 if it cannot
   * tell; then, and without it, wddmcheck packs them in its place, and judges only itself. */
  int (*place_resources)(void* client, const WddmPlacementRequest* request,
                         WddmPlacementResult* result);
  /* Optional, may be null: writes the private data that pfnAllocateCb has for the resource, beside
   * those of its allocations (DXGKARG_CREATEALLOCATION::pPrivateDriverData); returns their bytes,
   * 0 for none, or -1 if the request can't be met. Called as allocation_data() is, with the same
   * request. Without it there are none. */
  int (*resource_data)(void* client, const WddmAllocationRequest* request, void* buffer,
                       uint32_t capacity);
  /* Optional, may be null: writes the private data of an escape that the user-mode driver sends
   * (pfnEscapeCb): one for each `number`, counted from 0. Returns their bytes, at most `capacity`,
   * or -1 if there is none of that number; no more than WDDM_CLIENT_ESCAPES are asked for. Each is
   * sent as it is, on a device that has a context or has none, cut short, and with one of its words
   * altered (up to 32 lengths and words), as hostile user mode may do: none may be one that the
   * hardware would not stand then. What the driver answers is its own matter. Without it escapes
   * have data that no driver knows, and what stands behind the look at their headers is not judged.
   */
  int (*escape_data)(void* client, uint32_t number, void* buffer, uint32_t capacity);
} WddmClient;

/* The one exported function: a table with static lifetime, or null if `host_version` (the host's
 * WDDM_CLIENT_VERSION) is not one that the client can work with. */
const WddmClient* WddmClientEntry(uint32_t host_version);
typedef const WddmClient* (*WddmClientEntryFunction)(uint32_t host_version);

#ifdef __cplusplus
}
#endif
#endif
