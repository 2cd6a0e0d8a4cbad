/* The hardware interface of the reference GPU: what its driver and its device model agree on.
 *
 * Plain C without any other header, because a kernel-mode driver and a user-mode model both
 * include it. Registers and commands are little-endian; offsets and sizes are bytes.
 *
 * The GPU in one paragraph: two engines (render, copy) fetch commands from DMA buffers that a ring
 * in system memory names. Commands reach memory only through 16 slot base registers, which hold GPU
 * addresses and have no bounds, so whoever writes commands must have checked them. Paging commands
 * take addresses directly. GPU addresses are physical: video memory at HW_LOCAL_BASE, more of it,
 * which no CPU sees, at HW_HIGH_BASE, system pages through the aperture at HW_APERTURE_BASE. There
 * is no display.
 *
 * A packet may run with virtual addresses instead: all that it fetches and all that its slots name
 * is then translated through page tables, from the root that its ring entry names ("Page tables").
 */
#ifndef REFERENCE_GPU_HW_H
#define REFERENCE_GPU_HW_H

typedef unsigned int HwUint32;
typedef unsigned long long HwUint64;

#define HW_VENDOR_ID 0x1af4u
#define HW_DEVICE_ID 0x5752u
#define HW_ID_VALUE 0x57524546u /* "WREF" */

#define HW_PAGE_SIZE 4096u
#define HW_REGISTER_BAR 0u
#define HW_REGISTER_BAR_SIZE 0x10000u
#define HW_MEMORY_BAR 2u
#define HW_LOCAL_PAGES 256u /* video memory behind BAR 2 */
#define HW_APERTURE_PAGES 256u
/* Video memory that the CPU sees through a window only: BAR 4, whose pages show what the registers
 * name. */
#define HW_HOST_APERTURE_BAR 4u
#define HW_HOST_APERTURE_PAGES 64u
#define HW_HIDDEN_PAGES 64u
#define HW_HIDDEN_BASE 0x40000000ull
#define HW_LOCAL_BASE 0x10000000ull
#define HW_APERTURE_BASE 0x80000000ull
/* Video memory behind no BAR, at addresses of more than 32 bits. */
#define HW_HIGH_BASE 0x400000000ull
#define HW_HIGH_PAGES 0x180000u
/* No address: what CLEAR_BASE leaves in a slot base register. Using it is a fault. */
#define HW_NO_ADDRESS 0xfffffffffffff000ull

#define HW_NODE_COUNT 2u
#define HW_NODE_RENDER 0u
#define HW_NODE_COPY 1u
#define HW_SLOT_COUNT 16u
#define HW_CONSTANT_COUNT 16u
#define HW_SEMAPHORE_COUNT 64u

/* ---- Global registers (32 bits unless said otherwise) ---- */
#define HW_REG_ID 0x0000u /* R: HW_ID_VALUE */
#define HW_REG_RESET                                                                                     \
  0x0004u                             /* W: 1 = stop both engines at once, forget rings, aperture,       \
                                         TLBs, slots, constants and semaphores. Keeps interrupt enables. \
                                         A unit of time later HW_INT_RESET_DONE is raised. */
#define HW_REG_LOCAL_PAGES 0x0008u    /* R */
#define HW_REG_APERTURE_PAGES 0x000cu /* R */
/* R: bit n = node n has an enabled cause; HW_INT_RETRACE, HW_INT_RESET_DONE */
#define HW_REG_INT_STATUS 0x0010u
#define HW_REG_INT_ENABLE 0x0014u /* RW: the same bits: node n may interrupt, ... */
#define HW_REG_INT_ACK 0x0018u    /* W: HW_INT_RETRACE and HW_INT_RESET_DONE are cleared by it */
#define HW_REG_APERTURE_INIT                                           \
  0x0020u /* W, 64 bits: all aperture entries := this physical address \
           */
/* W: forgets all translations of this address space on both engines, at once; 0 = of all. */
#define HW_REG_TLB_FLUSH 0x0030u
#define HW_REG_MMU_LEVELS 0x0040u /* RW: levels of page tables, 2..HW_MMU_MAX_LEVELS */
#define HW_REG_MMU_FLAGS 0x0044u  /* RW: HW_MMU_* */
/* RW: bits of the virtual address that index a table of this level, 4..12. Of the root level (the
 * last one) it isn't looked at: all higher bits are its index. */
#define HW_REG_MMU_INDEX_BITS(level) (0x0050u + 4u * (level))
/* RW, 64 bits: bus address of the video memory of the linked GPU, where HW_PTE_PEER leads. Kept
 * across resets, and lost with power as all registers but fences and the host aperture's. */
