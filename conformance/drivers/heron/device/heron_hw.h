/* The hardware interface of the Heron: what its driver, its user mode and its device model share.
 *
 * One engine takes entries from one ring in system memory; each entry belongs to one of two nodes,
 * and how far a node came stands in a page of system memory, too. Commands reach memory through
 * windows, all but those of the privileged. Little-endian throughout. */
#ifndef HERON_HW_H
#define HERON_HW_H
#include <stdint.h>

#define HERON_VENDOR_ID 0x1C9E
#define HERON_DEVICE_ID 0x0711

/* BAR 0: registers, 64 KB. BAR 1: video memory. */
#define HERON_REG_BAR_BYTES 0x10000u
#define HERON_VRAM_BYTES 0x1000000u
#define HERON_APERTURE_BYTES 0x1000000u
#define HERON_APERTURE_PAGES (HERON_APERTURE_BYTES >> 12)

/* The GPU's own address space. */
#define HERON_VRAM_BASE 0x20000000ull
#define HERON_APERTURE_BASE 0x40000000ull

#define HERON_NODES 2u /* queues 0 (3D) and 1 (copy) feed one engine */
#define HERON_WINDOWS 8u

/* Registers. */
#define HREG_ID 0x0000u         /* RO 'HERN' */
#define HREG_CONTROL 0x0004u    /* bit 0 RESET (self clearing), bit 1 RUN */
#define HREG_INT_STATUS 0x0010u /* W1C */
#define HREG_INT_ENABLE 0x0014u
#define HREG_RING_LO 0x0020u /* physical address of the ring */
#define HREG_RING_HI 0x0024u
#define HREG_RING_ENTRIES 0x0028u /* power of two */
#define HREG_RING_HEAD 0x002cu    /* RO: next entry that the engine takes */
#define HREG_RING_TAIL 0x0030u    /* doorbell */
#define HREG_FENCE_LO 0x0038u     /* physical address of the fence page */
#define HREG_FENCE_HI 0x003cu
#define HREG_PREEMPT 0x0040u      /* bit n: drop what node n has not begun, up to its marker */
#define HREG_FAULT_OFFSET 0x0048u /* RO: offset in the buffer at which the engine faulted */
#define HREG_ENGINE 0x004cu       /* RO: bit 0 busy, bit 1 stopped by a fault */
#define HREG_CURRENT_FENCE 0x0050u
#define HREG_CURRENT_OFFSET 0x0054u
#define HREG_GART 0x8000u /* 64-bit entry per aperture page */

#define HERON_ID_VALUE 0x4e524548u
#define HCONTROL_RESET 0x1u
#define HCONTROL_RUN 0x2u

#define HINT_DONE(node) (0x1u << (node))
#define HINT_PREEMPTED(node) (0x10u << (node))
#define HINT_FAULT(node) (0x100u << (node))
#define HINT_ALL 0x333u

#define HGART_VALID 0x1ull
#define HGART_SNOOP 0x2ull

/* One entry of the ring. */
enum { HRING_EXECUTE = 1, HRING_PREEMPT = 2 };
#define HRING_PRIVILEGED 0x1u /* flags: commands of class 0x40 are allowed */
#define HRING_SYSTEM 0x2u     /* flags: address is of system memory, not of the GPU */
typedef struct HeronRingEntry {
  uint32_t kind;
  uint32_t node;
  uint32_t fence;
  uint32_t flags;
  uint64_t address;
  uint32_t bytes;
  uint32_t reserved;
} HeronRingEntry;

/* What the engine writes for each node, 32 bytes each. */
typedef struct HeronFenceCell {
  uint32_t done;            /* fence of the last packet that has ended */
  uint32_t preempt;         /* fence of the last preemption that has ended */
  uint32_t done_at_preempt; /* `done` as it was then */
  uint32_t reserved[5];
} HeronFenceCell;

/* Commands: a header and dwords behind it. */
#define HCMD(op, dwords, a, b) \
  (((uint32_t)(op) << 24) | ((uint32_t)(dwords) << 16) | ((uint32_t)(b) << 8) | (uint32_t)(a))
#define HCMD_OP(h) ((h) >> 24)
#define HCMD_DWORDS(h) (((h) >> 16) & 0xffu)
#define HCMD_A(h) ((h)&0xffu)
#define HCMD_B(h) (((h) >> 8) & 0xffu)
enum {
  HOP_NOP = 0x01,      /* 1 */
  HOP_WINDOW = 0x10,   /* 4: window a <- address lo, hi, limit */
  HOP_UNWINDOW = 0x11, /* 1: window a <- nothing */
  HOP_FILL = 0x20,     /* 4: window a; offset, bytes, value */
  HOP_COPY = 0x21,     /* 4: window a <- window b; offset, source offset, bytes */
  HOP_ADD = 0x22,      /* 3: window a; offset, value */
  HOP_SPIN = 0x23,     /* 2: units */
  HOP_RECTCOPY = 0x24, /* 7: a <- b; offset, pitch, source offset, pitch, row bytes, rows */
  HOP_RECTFILL = 0x25, /* 6: a; offset, pitch, row bytes, rows, value */
  /* Only in privileged buffers. */
  HOP_PCOPY = 0x40, /* 6: a = HP_ flags; destination lo, hi, source lo, hi, bytes */
  HOP_PFILL = 0x41, /* 5: destination lo, hi, bytes, value */
  HOP_PTOUCH = 0x42 /* 3: a = 1: write; address lo, hi */
};
#define HP_TO_SYSTEM 0x1u
#define HP_FROM_SYSTEM 0x2u
#endif
