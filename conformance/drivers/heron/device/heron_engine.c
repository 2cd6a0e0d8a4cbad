/* The Heron's engine: takes entries from the ring, and runs the commands of packets. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/drivers/heron/device/heron_model.h"

static int fill(Heron* d, int window, uint64_t at, uint32_t bytes, uint32_t value) {
  uint32_t block[256];
  for (unsigned i = 0; i < 256; ++i) block[i] = value;
  while (bytes) {
    const uint32_t part = bytes < sizeof(block) ? bytes : (uint32_t)sizeof(block);
    const int r = window >= 0
                      ? heron_access_window(d, (uint32_t)window, at, (uint8_t*)block, part, 1)
                      : heron_access_gpu(d, at, (uint8_t*)block, part, 1);
    if (r) return -1;
    at += part;
    bytes -= part;
  }
  return 0;
}

static int copy_rows(Heron* d, uint32_t to, uint64_t at, uint32_t pitch, uint32_t from,
                     uint64_t source, uint32_t source_pitch, uint32_t row, uint32_t rows) {
  if (!row || !rows) return 0;
  if ((uint64_t)row * rows > (64u << 20)) return -1;
  uint8_t* all = malloc((size_t)row * rows); /* read before it is written: they may overlap */
  int r = all ? 0 : -1;
  for (uint32_t i = 0; !r && i < rows; ++i)
    r = heron_access_window(d, from, source + (uint64_t)i * source_pitch, all + (size_t)i * row,
                            row, 0);
  for (uint32_t i = 0; !r && i < rows; ++i)
    r = heron_access_window(d, to, at + (uint64_t)i * pitch, all + (size_t)i * row, row, 1);
  free(all);
  return r;
}

static uint32_t cost_of_bytes(uint32_t bytes) {
  return 1 + bytes / 65536;
}

/* Runs the command at pc; its units, or 0: a fault. */
static uint32_t execute(Heron* d) {
  uint32_t w[8];
  const uint32_t left = d->entry.bytes - d->pc;
  if (left < 4) return 0;
  memcpy(w, d->code + d->pc, 4);
  const uint32_t n = HCMD_DWORDS(w[0]), a = HCMD_A(w[0]), b = HCMD_B(w[0]);
  if (!n || n > 8 || n * 4 > left) return 0;
  memcpy(w, d->code + d->pc, n * 4);
  d->pc += n * 4;
  switch (HCMD_OP(w[0])) {
    case HOP_NOP:
      return 1;
    case HOP_WINDOW:
      if (n != 4 || a >= HERON_WINDOWS) return 0;
      d->window[a].address = w[1] | ((uint64_t)w[2] << 32);
      d->window[a].limit = w[3];
      return 1;
    case HOP_UNWINDOW:
      if (n != 1 || a >= HERON_WINDOWS) return 0;
      d->window[a].limit = 0;
      return 1;
    case HOP_FILL:
      if (n != 4 || fill(d, (int)a, w[1], w[2], w[3])) return 0;
      return cost_of_bytes(w[2]);
    case HOP_COPY:
      if (n != 4 || copy_rows(d, a, w[1], w[3], b, w[2], w[3], w[3], 1)) return 0;
      return cost_of_bytes(w[3]);
    case HOP_ADD: {
      uint32_t value;
      if (n != 3 || heron_access_window(d, a, w[1], (uint8_t*)&value, 4, 0)) return 0;
      value += w[2];
      return heron_access_window(d, a, w[1], (uint8_t*)&value, 4, 1) ? 0 : 1;
    }
    case HOP_SPIN:
      return n != 2 ? 0 : w[1] ? w[1] : 1;
    case HOP_RECTCOPY:
      if (n != 7 || copy_rows(d, a, w[1], w[2], b, w[3], w[4], w[5], w[6])) return 0;
      return cost_of_bytes(w[5] * w[6]);
    case HOP_RECTFILL:
      if (n != 6) return 0;
      for (uint32_t i = 0; i < w[4]; ++i)
        if (fill(d, (int)a, w[1] + (uint64_t)i * w[2], w[3], w[5])) return 0;
      return cost_of_bytes(w[3] * w[4]);
    case HOP_PCOPY: {
      if (n != 6 || !(d->entry.flags & HRING_PRIVILEGED) || w[5] > (64u << 20)) return 0;
      uint8_t* all = malloc(w[5] ? w[5] : 1);
      int r = all ? 0 : -1;
      if (!r)
        r = heron_access_any(d, a & HP_FROM_SYSTEM, w[3] | ((uint64_t)w[4] << 32), all, w[5], 0);
      if (!r)
        r = heron_access_any(d, a & HP_TO_SYSTEM, w[1] | ((uint64_t)w[2] << 32), all, w[5], 1);
      free(all);
      return r ? 0 : cost_of_bytes(w[5]);
    }
    case HOP_PFILL:
      if (n != 5 || !(d->entry.flags & HRING_PRIVILEGED)) return 0;
      if (fill(d, -1, w[1] | ((uint64_t)w[2] << 32), w[3], w[4])) return 0;
      return cost_of_bytes(w[3]);
    case HOP_PTOUCH: {
      uint8_t byte = 0;
      const uint64_t at = w[1] | ((uint64_t)w[2] << 32);
      if (n != 3 || !(d->entry.flags & HRING_PRIVILEGED)) return 0;
      return heron_access_gpu(d, at, &byte, 1, (int)(a & 1)) ? 0 : 1;
    }
    default:
      return 0;
  }
}