#define HW_REG_PEER_BASE 0x0068u
#define HW_REG_SEMAPHORE(i) (0x0100u + 4u * (i)) /* RW */
/* RW: which page of hidden memory this page of BAR 4 shows, or, with HW_WINDOW_LOCAL, of the video
 * memory behind BAR 2; others: none, reads are ~0. Kept across resets. */
#define HW_WINDOW_LOCAL 0x80000000u
#define HW_REG_HOST_APERTURE(i) (0x0300u + 4u * (i))
#define HW_REG_APERTURE(i) (0x4000u + 8u * (i)) /* R, 64 bits: entry i, see below */

#define HW_INT_RESET_DONE 0x80000000u
/* Vertical retrace. Nothing is scanned out: while it is enabled, it comes whenever a node gets a
 * cause, in the same instant. */
#define HW_INT_RETRACE 0x40000000u

/* An aperture entry is the physical address of a system page, or this: access is a fault. */
#define HW_APERTURE_INVALID 0ull

/* ---- Registers of one engine ---- */
#define HW_REG_NODE(node, reg) (0x1000u + 0x400u * (node) + (reg))
#define HW_NODE_RING_BASE 0x00u    /* RW, 64 bits: physical address of the ring */
#define HW_NODE_RING_ENTRIES 0x08u /* RW: entries, a power of two */
#define HW_NODE_RING_HEAD 0x0cu /* R: number of the next entry to begin; counts on, modulo 2^32 */
#define HW_NODE_RING_TAIL 0x10u /* RW: entries with numbers below it are valid (doorbell) */
#define HW_NODE_CONTROL 0x14u   /* RW: HW_CONTROL_* */
#define HW_NODE_STATE 0x18u     /* R: HW_STATE_* */
#define HW_NODE_FENCE 0x1cu     /* R: fence of the last packet that ran to its end. W: sets it */
#define HW_NODE_COMPLETED 0x20u /* R: packets that ran to their end, modulo 2^32 */
#define HW_NODE_CURRENT_FENCE 0x24u  /* R: fence of the packet in the engine (valid unless idle) */
#define HW_NODE_CURRENT_OFFSET 0x28u /* R: offset in its DMA buffer of the command in work */
#define HW_NODE_INT_CAUSE 0x2cu      /* R: HW_CAUSE_* */
#define HW_NODE_INT_ACK \
  0x30u /* W: clears these causes; PREEMPTED also lets a halted engine go on */
#define HW_NODE_PREEMPT_MODE 0x34u /* RW: HW_PREEMPT_* for the next request */
#define HW_NODE_PREEMPT 0x38u      /* W: request; the value comes back in PREEMPTED_REQUEST */
/* Answer to the last request; frozen while HW_CAUSE_PREEMPTED is set. */
#define HW_NODE_PREEMPTED_REQUEST 0x3cu
#define HW_NODE_PREEMPTED_FENCE 0x40u /* R: last fence completed when the engine halted */
#define HW_NODE_STOPPED 0x44u         /* R: 1 if a packet was stopped before its end */
#define HW_NODE_STOPPED_INDEX 0x48u   /* R: number of its ring entry */
#define HW_NODE_STOPPED_OFFSET 0x4cu  /* R: offset of the command to go on with */
#define HW_NODE_STOPPED_UNITS 0x50u   /* R: units of that command already done */
#define HW_NODE_DISCARDED 0x5cu       /* R: queued entries discarded; the last one is HEAD - 1 */
#define HW_NODE_ACTIVE 0x58u  /* R: 1 if a packet is in the engine (its entry is HEAD - 1) */
#define HW_NODE_CONTEXT 0x54u /* R: id of the context whose state the engine holds, 0 = none */
/* The last page fault; frozen while HW_CAUSE_FAULTED is set. */
#define HW_NODE_FAULT_ADDRESS 0x60u /* R, 64 bits: virtual address of the access */
#define HW_NODE_FAULT_LEVEL 0x68u   /* R: level of the entry that ended the walk */
#define HW_NODE_FAULT_ACCESS 0x6cu  /* R: HW_ACCESS_* */
#define HW_NODE_FAULT_SPACE 0x70u   /* R: address space */
#define HW_NODE_FAULT_INDEX 0x74u   /* R: number of the packet's ring entry */
#define HW_NODE_FAULT_FENCE 0x78u   /* R: fence of the packet */
/* Of the packet in the engine or of the last one, as its ring entry named them. */
#define HW_NODE_ROOT 0x80u          /* R, 64 bits: HW_ROOT_* and the address of the root table */
#define HW_NODE_ROOT_ENTRIES 0x88u  /* R */
#define HW_NODE_ADDRESS_SPACE 0x8cu /* R */
#define HW_NODE_COMPLETED_FENCE \
  0x90u /* R: fence of the last packet that HW_NODE_COMPLETED counts */
