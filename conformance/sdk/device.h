/* The device plug-in: a model of the GPU behind the driver under test, in plain C.
 *
 * A vendor exports one function, WddmDeviceEntry, from a shared library named with --device or
 * WDDM_DEVICE. Without a device, "let the GPU advance" means turns of the driver's own threads and
 * 10 ms of virtual time, however many units it is about. A driver whose threads are its GPU and
 * take 1 ms for a unit of SPIN is still at work when a scenario preempts or resets it; one that
 * takes a hundredth of that has ended by then, and clauses about it are passed by luck or not at
 * all.
 * All calls come on one OS thread and never overlap. Nothing here may block or use wall-clock time.
 *
 * What a GPU does wrong may be the driver's fault, the device's, or that of its model. Clauses of
 * page tables say which as far as entries can be read: see decode_entry in client.h.
 *
 * How this contract grows: members are only ever added at the end. A struct that is passed one at a
 * time begins with its own size in bytes, as whoever made it was built; an array comes with the
 * stride of its elements, as whoever made the array was built. What lies beyond a size or a stride
 * isn't there: it reads as 0 or null and must not be written. So plug-ins built with an older
 * header of this version work with every newer wddmcheck, and the other way round. Sizes and
 * strides are multiples of 4, and of 8 where an element has a member of 8 bytes.
 */
#ifndef WDDMCHECK_PLUGIN_DEVICE_H
#define WDDMCHECK_PLUGIN_DEVICE_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Grows only when a plug-in must be rebuilt. Version 1 had BARs in the table, and events without a
 * size. */
#define WDDM_DEVICE_VERSION 2u
#define WDDM_DEVICE_MAX_BARS 6u

/* What the host offers to the device. Valid from create() to destroy(). */
typedef struct WddmDeviceHost {
  uint32_t size;    /* sizeof(WddmDeviceHost) as the host was built */
  uint32_t version; /* WDDM_DEVICE_VERSION of the host */
  void* host;       /* first argument of every function below */
  /* Bus-master read of system memory at a physical address. Returns 0, or -1 if any byte is not
   * memory that the driver or Dxgkrnl was given (a finding); the buffer is then zero-filled. In a
   * link the memory BARs of the other devices can be read and written too, at their bus
   * addresses. */
  int (*dma_read)(void* host, uint64_t physical_address, void* buffer, uint32_t bytes);
  /* Bus-master write. Returns 0, or -1 (a finding; nothing is written). */
  int (*dma_write)(void* host, uint64_t physical_address, const void* buffer, uint32_t bytes);
  /* Level-triggered interrupt line: 1 asserts, 0 deasserts. The driver's ISR may run before it
   * returns, and with it bar_read() and bar_write(). */
  void (*set_interrupt_line)(void* host, int level);
  /* Message-signalled interrupt (edge). Lost while 64 of them wait for the driver to take them.
   * `message` is what the ISR gets as MessageNumber, below `messages` of the table; others are
   * lost. Where that is 0, below 1 << 24, and nobody grants messages: the driver finds one
   * interrupt line among its resources, and a capability of one message, whichever numbers come. */
  void (*raise_message)(void* host, uint32_t message);
  /* The device wrote `bytes` at `offset` of the memory of a BAR that reports writes. What lies
   * outside of such a BAR is ignored. */
  void (*memory_written)(void* host, uint32_t bar, uint64_t offset, uint32_t bytes);
  /* Requests of an engine of `node` that bear a process address space identifier: the IOMMU of the
   * platform translates `address` by the page tables that the CPU has for that process. `pasid` is
   * what DXGKARG_CREATEPROCESS::pPasid gave the driver. Return 0, or -1 if there is no translation
   * that permits it, no such process, or no IOMMU: a page fault, and no finding; the buffer is then
   * zero-filled, nothing is written. An older host does not have them: see `size`. */
  int (*dma_read_pasid)(void* host, uint32_t node, uint32_t pasid, uint64_t address, void* buffer,
                        uint32_t bytes);
  int (*dma_write_pasid)(void* host, uint32_t node, uint32_t pasid, uint64_t address,
                         const void* buffer, uint32_t bytes);
  /* The bus address of a BAR, as the driver finds it among its resources and in configuration
   * space: what a GPU needs whose segments the driver reports by CPU-physical addresses, or that
   * lets its engines reach its own registers. Such a GPU has one address space with system memory: what
   * lies within a memory BAR is that memory (bar_memory of create()), all else goes to dma_read and
   * dma_write. Known from create() on. 0: there is no such BAR. An older host does not have it: see
   * `size`. */
  uint64_t (*bar_address)(void* host, uint32_t bar);
} WddmDeviceHost;

/* One base address register; element of an array. All with memory must find room in 4 GiB and all
 * with registers in 768 MiB, each at a multiple of its size. */
