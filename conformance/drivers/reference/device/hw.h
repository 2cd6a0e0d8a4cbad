/* The hardware interface of the reference GPU: what its driver and its device model agree on.
 *
 * Plain C without any other header, because a kernel-mode driver and a user-mode model both
 * include it. Registers and commands are little-endian; offsets and sizes are bytes.
 *
 * The GPU in one paragraph: two engines (render, copy) fetch commands from DMA buffers that a ring
 * in system memory names. Commands reach memory only through 16 slot base registers, which hold GPU
 * addresses and have no bounds, so whoever writes commands must have checked them. Paging commands
 * take addresses directly. GPU addresses are physical: video memory at HW_LOCAL_BASE, system pages
 * through the aperture at HW_APERTURE_BASE. There is no display.
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
#define HW_LOCAL_BASE 0x10000000ull
#define HW_APERTURE_BASE 0x80000000ull
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
#define HW_REG_RESET                                                                               \
  0x0004u                             /* W: 1 = stop both engines at once, forget rings, aperture, \
                                         slots, constants and semaphores. Keeps interrupt enables. \
                                         A unit of time later HW_INT_RESET_DONE is raised. */
#define HW_REG_LOCAL_PAGES 0x0008u    /* R */
#define HW_REG_APERTURE_PAGES 0x000cu /* R */
#define HW_REG_INT_STATUS                                                                        \
  0x0010u                         /* R: bit n = node n has an enabled cause; bit 31 = reset done \
                                   */
#define HW_REG_INT_ENABLE 0x0014u /* RW: bit n = node n may interrupt; bit 31 = reset done may */
#define HW_REG_INT_ACK 0x0018u    /* W: bit 31 clears reset done */
#define HW_REG_APERTURE_INIT                                           \
  0x0020u /* W, 64 bits: all aperture entries := this physical address \
           */
#define HW_REG_SEMAPHORE(i) (0x0100u + 4u * (i)) /* RW */
#define HW_REG_APERTURE(i) (0x4000u + 8u * (i))  /* R, 64 bits: entry i, see below */

#define HW_INT_RESET_DONE 0x80000000u

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

#define HW_CAUSE_COMPLETED 0x1u
#define HW_CAUSE_PREEMPTED 0x2u

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
  HwUint32 reserved;
  HwUint64 context_image; /* physical address of an HwContextImage, 0 = no context */
  HwUint32 reserved2[4];
} HwRingEntry;

#define HW_ENTRY_DMA_IN_APERTURE 0x1u /* dma_address is a GPU address, else physical */
#define HW_ENTRY_RESTORE_CONTEXT 0x2u /* load the image before the first command */
#define HW_ENTRY_SAVE_CONTEXT 0x4u    /* store the image when the packet ends or stops */

/* State that an engine keeps for a context. Slot base registers are not part of it: commands set
 * them again after each split point. */
typedef struct HwContextImage {
  HwUint32 magic; /* HW_CONTEXT_MAGIC; anything else hangs the engine */
  HwUint32 saves; /* times the image was stored */
  HwUint32 reserved[14];
  HwUint32 constants[HW_CONSTANT_COUNT];
} HwContextImage;
#define HW_CONTEXT_MAGIC 0x58544357u /* "WCTX" */

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
           (64 bits), destination (64 bits) */
#define HW_OP_PAGING_FILL                                                                         \
  0x83u                         /* b = HW_SPACE_* of destination; size, pattern, destination (64) \
                                 */
#define HW_OP_PAGING_READ 0x84u /* a = HW_SPACE_*; size (1..8), address (64): value is dropped */
#define HW_OP_PAGING_WRITE \
  0x85u /* a = HW_SPACE_*; size (1..8), address (64): writes what is there */
#define HW_OP_APERTURE_MAP 0x86u  /* first entry, physical address of one page (64 bits) */
#define HW_OP_APERTURE_FILL 0x87u /* first entry, count, physical address for all of them (64) */

#define HW_SPACE_GPU 0u
#define HW_SPACE_SYSTEM 1u

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

/* Bytes from the start of SET_BASE and CLEAR_BASE to the address field. */
#define HW_BASE_ADDRESS_OFFSET 8u

/* The engines use the slot base registers and constants as scratch while they run any command of
 * PAGING_COPY .. APERTURE_FILL: afterwards their content is undefined. */

#endif