#define HW_NODE_SLOT(i) (0x100u + 8u * (i))     /* R, 64 bits: slot base register */
#define HW_NODE_CONSTANT(i) (0x200u + 4u * (i)) /* R */

#define HW_CONTROL_RUN 0x1u /* engine begins packets only while set */
#define HW_CONTROL_RESET \
  0x2u /* W: drop the packet in work and the ring (head := tail); reads as 0 */

#define HW_STATE_IDLE 0u
#define HW_STATE_RUNNING 1u
#define HW_STATE_WAITING 2u /* in SEM_WAIT, condition not met */
#define HW_STATE_HUNG 3u    /* met a command that it can't decode; only a reset helps */
#define HW_STATE_HALTED 4u  /* answered a preemption, not acknowledged yet */
#define HW_STATE_FAULTED 5u /* met a page fault, not acknowledged yet */

#define HW_CAUSE_COMPLETED 0x1u
#define HW_CAUSE_PREEMPTED 0x2u
#define HW_CAUSE_FAULTED 0x4u

/* A page fault drops the packet: what it did before stays, the access itself does nothing, and its
 * context isn't saved. The engine stops until the acknowledgement of HW_CAUSE_FAULTED, with which
 * HW_NODE_FENCE becomes the fence of the packet; HW_NODE_COMPLETED doesn't count it. Then the
 * engine goes on with the next entry of the ring. */
#define HW_ACCESS_READ 0u
#define HW_ACCESS_WRITE 1u
#define HW_ACCESS_FETCH 2u /* of commands */

/* Discard ring entries queued before the request as well as the packet in work. Without it they
 * begin after the acknowledgement. */
#define HW_PREEMPT_DISCARD_QUEUED 0x1u

/* Preemption: a request reaches a busy engine while it works on a command. The unit of work in
 * progress ends, then the engine stops at the next unit boundary (inside SPIN, FILL, COPY and at
 * SEM_WAIT too), saves the context image and halts. An idle engine halts at once. If the packet
 * ends with that unit, it counts as completed. */

/* ---- Ring entry: 64 bytes ---- */
typedef struct HwRingEntry {
  HwUint64 dma_address;  /* start of the whole DMA buffer */
  HwUint32 flags;        /* HW_ENTRY_* */
  HwUint32 start_offset; /* first byte of this packet in the DMA buffer */
  HwUint32 end_offset;   /* one past its last byte */
  HwUint32 fence;
  HwUint32 context_id;
  HwUint32 resume_offset; /* = start_offset, or where a stopped packet goes on: commands before it
                             only set state again (SET_BASE, CLEAR_BASE, LOAD_CONSTANT) */
  HwUint32 resume_units;  /* units of the command at resume_offset that are done */
  HwUint32 pasid;         /* of HW_ENTRY_IOMMU */
  HwUint64 context_image; /* address of an HwContextImage, physical or by HW_ENTRY_IMAGE_IN_GPU,
                             0 = no context */
  HwUint64 root;          /* of HW_ENTRY_VIRTUAL: address of the root table and HW_ROOT_* */
  HwUint32 root_entries;  /* a root index that isn't below is a page fault */
  HwUint32 address_space; /* not 0: tells translations of one set of tables from others */
} HwRingEntry;

#define HW_ENTRY_DMA_IN_APERTURE 0x1u /* dma_address is a GPU address, else physical */
#define HW_ENTRY_RESTORE_CONTEXT 0x2u /* load the image before the first command */
#define HW_ENTRY_SAVE_CONTEXT 0x4u    /* store the image when the packet ends or stops */
#define HW_ENTRY_VIRTUAL 0x8u /* dma_address and the slots are virtual; HW_SPACE_VIRTUAL works */
#define HW_ENTRY_USER 0x10u   /* commands from HW_OP_PAGING_COPY on can't be decoded */
#define HW_ENTRY_SILENT 0x20u /* sets HW_NODE_FENCE in its turn: no interrupt, not counted */
#define HW_ENTRY_IMAGE_IN_GPU 0x40u  /* context_image is a GPU address */
#define HW_ENTRY_ROOT_IN_IMAGE 0x80u /* root and root_entries are those of the image */
/* With HW_ENTRY_VIRTUAL: virtual addresses go to the bus unchanged, with the entry's PASID, and the
 * IOMMU of the platform translates them. What it refuses is a page fault of level 0. */
