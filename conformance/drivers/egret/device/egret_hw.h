/* The hardware interface of the Egret: what its driver, its user mode and its device model share.
 *
 * Two nodes take jobs from rings in system memory. All that a job fetches, reads and writes goes
 * through page tables of three levels, and its context lives in memory between jobs. Local memory
 * is seen by the CPU through a window alone, which can show any of its 64-KB pages, more than once.
 * Little-endian throughout. Plain C without any other header, for all three include it.
 */
#ifndef EGRET_HW_H
#define EGRET_HW_H

typedef unsigned int eg_u32;
typedef unsigned long long eg_u64;

#define EG_VENDOR 0x1ea7u
#define EG_DEVICE 0x0e61u
#define EG_NODES 2u
#define EG_NODE_RENDER 0u
#define EG_NODE_COPY 1u

/* ---- Memory ---- */
#define EG_VRAM_BASE 0x80000000ull /* as engines see local memory */
#define EG_VRAM_SIZE 0x04000000ull /* 64 MB */
#define EG_GART_BASE 0x40000000ull /* as engines see the aperture */
#define EG_GART_PAGES 4096u        /* of 4 KB */
#define EG_SYS_BIT (1ull << 63)    /* physical addresses of engines: system memory */
#define EG_WINDOW_PAGE 0x10000u    /* the CPU's window moves in pages of 64 KB */
#define EG_WINDOW_PAGES 64u        /* 4 MB of BAR 1 */
#define EG_BAR_REGISTERS 0u
#define EG_BAR_WINDOW 1u
#define EG_BAR0_SIZE 0x10000u
#define EG_BAR1_SIZE (EG_WINDOW_PAGES * EG_WINDOW_PAGE)

/* ---- Registers of BAR 0 ---- */
#define EG_REG_ID 0x000u /* reads EG_ID_VALUE */
#define EG_ID_VALUE 0x45475254u
#define EG_REG_INTR_STATUS 0x004u /* write 1 to clear */
#define EG_REG_INTR_ENABLE 0x008u
#define EG_REG_CLOCK 0x010u /* 64 bits */
#define EG_REG_WIN_INDEX 0x020u
#define EG_REG_WIN_PAGE 0x024u /* commits; bit 31: valid */
#define EG_WIN_VALID 0x80000000u
#define EG_REG_GART_INDEX 0x030u
#define EG_REG_GART_ENTRY 0x038u /* 64 bits, commits */
#define EG_REG_TLB_FLUSH 0x040u  /* an address space, ~0: all */

#define EG_NODE_REGS(n) (0x1000u * ((n) + 1u))
#define EG_N_RING_BASE 0x00u    /* 64 bits, system address */
#define EG_N_RING_ENTRIES 0x08u /* a power of two */
#define EG_N_TAIL 0x0cu         /* doorbell */
#define EG_N_HEAD 0x10u
#define EG_N_COMPLETED 0x14u
#define EG_N_ACTIVE 0x18u
#define EG_N_STATE 0x1cu
#define EG_N_STATE_BUSY 1u
#define EG_N_STATE_HALTED 2u
#define EG_N_PREEMPT 0x20u /* asks for it; reads the tag that was done */
#define EG_N_PROGRESS 0x2cu
#define EG_N_FAULT_FENCE 0x30u
#define EG_N_FAULT_INFO 0x34u
#define EG_N_FAULT_WRITE 1u
#define EG_N_FAULT_INSTRUCTION 2u
#define EG_N_FAULT_LEVEL(info) (((info) >> 8) & 0xfu)
#define EG_N_FAULT_VA 0x38u /* 64 bits */
#define EG_N_CONTROL 0x40u
#define EG_N_RUN 1u
#define EG_N_RESET 2u      /* stops, empties the ring, aborts; clears itself */
#define EG_N_CONTINUE 4u   /* after a fault: on with the next job */
#define EG_N_ABORTED 0x44u /* fence that the last reset aborted */
#define EG_N_ABORT_VALID 0x48u

#define EG_INTR_COMPLETE(n) (1u << (8 * (n)))
#define EG_INTR_FAULT(n) (2u << (8 * (n)))
#define EG_INTR_PREEMPT(n) (4u << (8 * (n)))
#define EG_INTR_NODE(n) (7u << (8 * (n)))
#define EG_INTR_ALL (EG_INTR_NODE(0) | EG_INTR_NODE(1))