typedef struct WddmBar {
  uint64_t size;   /* bytes, a power of two of at least 4096; 0 = there is no such BAR */
  uint32_t memory; /* 1: plain memory that CPU and GPU share (video memory); the host provides it.
                      0: registers; every access goes through bar_read and bar_write. */
  /* 1, for memory only: the device calls memory_written() for every write to it, and takes it as it
   * finds it when it is made, which is not zeroed. Fuzzing then looks at what was written instead
   * of comparing all of it. */
  uint32_t reports_writes;
} WddmBar;

/* One record of the optional device log: the evidence that boundary and memory can't give. A kind
 * of record may be left out altogether; of a kind that is logged, none may be dropped. What an
 * interrupt tells of is logged before the device raises it. */
typedef enum WddmDeviceEventKind {
  WDDM_DEVICE_PACKET_BEGIN = 1, /* engine starts the packet `tag`; address/length = first fetch,
                                   or 0 where FETCH tells of it */
  WDDM_DEVICE_PACKET_END = 2,   /* packet ran to its end; address = behind its last command, or 0 */
  WDDM_DEVICE_PACKET_STOPPED = 3, /* packet left the engine before its end; one that hangs its
                                     engine does so with the reset */
  WDDM_DEVICE_FETCH = 4,          /* command bytes fetched to be executed: address, length. What
                                     else is read with them, ahead or of the same line, is none */
  WDDM_DEVICE_FAULT = 5, /* access outside of any memory: address. A command that the engine
                            refuses before it accesses anything is none */
  /* Of a GPU with page tables; see the members behind `reserved`. */
  WDDM_DEVICE_WALK = 6,      /* a page-table entry was read from memory */
  WDDM_DEVICE_PAGE_FAULT = 7 /* an access found no translation that permits it */
} WddmDeviceEventKind;

/* What kinds are good for, and what is lost without:
 * - PACKET_*, FETCH: order and range of packets; without them the clauses that say so.
 * - FAULT: finds stale addresses that hit no memory.
 * - WALK: which tables are still in use. Without it a driver that leaves a moved or freed page
 *   table in use is found only if what the GPU then does shows in memory.
 * - PAGE_FAULT: whether the driver reported every fault, and as what. Without it a fault that the
 *   driver keeps to itself is found only as a packet that never ends or changes nothing. */
typedef struct WddmDeviceEvent {
  uint32_t size;    /* of this struct: what the host has room for */
  uint32_t kind;    /* WddmDeviceEventKind */
  uint32_t node;    /* NodeOrdinal of the engine */
  uint32_t tag;     /* SubmissionFenceId as the driver programmed it, or as many of its low bits as
                       the hardware keeps: see tag_bits. 0: work of the driver's own */
  uint64_t address; /* as the GPU sees it: virtual, if the packet runs with virtual addresses */
  uint32_t length;  /* bytes */
  uint32_t reserved;
  /* Of WALK and PAGE_FAULT, in others 0. `address` is the virtual address that is translated,
   * `length` of WALK the bytes of the entry. */
  uint64_t entry_address; /* WALK: where the entry lies: physical address of system memory, or
                             BaseAddress of the segment + offset */
  uint32_t entry_system;  /* WALK: 1: entry_address is of system memory; else 0 */
  uint32_t level;         /* of the entry; 0 = leaf, PageTableLevelCount - 1 = root */
  uint32_t write;         /* 1: for a write; else 0 */
  uint32_t process;       /* how the hardware tells address spaces apart: the same number for all
                             accesses of a process, another for those of others at the same time,
                             and for the second space of a process with paging companions */
} WddmDeviceEvent;

/* For log(): hands `record` to the host, as much of it as there is room for in `event`. */
static inline void wddm_device_hand_over(WddmDeviceEvent* event, const WddmDeviceEvent* record) {
  const uint32_t room = event->size;
  memcpy(event, record, room < sizeof(*record) ? room : sizeof(*record));
  event->size = room;
}

