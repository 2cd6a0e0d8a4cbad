// The hardware interface of the Wren: what its driver, its user mode and its device model share.
//
// Three engines take packets from rings in system memory and tell in a status page, there too, how
// far they came. They have no memory of their own: an aperture is all that they reach by their own
// addresses, and the kernel may also name system memory to them. Plain C, for all three include it.
#pragma once
#include <stdint.h>

#define WREN_VENDOR 0x1D77
#define WREN_DEVICE 0x0313
#define WREN_BAR_BYTES 0x4000u
#define WREN_NODES 3u
#define WREN_NODE_3D 0u
#define WREN_NODE_VIDEO 1u
#define WREN_NODE_COPY 2u

// The only address space of the engines: an aperture whose pages a table in system memory names.
#define WREN_APERTURE_BASE 0x10000000u
#define WREN_APERTURE_BYTES 0x04000000u
#define WREN_APERTURE_PAGES (WREN_APERTURE_BYTES >> 12)
// An entry: 28 bits of page number above four of flags.
#define WREN_PTE_PRESENT 1u
#define WREN_PTE_SNOOP 2u
#define WREN_PTE_PLACEHOLDER 4u  // software's: the page is a dummy; engines don't look at it
#define WREN_PTE_PFN_SHIFT 4
#define WREN_PHYSICAL_BITS 40

// Registers, all of 32 bits.
#define WREN_REG_ID 0x000
#define WREN_ID 0x4E455257u
#define WREN_REG_CAUSE 0x004  // write 1 to clear
#define WREN_REG_MASK 0x008   // 1: may assert the line
#define WREN_REG_GTT_LO 0x00C
#define WREN_REG_GTT_HI 0x010
#define WREN_REG_GTT_CTRL 0x014  // bit 0: the table is in use
#define WREN_REG_STATUS_LO 0x018
#define WREN_REG_STATUS_HI 0x01C
#define WREN_REG_RESET 0x020  // bits of domains
#define WREN_DOMAIN_RENDER 1u
#define WREN_DOMAIN_MEDIA 2u  // video and copy share a front end
#define WREN_DOMAIN_ALL 0x80000000u
#define WREN_CAUSE_DONE(n) (1u << (n))
#define WREN_CAUSE_HALT(n) (0x100u << (n))
#define WREN_CAUSE_FAULT(n) (0x10000u << (n))
#define WREN_CAUSE_ALL 0x00070707u

#define WREN_ENGINE(n) (0x400u + 0x80u * (n))
#define WREN_ENG_RING_LO 0x00
#define WREN_ENG_RING_HI 0x04
#define WREN_ENG_ENTRIES 0x08
#define WREN_ENG_TAIL 0x0C
#define WREN_ENG_HEAD 0x10
#define WREN_ENG_CTRL 0x14  // write 1: run; read: state
#define WREN_STATE_OFF 0u
#define WREN_STATE_RUN 1u
#define WREN_STATE_HALTED 2u
#define WREN_STATE_FAULTED 3u
#define WREN_ENG_PREEMPT 0x18   // write 1: halt at the next boundary
#define WREN_ENG_PC 0x1C        // of the packet in execution
#define WREN_ENG_FENCE 0x20     // of the packet in execution, or 0
#define WREN_ENG_CLOCK 0x24     // 1: gated. All other registers of the engine are lost
#define WREN_ENG_PROGRESS 0x28  // counts commands and ticks

// Ring entry. `head` and `tail` run freely; the place is their remainder by the entries.
typedef struct WrenDescriptor {
  uint32_t fence;
  uint32_t flags;
  uint64_t start;  // of the aperture, or with WREN_PHYSICAL in the upper half
  uint32_t bytes;
  uint32_t resume;  // with WREN_RUN_RESUME: bytes from the start
  uint64_t save;    // physical; 0: none
  uint64_t reserved[4];
} WrenDescriptor;
#define WREN_RUN_RESUME 1u
#define WREN_RUN_PAGING 2u

// What an engine writes to the status page, 64 bytes for each.
typedef struct WrenStatus {
  uint32_t fence;    // of the last packet that ran to its end
  uint32_t retired;  // head: entries that are done with
  uint32_t stopped;  // 1: a packet was stopped inside; where, from its start, and its fence follow
  uint32_t stopped_at, stopped_fence;
  uint32_t fault_fence, fault_code, fault_pc;
  uint32_t reserved[8];
} WrenStatus;
#define WREN_FAULT_COMMAND 1u
#define WREN_FAULT_ADDRESS 2u

// What the 3D engine keeps of a context that it was stopped in.
typedef struct WrenSaveArea {
  uint32_t magic;
  uint32_t value;
  uint32_t ticks_left;
  uint32_t at;
} WrenSaveArea;
#define WREN_SAVE_MAGIC 0x53525721u

// Commands: operation, dwords in all, 16 bits of its own.
#define WREN_COMMAND(op, dwords) ((uint32_t)(op) | (uint32_t)(dwords) << 8)
#define WREN_OP_NOP 0x01     // any number of dwords
#define WREN_OP_LOADI 0x02   // value register
#define WREN_OP_MARK 0x03    // address that nobody uses
#define WREN_OP_FILL 0x10    // address, dwords: with the value register
#define WREN_OP_COPY 0x11    // to, from, bytes
#define WREN_OP_ADD 0x12     // address: adds the value register
#define WREN_OP_DELAY 0x13   // ticks; each is a boundary
#define WREN_OP_SIGNAL 0x14  // semaphore, value
#define WREN_OP_WAIT 0x15    // semaphore, value: 3D only
// For the kernel alone.
#define WREN_OP_MAP 0x80           // first page, entries
#define WREN_OP_UNMAP 0x81         // first page, pages, entry
#define WREN_OP_PCOPY 0x82         // to (2), from (2), bytes
#define WREN_OP_PFILL 0x83         // to (2), bytes, value
#define WREN_OP_PEEK 0x84          // address (2)
#define WREN_OP_POKE 0x85          // address (2): writes what is there
#define WREN_PHYSICAL 0x80000000u  // in the upper half of an address: not of the aperture
#define WREN_MAP_MOST 240u
#define WREN_SEMAPHORES 256u
