// The hardware interface of a Merlin GPU: what its driver, its user mode and its device model
// share.
//
// Two of them sit on a board and reach each other's memory over a bridge. Each has two engines,
// which take jobs from rings in system memory and go through page tables of two levels, in local
// memory or in the system's. The tables are written by commands, and the root may have any number
// of entries.
#pragma once
#include <stdint.h>

#define MERLIN_VENDOR_ID 0x1D5A
#define MERLIN_DEVICE_ID 0x4D32
#define MERLIN_LINKS 2u  // GPUs on a board
#define MERLIN_NODES 2u  // engines of a GPU
#define MERLIN_NODE_3D 0u
#define MERLIN_NODE_COPY 1u  // also pages

// ---- BAR 0: registers --------------------------------------------------------------------------
#define MERLIN_BAR_REGS 0u
#define MERLIN_BAR_VRAM 1u
#define MERLIN_REG_BYTES 0x10000u
#define MERLIN_VRAM_BYTES (32u << 20)
#define MERLIN_ID_VALUE 0x4D524C32u

#define MR_ID 0x000u
#define MR_INT_STATUS 0x008u  // write 1 to clear
#define MR_INT_ENABLE 0x00Cu
#define MR_VRAM_MB 0x010u
#define MR_GPU_RESET 0x014u  // write 1: power-on state
#define MR_TLB_FLUSH 0x018u  // write: address space, or ~0 for all
#define MR_CLOCK_LO 0x020u
#define MR_CLOCK_HI 0x024u
#define MR_PEER_LO 0x028u  // bus address of the other GPU's memory
#define MR_PEER_HI 0x02Cu
#define MR_CLOCK_HZ 100000000ull

#define MR_ENGINE(n) (0x100u + (n)*0x100u)
#define ME_RING_LO 0x00u
#define ME_RING_HI 0x04u
#define ME_RING_COUNT 0x08u  // entries, a power of two
#define ME_TAIL 0x0Cu        // doorbell: free-running count of entries written
#define ME_HEAD 0x10u        // free-running count of entries taken
#define ME_STATUS 0x14u
#define ME_CONTROL 0x18u
#define ME_DONE_FENCE 0x1Cu  // last packet that ran to its end; the driver may load it
#define ME_CURRENT_FENCE 0x20u
#define ME_PREEMPT 0x24u       // write: stop behind the current packet, and forget what waits
#define ME_PREEMPTED 0x28u     // the fence of the last preemption that was done
#define ME_PREEMPT_DONE 0x2Cu  // DONE_FENCE at that time
#define ME_FAULT_VA_LO 0x30u
#define ME_FAULT_VA_HI 0x34u
#define ME_FAULT_INFO 0x38u
#define ME_FAULT_FENCE 0x3Cu
#define ME_FAULT_SPACE 0x40u
#define ME_PROGRESS 0x44u  // counts units of work

#define ME_STATUS_ENABLED 0x1u
#define ME_STATUS_BUSY 0x2u
#define ME_STATUS_FAULTED 0x4u
#define ME_STATUS_PREEMPTING 0x8u
#define ME_CONTROL_ENABLE 0x1u
#define ME_CONTROL_RESET 0x2u

#define MI_DONE(n) (0x001u << (n))
#define MI_PREEMPTED(n) (0x010u << (n))
#define MI_FAULT(n) (0x100u << (n))
#define MI_ENGINE(n) (MI_DONE(n) | MI_PREEMPTED(n) | MI_FAULT(n))
#define MI_ALL 0x333u

#define MF_LEVEL(info) ((info)&0xFu)
#define MF_WRITE 0x10u
#define MF_CODE(info) (((info) >> 8) & 0xFFu)
#define MF_CODE_PAGE 0u
#define MF_CODE_COMMAND 1u

// ---- Ring of an engine, in system memory -------------------------------------------------------
#define MERLIN_RING_ENTRIES 256u
#define MERLIN_JOB_PRIVILEGED 0x1u
#define MERLIN_JOB_ROOT_SYSTEM 0x2u
typedef struct MerlinJob {
  uint64_t commands;       // virtual address
  uint32_t command_bytes;  // 0: nothing but the fence
  uint32_t fence;
  uint64_t root;  // root page table: address as the GPU sees it, or of system memory
  uint32_t root_entries;
  uint32_t space;  // address space
  uint32_t flags;
  uint32_t reserved[5];
} MerlinJob;  // 56 bytes + pad
#define MERLIN_JOB_STRIDE 64u

// ---- Memory and page tables --------------------------------------------------------------------
#define MERLIN_VRAM_BASE 0x40000000ull  // local memory, as the GPU sees it
#define MERLIN_APERTURE_BASE 0x8000000000ull
#define MERLIN_APERTURE_BYTES (256u << 20)
#define MERLIN_VA_BITS 36u
#define MERLIN_LEAF_BITS 10u  // 4 MB to a leaf table
#define MERLIN_ROOT_BITS (MERLIN_VA_BITS - 12u - MERLIN_LEAF_BITS)
#define MERLIN_ROOT_INITIAL_BITS 9u
#define MERLIN_ENTRIES_PER_PAGE 512u

#define MPTE_VALID 0x001ull
#define MPTE_ZERO 0x002ull
#define MPTE_SYSTEM 0x004ull
#define MPTE_SNOOP 0x008ull
#define MPTE_READ_ONLY 0x010ull
#define MPTE_NO_EXECUTE 0x020ull
#define MPTE_PEER 0x040ull  // of the other GPU's memory
#define MPTE_ADDRESS 0x000FFFFFFFFFF000ull
#define MPTE_DRIVER_SHIFT 56  // eight bits of the user mode's own

// ---- Commands ----------------------------------------------------------------------------------
// First word: 0x4D in the top byte, the opcode, and the length of the command in words.
#define MC_HEADER(op, words) (0x4D000000u | ((uint32_t)(op) << 16) | (uint32_t)(words))
#define MC_IS_COMMAND(word) (((word) >> 24) == 0x4Du)
#define MC_OP(word) (((word) >> 16) & 0xFFu)
#define MC_WORDS(word) ((word)&0xFFFFu)
#define MC_NOP 0x00u        // any length
#define MC_FILL 0x01u       // address lo, hi, bytes, value
#define MC_COPY 0x02u       // destination lo, hi, source lo, hi, bytes
#define MC_ADD 0x03u        // address lo, hi, value
#define MC_SPIN 0x04u       // units
#define MC_STORE64 0x05u    // address lo, hi, value lo, hi
#define MC_PTE_WRITE 0x10u  // privileged: address lo, hi, then entries lo, hi
#define MC_PTE_FILL 0x11u   // privileged: address lo, hi, count, entry lo, hi
#define MC_TLB_FLUSH 0x12u  // privileged: space, first page lo, hi, last page lo, hi
#define MC_FILL_WORDS 5u
#define MC_COPY_WORDS 6u
#define MC_ADD_WORDS 4u
#define MC_SPIN_WORDS 2u
#define MC_STORE64_WORDS 5u
#define MC_PTE_WRITE_WORDS 3u
#define MC_PTE_FILL_WORDS 6u
#define MC_TLB_FLUSH_WORDS 6u
#define MC_MAX_COPY 0x08000000u