static void write_cell(Heron* d, uint32_t node, size_t member, uint32_t value) {
  d->host->dma_write(d->host->host, d->fences + node * sizeof(HeronFenceCell) + member, &value, 4);
}

static uint32_t read_cell(Heron* d, uint32_t node, size_t member) {
  uint32_t value = 0;
  d->host->dma_read(d->host->host, d->fences + node * sizeof(HeronFenceCell) + member, &value, 4);
  return value;
}

void heron_drop_code(Heron* d) {
  free(d->code);
  d->code = NULL;
  d->busy = 0;
  d->pc = d->wait = 0;
}

static void end_packet(Heron* d) {
  const uint32_t node = d->entry.node;
  heron_note(d, WDDM_DEVICE_PACKET_END, d->entry.address + d->entry.bytes, 0);
  write_cell(d, node, offsetof(HeronFenceCell, done), d->entry.fence);
  heron_drop_code(d);
  d->int_status |= HINT_DONE(node);
  heron_update_line(d);
}

/* The engine stands still until it is reset. */
static void fault(Heron* d) {
  d->halted = 1;
  d->fault_offset = d->pc;
  d->int_status |= HINT_FAULT(d->entry.node);
  heron_update_line(d);
}

static void scramble_windows(Heron* d, uint32_t node) {
  uint32_t seed = d->seed[node];
  if (!d->scramble[node]) return;
  d->scramble[node] = 0;
  for (uint32_t i = 0; i < HERON_WINDOWS; ++i) {
    seed = seed * 1664525u + 1013904223u;
    d->window[i].address = 0xf00000000000ull + seed;
    d->window[i].limit = seed | 0x1000;
  }
}

/* Takes entries from the ring until there is a packet; 1 if there is one. */
static int next_packet(Heron* d) {
  while (!d->busy && d->ring_entries && d->head != d->tail) {
    if (d->host->dma_read(d->host->host, d->ring + d->head * sizeof(HeronRingEntry), &d->entry,
                          sizeof(d->entry)))
      return 0;
    d->head = (d->head + 1) & (d->ring_entries - 1);
    if (d->entry.node >= HERON_NODES) continue;
    const uint32_t bit = 1u << d->entry.node;
    if (d->entry.kind == HRING_PREEMPT) {
      d->preempt &= ~bit;
      write_cell(d, d->entry.node, offsetof(HeronFenceCell, done_at_preempt),
                 read_cell(d, d->entry.node, offsetof(HeronFenceCell, done)));
      write_cell(d, d->entry.node, offsetof(HeronFenceCell, preempt), d->entry.fence);
      d->int_status |= HINT_PREEMPTED(d->entry.node);
      heron_update_line(d);
    } else if (d->entry.kind == HRING_EXECUTE && !(d->preempt & bit)) {
      d->busy = 1;
      scramble_windows(d, d->entry.node);
      d->pc = d->wait = 0;
      d->code = malloc(d->entry.bytes ? d->entry.bytes : 1);
      heron_note(d, WDDM_DEVICE_PACKET_BEGIN, d->entry.address, d->entry.bytes);
      if (!d->code || heron_access_any(d, d->entry.flags & HRING_SYSTEM, d->entry.address, d->code,
                                       d->entry.bytes, 0))
        fault(d);
    }
  }
  return d->busy;
}

uint32_t heron_advance(void* device, uint32_t units) {
  Heron* d = device;
  uint32_t used = 0;
  if (d->asleep || d->halted || !(d->control & HCONTROL_RUN)) return 0;
  while (used < units && (d->control & HCONTROL_RUN) && next_packet(d) && !d->halted) {
    if (!d->wait) {
      if (d->pc == d->entry.bytes) {
        end_packet(d);
        ++used;
        continue;
      }
      d->wait = execute(d);
      if (!d->wait) {
        fault(d);
        return used + 1;
      }
    }
    const uint32_t part = d->wait < units - used ? d->wait : units - used;
    d->wait -= part;
    used += part;
    if (!d->wait && d->pc == d->entry.bytes) end_packet(d);
  }
  return used;
}

void heron_reset_engine(Heron* d) {
  if (d->busy) {
    heron_note(d, WDDM_DEVICE_PACKET_STOPPED, 0, 0);
    heron_drop_code(d);
  }
  d->control = 0;
  d->halted = 0;
  d->head = d->tail = 0;
  d->preempt = d->int_status = 0;
  memset(d->window, 0, sizeof(d->window));
  heron_update_line(d);
}
