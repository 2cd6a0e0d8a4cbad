/* The hardware interface of the Plover: what its driver, its user mode and its device model share.
 *
 * Three nodes take packets from queues in system memory, and say in system memory too what became
 * of them: events in a ring of which the interrupt only says that it has news, and beside it the
 * last fence of each node. All that a packet fetches, reads and writes goes through page tables of
 * four levels, which nothing but the CPU writes. Little-endian throughout. Plain C without any
 * other header, for all three include it.
 */
#ifndef PLOVER_HW_H
#define PLOVER_HW_H

typedef unsigned int PloverU32;
typedef unsigned long long PloverU64;

#define PLOVER_ID_VALUE 0x52564c50u /* "PLVR" */
#define PLOVER_VENDOR 0x1d9bu
#define PLOVER_DEVICE 0x7e41u

#define PLOVER_NODES 3u /* 0 and 1 compute, 2 copies and pages */
#define PLOVER_COPY_NODE 2u

/* BAR 0: registers. BAR 1: memory, which the GPU sees at PLOVER_MEMORY_BASE; the firmware has a
 * part of it where nothing else may lie. */
#define PLOVER_REGISTER_BYTES 0x10000u
#define PLOVER_MEMORY_BYTES 0x4000000u
#define PLOVER_MEMORY_BASE 0x8000000000ull
#define PLOVER_FIRMWARE_OFFSET 0x1c00000u
#define PLOVER_FIRMWARE_BYTES 0x400000u

/* Registers of the adapter. */
enum {
  PLOVER_ID = 0x00,
  PLOVER_INT_STATUS = 0x04,     /* bit 0: there are new events; writing 1 clears it */
  PLOVER_INT_ENABLE = 0x08,     /* 1: the line follows INT_STATUS */
  PLOVER_EVENT_BASE = 0x10,     /* 64 bits, physical; behind the events: how many there ever were */
  PLOVER_EVENT_ENTRIES = 0x18,  /* writing it empties the ring */
  PLOVER_EVENT_CONSUMED = 0x1c, /* of all there ever were; nodes wait while the ring is full */
  PLOVER_CLOCK = 0x20,          /* 64 bits, PLOVER_CLOCK_HZ */
  PLOVER_TLB_INVALIDATE = 0x28, /* forget the translations of this address space, ~0: of all */
  PLOVER_ADAPTER_RESET = 0x2c,  /* forget everything */
  PLOVER_FENCE_BASE = 0x30      /* 64 bits, physical: a word for each node, 16 bytes apart */
};
#define PLOVER_CLOCK_HZ 1000000u
#define PLOVER_FENCE_STRIDE 16u

/* Registers of a node, at PLOVER_NODE(n). */
#define PLOVER_NODE(n) (0x100u * ((n) + 1u))
enum {
  PLOVER_RING_BASE = 0x00,    /* 64 bits, physical */
  PLOVER_RING_ENTRIES = 0x08, /* writing it empties the queue */
  PLOVER_RING_TAIL = 0x0c,    /* of all packets there ever were */
  PLOVER_PREEMPT = 0x14,      /* save what runs, drop what is queued, event PREEMPTED */
  PLOVER_NODE_RESET = 0x18,   /* drop all */
  PLOVER_ABORTED = 0x1c,      /* by the last reset: fence of the packet that ran, 0: none */
  PLOVER_POWER = 0x20,        /* 1: the clock stands still, registers stay */
  PLOVER_PROGRESS = 0x24      /* units that it has worked, of all there ever were */
};

/* A packet of a queue. A root is named by physical address: tables lie in system memory. */
typedef struct PloverPacket {
  PloverU32 flags, fence;
  PloverU64 address;
  PloverU32 bytes, root_entries;
  PloverU64 root;
  PloverU32 space, reserved0; /* number of the address space: with the root the tag in the TLB */
  PloverU64 save_address;     /* 0: runs to its end whoever wants to preempt it */
  PloverU64 reserved1[2];
} PloverPacket;
enum {
  PLOVER_PACKET_PRIVILEGED = 1, /* may flush and notify */
  PLOVER_PACKET_SKIP = 2,       /* nothing to run, and nobody is told but the driver */
  PLOVER_PACKET_RESUME = 4      /* goes on where the save area says, if that is of this packet */
};
#define PLOVER_RING_COUNT 64u

