/* The hardware interface of the Tern: what its driver, its user mode and its device model share.
 *
 * One engine takes packets from a ring at the start of video memory and does everything, paging
 * included. All that a packet fetches, reads and writes goes through page tables of three levels;
 * only commands that write entries may name tables by physical address. Little-endian throughout.
 * Plain C without any other header, for all three include it.
 */
#ifndef TERN_HW_H
#define TERN_HW_H

typedef unsigned int TernU32;
typedef unsigned long long TernU64;

#define TERN_ID 0x4e524554u /* "TERN" */
#define TERN_VENDOR 0x7e12u
#define TERN_DEVICE 0x0200u

/* BAR 0: registers. BAR 1: video memory, which the GPU sees at TERN_LOCAL_BASE. */
#define TERN_REGISTER_BYTES 4096u
#define TERN_LOCAL_BYTES 0x800000u
#define TERN_LOCAL_BASE 0x4000000000ull
#define TERN_RING_ENTRIES 256u
#define TERN_RESERVED_BYTES 0x20000u /* of video memory, the driver's own: the ring */

/* Registers of 32 bits. Those of events describe the oldest one; writing EVENT_NEXT removes it. The
 * interrupt line is up while there is one and INT_ENABLE is 1. */
enum {
  TERN_REG_ID = 0x00,
  TERN_REG_INT_ENABLE = 0x04,
  TERN_REG_EVENT_KIND = 0x08,      /* TERN_EVENT_* */
  TERN_REG_EVENT_FENCE = 0x0c,     /* of the packet; of PREEMPTED what PREEMPT was written with */
  TERN_REG_EVENT_COMPLETED = 0x10, /* COMPLETED when it happened */
  TERN_REG_EVENT_INFO = 0x14,      /* TERN_INFO_* */
  TERN_REG_EVENT_VA_LOW = 0x18,
  TERN_REG_EVENT_VA_HIGH = 0x1c,
  TERN_REG_EVENT_STOPPED = 0x20, /* PREEMPTED: fence of the packet that was running, ... */
  TERN_REG_EVENT_OFFSET = 0x24,  /* ... its first byte not executed yet, ... */
  TERN_REG_EVENT_SPIN = 0x28,    /* ... and what is left of a SPIN there */
  TERN_REG_EVENT_NEXT = 0x2c,
  TERN_REG_RING_TAIL = 0x30, /* index behind the newest entry; RESET makes it 0 */
  TERN_REG_PREEMPT = 0x34,   /* stop at this command, forget the queue, raise PREEMPTED */
  TERN_REG_RESET = 0x38,     /* TERN_RESET_* */
  TERN_REG_COMPLETED = 0x3c, /* fence of the last packet that ended; may be written */
  TERN_REG_RUNNING = 0x40,   /* fence of the packet under way */
  TERN_REG_STATUS = 0x44,    /* TERN_STATUS_* */
  TERN_REG_TLB_FLUSH = 0x48  /* forget the translations of this address space */
};
enum { TERN_EVENT_NONE, TERN_EVENT_COMPLETED, TERN_EVENT_FAULT, TERN_EVENT_PREEMPTED };
enum {
  TERN_INFO_LEVEL = 0xff,     /* FAULT: level of the entry that ended the walk */
  TERN_INFO_WRITE = 0x100,    /* FAULT */
  TERN_INFO_COMMAND = 0x200,  /* FAULT: no address is to blame, the command makes no sense */
  TERN_INFO_STOPPED = 0x10000 /* PREEMPTED: a packet was running */
};
/* After a FAULT the packet is gone and the engine halts until a reset. */
enum { TERN_RESET_ENGINE = 1, TERN_RESET_ALL = 2 /* semaphores too */ };
enum { TERN_STATUS_RUNNING = 1, TERN_STATUS_HALTED = 2, TERN_STATUS_STALLED = 4 };