/* What the device offers to the host. Functions that aren't said to be optional must be there. */
typedef struct WddmDevice {
  uint32_t size;       /* sizeof(WddmDevice) as the device was built */
  uint32_t version;    /* WDDM_DEVICE_VERSION */
  const char* name;    /* for reports; may be null */
  const WddmBar* bars; /* the BARs by number, with static lifetime; null if bar_count is 0 */
  uint32_t bar_count;  /* 0..WDDM_DEVICE_MAX_BARS */
  uint32_t bar_stride; /* bytes from one element of `bars` to the next: sizeof(WddmBar) as the
                          device was built */
  uint16_t vendor_id, device_id; /* PCI identity; also in configuration space at 0 and 2 */
  uint32_t reserved;             /* 0 */
  /* Makes a device in power-on state. `bar_memory[i]` is the host's memory behind a memory BAR,
   * zeroed unless the BAR reports writes, else null. Returns null on failure, which ends the run.
   */
  void* (*create)(const WddmDeviceHost* host, void* const bar_memory[WDDM_DEVICE_MAX_BARS]);
  void (*destroy)(void* device);
  /* Register access, 1, 2, 4 or 8 bytes, naturally aligned, within the BAR. Required if a BAR has
   * registers. */
  uint64_t (*bar_read)(void* device, uint32_t bar, uint64_t offset, uint32_t bytes);
  void (*bar_write)(void* device, uint32_t bar, uint64_t offset, uint32_t bytes, uint64_t value);
  /* Lets every engine work for `units` of GPU time (one unit: about one small command). Returns the
   * units used by the busiest engine; 0 means that no engine had anything to do. Called between
   * calls of the driver, and inside of one where it waits, for time to pass or for an object. */
  uint32_t (*advance)(void* device, uint32_t units);
  /* Optional, may be null: PCI configuration space, `bytes` at `offset`. Returns bytes transferred.
   * The driver finds a header of type 0 that wddmcheck makes: identity, a display controller, BARs
   * with their bus addresses, and capabilities for power management, messages and PCI Express; on
   * top of it whatever config_read transfers. Without config_write its writes have no effect. */
  uint32_t (*config_read)(void* device, uint32_t offset, void* buffer, uint32_t bytes);
  uint32_t (*config_write)(void* device, uint32_t offset, const void* buffer, uint32_t bytes);
  /* Optional, may be null: takes the oldest log record. Returns 1, or 0 if the log is empty. On
   * entry all members but `size` are 0, and `size` stays as it is. Without it the clauses that
   * rest on the device log are not applicable. */
  int (*log)(void* device, WddmDeviceEvent* event);
  /* Optional, may be null: overwrites every register and cache of `node` that a paging operation
   * may legally change, to test that split portions reprogram what they use; the same `seed` leaves
   * the same. It is called where a paging packet of `node` could run next: where nodes share an
   * engine a packet of another may be under way in it, whose state is left alone until it ends.
   * Without it a driver that relies on such state is found only if its own paging happens
   * to change it. */
  void (*scramble)(void* device, uint32_t node, uint32_t seed);
  /* Optional, may be null: reads `bytes` of memory of the device that no BAR shows, at an address
   * as the GPU sees it (BaseAddress of a segment + offset). Returns 0, or -1 if not all of it is
   * such memory. Changes nothing and logs nothing. Page tables are looked at by it: without it
   * those in such memory are judged only by what the GPU reaches through them. So is what
   * allocations hold, as engines read it there: where the device stores it otherwise, compressed
   * for one, it returns -1. Without it nothing is said of what commands and paging write to such
   * memory before it is paged out, and clauses that rest on memory may not be reached. */
  int (*memory_read)(void* device, uint64_t address, void* buffer, uint32_t bytes);
  /* Optional, may be null: the device's power is now that of `state`, 0 for D0 or 3 for D3: behind
   * the driver's SetPowerState for D3, and before it for D0. In D3 the device forgets what the
   * hardware does not keep without power: registers, caches, work. Memory of BARs it leaves alone:
   * the host overwrites of that what nobody keeps. Without it registers outlive D3, and a driver
   * that does not program them anew in D0 is not found. */
  void (*power)(void* device, uint32_t state);
  /* How many low bits of a SubmissionFenceId the hardware keeps, and so the tags of the log have:
   * 1..32. 0: that is learned from the tags, for 8, 16, 24 and 32 bits. The host makes fences of
   * them again. A tag of 0 is taken for a packet whose fence ends in zeros while the driver has
   * one; if this is 0, only as long as no other work was logged with it. */
  uint32_t tag_bits;
  uint32_t reserved_at_end; /* 0 */
  /* Interrupt messages that the driver's INF asks for and Windows grants. The driver finds them
   * among its resources, with CM_RESOURCE_INTERRUPT_LATCHED | CM_RESOURCE_INTERRUPT_MESSAGE, and
   * the device signals by raise_message() alone. 0: one interrupt line. */
  uint32_t messages;
  /* 0: MSI: 1, 2, 4, 8, 16 or 32 messages, one resource descriptor for all of them, and the
   * capability in the header that wddmcheck makes. 1: MSI-X: 1 to 2048, a descriptor for each; where
   * its table lies is the device's to say, so the capability is there if config_read shows it. */
  uint32_t message_table;
} WddmDevice;

/* The one exported function: a table with static lifetime, or null if `host_version` (the host's
 * WDDM_DEVICE_VERSION) is not one that the device can work with. */
const WddmDevice* WddmDeviceEntry(uint32_t host_version);
typedef const WddmDevice* (*WddmDeviceEntryFunction)(uint32_t host_version);

#ifdef __cplusplus
}
#endif
#endif