typedef struct PloverEvent {
  PloverU32 type, node, fence;
  PloverU32 argument; /* PAGE_FAULT: level, and PLOVER_FAULT_WRITE */
  PloverU64 address;  /* PAGE_FAULT */
  PloverU32 space, reserved;
} PloverEvent;
enum {
  PLOVER_EVENT_COMPLETED = 1,
  PLOVER_EVENT_PREEMPTED = 2,   /* fence: what PREEMPT was written with */
  PLOVER_EVENT_PAGE_FAULT = 3,  /* the node halts until it is reset, as after BAD_COMMAND */
  PLOVER_EVENT_BAD_COMMAND = 4, /* not a command, or not for packets that are not PRIVILEGED */
  PLOVER_EVENT_SIGNALED = 5,    /* NOTIFY */
  PLOVER_EVENT_SKIPPED = 6
};
#define PLOVER_FAULT_LEVEL 0xffu
#define PLOVER_FAULT_WRITE 0x100u
#define PLOVER_EVENT_COUNT 64u

/* A command. */
typedef struct PloverCommand {
  PloverU32 op, value;
  PloverU64 destination, source, size;
} PloverCommand;
enum {
  PLOVER_OP_NOP = 0,
  PLOVER_OP_FILL = 1,
  PLOVER_OP_COPY = 2,
  PLOVER_OP_ADD = 3,
  PLOVER_OP_SPIN = 4,   /* size: dispatches, which it can be stopped between */
  PLOVER_OP_SIGNAL = 5, /* semaphore `destination` = value */
  PLOVER_OP_WAIT = 6,
  PLOVER_OP_WRITE64 = 7, /* destination = source */
  /* privileged */
  PLOVER_OP_FLUSH_TLB = 0x80, /* value: address space, ~0: all; of it destination to size, 0: all */
  PLOVER_OP_NOTIFY = 0x81     /* event SIGNALED */
};
#define PLOVER_SEMAPHORES 256u

/* How far a packet came that was preempted, in memory of its context. */
typedef struct PloverSaveArea {
  PloverU32 valid, spin_left;
  PloverU64 address; /* of the packet, ... */
  PloverU32 bytes;   /* ... as it came */
  PloverU32 offset;
} PloverSaveArea;

/* Page tables: one page each. An entry of a leaf table has 16 bytes, the second half for the driver
 * alone; one above it has 8, so that the levels differ in how many there are. */
#define PLOVER_VA_BITS 44u
#define PLOVER_LEVELS 4u
#define PLOVER_INDEX_BITS \
  { 8, 9, 9, 6 }
#define PLOVER_INDEX_SHIFT \
  { 12, 20, 29, 38 }
#define PLOVER_ENTRY_BYTES \
  { 16, 8, 8, 8 }
#define PLOVER_PTE_VALID 0x1ull
#define PLOVER_PTE_ZERO 0x2ull
#define PLOVER_PTE_READ_ONLY 0x4ull
#define PLOVER_PTE_NO_EXECUTE 0x8ull
#define PLOVER_PTE_COHERENT 0x10ull
#define PLOVER_PTE_SYSTEM 0x20ull
#define PLOVER_PTE_ADDRESS 0x000ffffffffff000ull

/* What user mode tells the driver. */
#define PLOVER_ALLOCATION_MAGIC 0x41564c50u
#define PLOVER_ALLOCATION_CPU_VISIBLE 1u
typedef struct PloverAllocationData {
  PloverU32 magic, flags;
  PloverU64 bytes;
} PloverAllocationData;
#define PLOVER_CONTEXT_MAGIC 0x43564c50u
typedef struct PloverContextData {
  PloverU32 magic, node;
} PloverContextData;
#define PLOVER_SUBMIT_MAGIC 0x53564c50u
typedef struct PloverSubmitData {
  PloverU32 magic, commands;
} PloverSubmitData;

#endif
