/* The hardware interface of the Kestrel: what its driver, its user mode and its device model share.
 *
 * Two engines take packets from rings in system memory, each with a record beside it of how far it
 * came. Commands carry physical addresses of one address space: video memory that the CPU sees,
 * video memory that it does not see, and an aperture into system memory. Little-endian throughout.
 * Plain C without any other header, for all three include it.
 */
#ifndef KESTREL_HW_H
#define KESTREL_HW_H

typedef unsigned int KstU32;
typedef unsigned long long KstU64;

#define KST_VENDOR 0x1f5bu
#define KST_DEVICE 0x0042u
#define KST_NODES 2u /* 0 renders, 1 copies and pages */

/* BAR 0: registers. BAR 1: the visible memory. */
#define KST_REGISTER_BYTES 0x10000u
enum {
  KST_INT_STATUS = 0x00, /* KST_INT_*; write one to clear */
  KST_INT_ENABLE = 0x04, /* the line is up while a bit is set in both */
  KST_GART_HIGH = 0x08,  /* physical address of the table of the aperture */
  KST_GART_LOW = 0x0c,
  KST_CLOCK = 0x10, /* 64 bits, KST_CLOCK_HZ */
  KST_ID = 0x18
};
#define KST_ID_VALUE 0x4b535431u
#define KST_CLOCK_HZ 1000000u
#define KST_INT_DONE(n) (1u << (8u * (n)))
#define KST_INT_PREEMPTED(n) (2u << (8u * (n)))

/* Registers of an engine, at KST_NODE(n). */
#define KST_NODE(n) (0x100u + 0x80u * (n))
#define KST_NODE_BYTES 0x80u
enum {
  KST_RING_HIGH = 0x00, /* physical address */
  KST_RING_LOW = 0x04,
  KST_RING_ENTRIES = 0x08,
  KST_RING_HEAD = 0x0c,   /* index of the next entry that it takes; read only */
  KST_RING_TAIL = 0x10,   /* index behind the newest entry */
  KST_RECORD_HIGH = 0x14, /* physical address */
  KST_RECORD_LOW = 0x18,
  KST_CONTROL = 0x1c, /* KST_CONTROL_* */
  KST_PREEMPT = 0x20, /* stop at this command, forget what is queued by now; a fence */
  KST_PROGRESS = 0x24 /* another number whenever commands have been worked at */
};
enum { KST_CONTROL_STOP, KST_CONTROL_RUN, KST_CONTROL_RESET /* and stop; the ring is empty */ };

/* The address space of the engines. */
#define KST_APERTURE_BASE 0x040000000ull
#define KST_APERTURE_BYTES 0x2000000ull
#define KST_VISIBLE_BASE 0x280000000ull
#define KST_VISIBLE_BYTES 0x400000ull
#define KST_HIDDEN_BASE 0x300000000ull
#define KST_HIDDEN_BYTES 0x1000000ull
/* An entry of the table of the aperture, for each page: 64 bits, physical address and flags. */
#define KST_GART_ENTRIES (KST_APERTURE_BYTES >> 12)
#define KST_GART_VALID 1u
#define KST_GART_SNOOP 2u
/* In the high word of an address: it is of system memory. Of packets and of privileged commands. */
#define KST_SYSTEM 0x80000000u
#define KST_HIGH_MASK 0xffffu

/* One entry of a ring. */
enum {
  KstEntryOp,
  KstEntryFlags,
  KstEntryHigh,
  KstEntryLow,
  KstEntryBytes,
  KstEntryFence,
  KstEntrySkip, /* first byte to execute, ... */
  KstEntrySpin, /* ... and how much of a SPIN there has been spent */
  KstEntryWords
};
#define KST_ENTRY_EXECUTE 0x45584543u
#define KST_ENTRY_WHOLE 1u /* flags: not to be preempted once begun */

/* What an engine writes to its record. */
enum {
  KstRecordCompleted, /* fence of the last packet that ended; behind it INT_DONE */
  KstRecordPreempt,   /* what PREEMPT was written with; last, and behind it INT_PREEMPTED */
  KstRecordStopped,   /* fence of the packet that was stopped, 0: none, ... */
  KstRecordOffset,    /* ... its first byte that has not been executed, ... */
  KstRecordSpin,      /* ... and how much of a SPIN there has been spent */
  KstRecordWords = 8
};

/* Commands: words of 32 bits, the first a header of length, opcode and signature. An address has
 * two words, the high one first. */
#define KST_SIGNATURE 0x3c5au
#define KST_HEADER(op, words) (((KstU32)(words) << 24) | ((KstU32)(op) << 16) | KST_SIGNATURE)
#define KST_WORDS(header) ((KstU32)(header) >> 24)
#define KST_OP(header) (((KstU32)(header) >> 16) & 0xffu)
#define KST_IS_COMMAND(header) (((header)&0xffffu) == KST_SIGNATURE && KST_WORDS(header) != 0)
enum {
  KST_OP_NOP = 0x10,     /* any length */
  KST_OP_RELEASE = 0x11, /* slot: for the driver, nothing to the hardware */
  KST_OP_FILL = 0x20,    /* address, bytes, value */
  KST_OP_COPY = 0x21,    /* to address, from address, bytes */
  KST_OP_ADD = 0x22,     /* address, value */
  KST_OP_SIGNAL = 0x30,  /* semaphore, value */
  KST_OP_WAIT = 0x31,    /* semaphore, value */
  KST_OP_SPIN = 0x40,    /* units */
  /* privileged */
  KST_OP_PFILL = 0x80, /* as FILL and COPY, with KST_SYSTEM */
  KST_OP_PCOPY = 0x81,
  KST_OP_GART = 0x82,    /* first entry, then entries, high word first */
  KST_OP_GARTFILL = 0x83 /* first entry, count, entry */
};
#define KST_SEMAPHORES 256u

/* Slots are user mode's and the driver's: commands name none. */
#define KST_SLOTS 16u

/* What user mode tells the driver of an allocation. */
#define KST_ALLOCATION_MAGIC 0x4b414c43u
#define KST_ALLOCATION_VISIBLE 1u
#define KST_ALLOCATION_APERTURE 2u
typedef struct KstAllocationData {
  KstU32 magic, segment, flags, format;
  KstU64 bytes;
  KstU32 width, height, pitch, reserved;
} KstAllocationData;

#endif