/* ---- Jobs: elements of a ring ---- */
typedef struct eg_job {
  eg_u64 root;    /* physical, EG_SYS_BIT; 0: none */
  eg_u64 buffer;  /* virtual */
  eg_u64 context; /* virtual address of the context image; 0: none */
  eg_u32 length;  /* bytes */
  eg_u32 fence;
  eg_u32 space; /* address space */
  eg_u32 root_entries;
  eg_u32 flags;
  eg_u32 reserved[3];
} eg_job; /* 56 bytes, in slots of 64 */
#define EG_JOB_SLOT 64u
#define EG_JOB_PRIVILEGED 1u
#define EG_JOB_RESUME 2u /* may have been stopped in a WAIT before */

/* ---- Context image ---- */
#define EG_SLOTS 16u
#define EG_CONTEXT_MAGIC 0x41534345u
typedef struct eg_context {
  eg_u32 magic;
  eg_u32 pattern;
  eg_u64 base[EG_SLOTS]; /* 0: unbound */
  eg_u64 resume_buffer;  /* of a job stopped in a WAIT */
  eg_u32 resume_offset;
  eg_u32 reserved[13];
} eg_context;
#define EG_CONTEXT_BYTES 0x1000u /* what an image occupies */

/* ---- Commands: dword 0 is (op << 24) | dwords ---- */
#define EG_HEADER(op, dwords) (((eg_u32)(op) << 24) | (eg_u32)(dwords))
#define EG_OP(header) ((header) >> 24)
#define EG_DWORDS(header) ((header)&0xffffu)
enum {
  EG_OP_NOP = 0x01,
  EG_OP_BASE = 0x02,    /* slot, va.lo, va.hi */
  EG_OP_UNBASE = 0x03,  /* slot */
  EG_OP_PATTERN = 0x04, /* value */
  EG_OP_FILL = 0x05,    /* slot, offset, bytes */
  EG_OP_COPY = 0x06,    /* slot | source slot << 16, offset, source offset, bytes */
  EG_OP_ADD = 0x07,     /* slot, offset, value */
  EG_OP_SPIN = 0x08,    /* units */
  EG_OP_SIGNAL = 0x09,  /* semaphore, value */
  EG_OP_WAIT = 0x0a,    /* semaphore, value */
  EG_OP_VFILL = 0x10,   /* bytes, va.lo, va.hi, value */
  EG_OP_VCOPY = 0x11,   /* bytes, dst.lo, dst.hi, src.lo, src.hi */
  EG_OP_VWRITE = 0x12,  /* dwords, va.lo, va.hi, data... */
  /* In privileged jobs alone: */
  EG_OP_PFILL = 0x20,    /* bytes, pa.lo, pa.hi, value */
  EG_OP_PCOPY = 0x21,    /* bytes, dst.lo, dst.hi, src.lo, src.hi */
  EG_OP_PTES = 0x22,     /* count, pa.lo, pa.hi, stride, 0, entries... */
  EG_OP_PTEFILL = 0x23,  /* count, pa.lo, pa.hi, stride, 0, entry.lo, entry.hi */
  EG_OP_GART = 0x24,     /* index, count, 0, entries... */
  EG_OP_GARTFILL = 0x25, /* index, count, 0, entry.lo, entry.hi */
  EG_OP_TLBINV = 0x26,   /* space or ~0, start.lo, start.hi, end.lo, end.hi; 0, 0: all of it */
  EG_OP_PROBE = 0x27     /* pa.lo, pa.hi: reads a dword */
};
#define EG_MAX_COPY 0x100000u /* bytes of a fill or copy of the kernel's */

/* ---- Page tables: 40 bits, root 9 | middle 9 | leaf 10 (4 KB) or 6 (64 KB) ---- */
#define EG_VA_BITS 40u
#define EG_LEVELS 3u
#define EG_L0_BITS 10u
#define EG_L1_BITS 9u
#define EG_L2_BITS 9u
#define EG_L0_BYTES 0x2000u
#define EG_L0_64K_BYTES 0x1000u
#define EG_L1_BYTES 0x2000u /* entries of 16 bytes: leaf of 4 KB pages, leaf of 64 KB pages */
#define EG_L2_BYTES 0x1000u
#define EG_PTE_VALID 1ull
#define EG_PTE_ZERO 2ull
#define EG_PTE_SYSTEM 4ull
#define EG_PTE_COHERENT 8ull
#define EG_PTE_READ_ONLY 16ull
#define EG_PTE_ADDRESS 0x000ffffffffff000ull
#define EG_PTE_DRIVER_SHIFT 52 /* 8 bits of DriverProtection */
#define EG_PTE_DRIVER_MASK 0xffull
#define EG_GART_VALID 1ull
#endif