#define HW_ENTRY_IOMMU 0x100u

#define HW_ROOT_SYSTEM \
  0x1ull /* the root lies in system memory, else its address is a GPU address */

/* State that an engine keeps for a context. Slot base registers are not part of it: commands set
 * them again after each split point. */
typedef struct HwContextImage {
  HwUint32 magic; /* HW_CONTEXT_MAGIC; anything else hangs the engine */
  HwUint32 saves; /* times the image was stored */
  HwUint64 root;  /* for HW_ENTRY_ROOT_IN_IMAGE, as in a ring entry; stored unchanged */
  HwUint32 root_entries;
  HwUint32 reserved;
  /* Of HW_ENTRY_VIRTUAL, 0 = none: the virtual address where a packet leaves its fence at its end.
   * A page fault there is one of the packet. Stored unchanged. */
  HwUint64 status;
  HwUint32 reserved2[8];
  HwUint32 constants[HW_CONSTANT_COUNT];
} HwContextImage;
#define HW_CONTEXT_MAGIC 0x58544357u /* "WCTX" */

/* ---- Page tables ----
 * Level 0 is the leaf. A table is an array of 64-bit entries, or of pairs of them at level 1 with
 * HW_MMU_DUAL. An entry of level 0 leads to a page, one above to a table of the next lower level.
 * Bits 0..11 of the virtual address are the offset in the page, the index of level k is cut from
 * above those of the levels below it; the root has all bits that are left, so nothing is ignored.
 *
 * A leaf table of 64 KB pages covers what one of 4 KB pages does, with a 16th of its entries; the
 * entry of level 1 above it says so (HW_PTE_LEAF_64KB). With HW_MMU_DUAL there is no such bit: the
 * first half of the pair leads to a leaf table of 4 KB pages, the second to one of 64 KB pages, and
 * the valid one of the two leaf entries counts; the one of 64 KB is looked at first.
 *
 * Each engine keeps the last HW_TLB_ENTRIES entries that it read, of all levels, with address
 * space, root and what part of the address they are for; the oldest one goes first. It goes on
 * using them, whatever happens to memory, until they are flushed. Invalid ones are kept only with
 * HW_MMU_KEEP_INVALID. */
#define HW_MMU_MAX_LEVELS 5u
#define HW_MMU_DUAL 0x1u         /* entries of level 1 are pairs */
#define HW_MMU_KEEP_INVALID 0x2u /* the TLB keeps invalid entries too */
#define HW_TLB_ENTRIES 32u

#define HW_PTE_VALID 0x1ull
#define HW_PTE_ZERO 0x2ull        /* reads give zeros, writes are dropped */
#define HW_PTE_COHERENT 0x4ull    /* accesses snoop; this model has no caches */
#define HW_PTE_READ_ONLY 0x8ull   /* writes fault */
#define HW_PTE_NO_EXECUTE 0x10ull /* fetches of commands fault */
#define HW_PTE_SYSTEM 0x20ull     /* the address is one of system memory, else a GPU address */
#define HW_PTE_LARGE 0x40ull      /* above level 0: leads to memory, as large as the table covers */
#define HW_PTE_LEAF_64KB 0x80ull  /* level 1 without HW_MMU_DUAL */
#define HW_PTE_PEER 0x100ull      /* the address is a GPU address of the linked GPU, in its video memory */
#define HW_PTE_ADDRESS_MASK 0x000ffffffffff000ull
/* Bits of the driver that the hardware doesn't look at. */
#define HW_PTE_DRIVER_SHIFT 52
#define HW_PTE_DRIVER_MASK 0xfffull

/* ---- Commands ----
 * The first word: opcode | words << 8 | a << 16 | b << 24; `words` counts the first word too.
 * A unit of time is one small command or one chunk of up to HW_PAGE_SIZE bytes. */
#define HW_COMMAND(opcode, words, a, b) \
  ((HwUint32)(opcode) | ((HwUint32)(words) << 8) | ((HwUint32)(a) << 16) | ((HwUint32)(b) << 24))
#define HW_COMMAND_OPCODE(word) ((word)&0xffu)
#define HW_COMMAND_WORDS(word) (((word) >> 8) & 0xffu)
#define HW_COMMAND_A(word) (((word) >> 16) & 0xffu)
#define HW_COMMAND_B(word) (((word) >> 24) & 0xffu)