/* A ring entry. The root is named by physical address: TERN_SYSTEM says which memory. */
typedef struct TernPacket {
  TernU64 va;
  TernU64 root;
  TernU32 bytes;
  TernU32 start; /* offset of the first command to execute */
  TernU32 fence;
  TernU32 space; /* number of the address space, 1 and up: tag of its translations */
  TernU32 flags; /* TERN_PACKET_* */
  TernU32 root_entries;
  TernU32 spin_left; /* of the SPIN at `start`; 0: all of it */
  TernU32 reserved[5];
} TernPacket;
enum {
  TERN_PACKET_PRIVILEGED = 1, /* may write entries and flush */
  TERN_PACKET_VOID = 2        /* nothing to execute; completes in its turn, without an event */
};
#define TERN_SYSTEM (1ull << 63)

/* Page tables: 4 KB each, 8 bytes an entry. Leaf 256 entries, above it 128, root 512. */
#define TERN_LEVELS 3u
#define TERN_LEAF_BITS 8u
#define TERN_MIDDLE_BITS 7u
#define TERN_ROOT_BITS 9u
#define TERN_VA_BITS (12u + TERN_LEAF_BITS + TERN_MIDDLE_BITS + TERN_ROOT_BITS)
#define TERN_TABLE_BYTES 4096u

#define TERN_PTE_VALID (1ull << 63)
#define TERN_PTE_SYSTEM (1ull << 62)
#define TERN_PTE_ZERO (1ull << 61)
#define TERN_PTE_READ_ONLY (1ull << 60) /* level 0 only */
#define TERN_PTE_BLOCK (1ull << 59)     /* level 0 only: see below */
#define TERN_PTE_LEVEL(level) ((TernU64)(level) << 56)
#define TERN_PTE_LEVEL_MASK TERN_PTE_LEVEL(7)
#define TERN_PTE_DRIVER(value) (((TernU64)(value)&0xff) << 40) /* level 0 only; never looked at */
#define TERN_PTE_FRAME_MASK ((1ull << 40) - 1)

/* A page with TERN_PTE_BLOCK is part of a block of 64 KB if the low 4 bits of its frame number are
 * those of the virtual address; else it is a page like others. The hardware reads the 16 entries of
 * the block together and keeps one translation for all that are like the one it came for. */
#define TERN_BLOCK_BITS 4u
#define TERN_BLOCK_PAGES (1u << TERN_BLOCK_BITS)

/* Commands: words of 64 bits, the first a header. Lengths count words. */
#define TERN_COMMAND(op, words, flags, operand) \
  ((TernU64)(op) | (TernU64)(words) << 8 | (TernU64)(flags) << 24 | (TernU64)(operand) << 32)
#define TERN_OP(header) ((TernU32)(header)&0xff)
#define TERN_WORDS(header) ((TernU32)((header) >> 8) & 0xffff)
#define TERN_FLAGS(header) ((TernU32)((header) >> 24) & 0xff)
#define TERN_OPERAND(header) ((TernU32)((header) >> 32))
enum {
  TERN_NOP = 1,
  TERN_FILL = 2,   /* va, bytes, pattern; operand: a note of user mode, as in COPY and ADD */
  TERN_COPY = 3,   /* to va, from va, bytes */
  TERN_ADD = 4,    /* va, value */
  TERN_SIGNAL = 5, /* value; operand: semaphore, as in WAIT */
  TERN_WAIT = 6,   /* value */
  TERN_SPIN = 7,   /* units */
  /* privileged */
  TERN_PTE_WRITE = 16, /* table, first index, entries...; flags: TERN_TABLE_* */
  TERN_PTE_FILL = 17,  /* table, first index, count, entry; flags: TERN_TABLE_* */
  TERN_PTE_COPY = 18,  /* to va, from va, count */
  TERN_TLB_FLUSH = 19  /* first va, last va; operand: address space, 0 = all */
};
enum { TERN_TABLE_VIRTUAL = 0, TERN_TABLE_LOCAL = 1, TERN_TABLE_SYSTEM = 2 };
#define TERN_BY_DRIVER 0x80u /* flag of FILL and COPY: the driver's, without a note */
#define TERN_SEMAPHORES 256u

/* What user mode tells the driver. */
#define TERN_MAGIC 0x6e726574u
typedef struct TernAllocationData {
  TernU32 magic;
  TernU32 system_only; /* 1: never in video memory */
  TernU32 cpu_visible;
  TernU32 reserved;
  TernU64 bytes;
} TernAllocationData;
typedef struct TernSubmissionData {
  TernU32 magic;
  TernU32 command_bytes;
} TernSubmissionData;

#endif