/* Commands that user mode may write too. */
#define HW_OP_NOP 0x01u           /* words >= 1: skipped */
#define HW_OP_LOAD_CONSTANT 0x02u /* a = constant; value */
#define HW_OP_FILL 0x03u          /* a = slot, b = constant; offset, size */
#define HW_OP_COPY                                                                           \
  0x04u                        /* a = destination slot, b = source slot; destination offset, \
                                  source offset, size. Ranges may overlap (as memmove). */
#define HW_OP_ADD 0x05u        /* a = slot, b = constant; offset: word += constant */
#define HW_OP_SEM_SIGNAL 0x06u /* a = semaphore, b = constant: semaphore := constant */
#define HW_OP_SEM_WAIT 0x07u   /* a = semaphore, b = constant: until semaphore >= constant */
#define HW_OP_SPIN 0x08u       /* units */

/* Commands that exist only in what user mode hands to the kernel; no engine knows them. */
#define HW_OP_USER_BIND 0x40u   /* a = slot; index into the allocation list, offset */
#define HW_OP_USER_UNBIND 0x41u /* a = slot */

/* Privileged commands: they name addresses. */
#define HW_OP_SET_BASE 0x80u   /* a = slot; 0, address (64 bits) */
#define HW_OP_CLEAR_BASE 0x81u /* a = slot; 0, ignored (64 bits): slot := HW_NO_ADDRESS */
#define HW_OP_PAGING_COPY                                             \
  0x82u /* a = HW_SPACE_* of source, b = of destination; size, source \
           (64 bits), destination (64 bits). What the leaf tables of a   \
           virtual range are made for, its space says: another leaf is a \
           page fault of level 1. */
#define HW_OP_PAGING_FILL                                                                         \
  0x83u                         /* b = HW_SPACE_* of destination; size, pattern, destination (64) \
                                 */
#define HW_OP_PAGING_READ 0x84u /* a = HW_SPACE_*; size (1..8), address (64): value is dropped */
#define HW_OP_PAGING_WRITE \
  0x85u /* a = HW_SPACE_*; size (1..8), address (64): writes what is there */
#define HW_OP_APERTURE_MAP 0x86u  /* first entry, physical address of one page (64 bits) */
#define HW_OP_APERTURE_FILL 0x87u /* first entry, count, physical address for all of them (64) */
#define HW_OP_WRITE_ENTRIES                                                                   \
  0x88u /* a = HW_SPACE_* of the table; 0, address of the first entry (64), entries (64 each) \
         */
#define HW_OP_REPEAT_ENTRY \
  0x89u /* a = HW_SPACE_* of the table; count, address of the first entry (64), entry (64) */
#define HW_OP_TLB_FLUSH                                                                         \
  0x8au /* address space (0 = all), first address (64), last address (64): as HW_REG_TLB_FLUSH, \
           translations that serve an address of the range */

#define HW_SPACE_GPU 0u
#define HW_SPACE_SYSTEM 1u
#define HW_SPACE_VIRTUAL 2u /* in packets with HW_ENTRY_VIRTUAL */
#define HW_SPACE_VIRTUAL_64KB 3u /* of PAGING_COPY: through leaf tables of 64 KB pages */

#define HW_WORDS_LOAD_CONSTANT 2u
#define HW_WORDS_FILL 3u
#define HW_WORDS_COPY 4u
#define HW_WORDS_ADD 2u
#define HW_WORDS_SEMAPHORE 1u
#define HW_WORDS_SPIN 2u
#define HW_WORDS_USER_BIND 3u
#define HW_WORDS_USER_UNBIND 1u
#define HW_WORDS_SET_BASE 4u
#define HW_WORDS_CLEAR_BASE 4u
#define HW_WORDS_PAGING_COPY 6u
#define HW_WORDS_PAGING_FILL 5u
#define HW_WORDS_PAGING_TOUCH 4u
#define HW_WORDS_APERTURE_MAP 4u
#define HW_WORDS_APERTURE_FILL 5u
#define HW_WORDS_WRITE_ENTRIES(count) (4u + 2u * (count))
#define HW_MOST_WRITE_ENTRIES 125u
#define HW_WORDS_REPEAT_ENTRY 6u
#define HW_MOST_REPEAT_ENTRY 512u
#define HW_WORDS_TLB_FLUSH 6u

/* Bytes from the start of SET_BASE and CLEAR_BASE to the address field. */
#define HW_BASE_ADDRESS_OFFSET 8u

/* The engines use the slot base registers and constants as scratch while they run any command of
 * PAGING_COPY .. TLB_FLUSH: afterwards their content is undefined. */

#endif
