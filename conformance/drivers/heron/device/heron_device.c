/* The Heron as a plug-in: registers, the interrupt line, power and the log. */
#include <stdlib.h>
#include <string.h>

#include "conformance/drivers/heron/device/heron_model.h"

void heron_note(Heron* d, uint32_t kind, uint64_t address, uint32_t length) {
  if (d->log_count == HERON_LOG_ROOM) { /* the oldest goes: nobody takes them */
    d->log_first = (d->log_first + 1) % HERON_LOG_ROOM;
    --d->log_count;
  }
  WddmDeviceEvent* e = &d->log[(d->log_first + d->log_count++) % HERON_LOG_ROOM];
  memset(e, 0, sizeof(*e));
  e->size = sizeof(*e);
  e->kind = kind;
  e->node = d->entry.node;
  e->tag = d->entry.fence;
  e->address = address;
  e->length = length;
}

void heron_update_line(Heron* d) {
  d->host->set_interrupt_line(d->host->host, (d->int_status & d->int_enable) != 0);
}

static uint32_t read_register(Heron* d, uint32_t at) {
  if (at >= HREG_GART && at - HREG_GART < sizeof(d->gart)) {
    const uint64_t entry = d->gart[(at - HREG_GART) / 8];
    return (uint32_t)(at & 4 ? entry >> 32 : entry);
  }
  switch (at) {
    case HREG_ID:
      return HERON_ID_VALUE;
    case HREG_CONTROL:
      return d->control;
    case HREG_INT_STATUS:
      return d->int_status;
    case HREG_INT_ENABLE:
      return d->int_enable;
    case HREG_RING_LO:
      return (uint32_t)d->ring;
    case HREG_RING_HI:
      return (uint32_t)(d->ring >> 32);
    case HREG_RING_ENTRIES:
      return d->ring_entries;
    case HREG_RING_HEAD:
      return d->head;
    case HREG_RING_TAIL:
      return d->tail;
    case HREG_FENCE_LO:
      return (uint32_t)d->fences;
    case HREG_FENCE_HI:
      return (uint32_t)(d->fences >> 32);
    case HREG_PREEMPT:
      return d->preempt;
    case HREG_FAULT_OFFSET:
      return d->fault_offset;
    case HREG_ENGINE:
      return (uint32_t)(d->busy | d->halted << 1);
    case HREG_CURRENT_FENCE:
      return d->busy ? d->entry.fence : 0;
    case HREG_CURRENT_OFFSET:
      return d->pc;
    default:
      return 0;
  }
}

static void write_register(Heron* d, uint32_t at, uint32_t value) {
  if (at >= HREG_GART && at - HREG_GART < sizeof(d->gart)) {
    uint64_t* entry = &d->gart[(at - HREG_GART) / 8];
    *entry = at & 4 ? (*entry & 0xffffffffull) | ((uint64_t)value << 32)
                    : (*entry & ~0xffffffffull) | value;
    return;
  }
  switch (at) {
    case HREG_CONTROL:
      if (value & HCONTROL_RESET) heron_reset_engine(d);
      d->control = value & HCONTROL_RUN;
      break;
    case HREG_INT_STATUS:
      d->int_status &= ~value;
      heron_update_line(d);
      break;
    case HREG_INT_ENABLE:
      d->int_enable = value;
      heron_update_line(d);
      break;
    case HREG_RING_LO:
      d->ring = (d->ring & ~0xffffffffull) | value;
      break;
    case HREG_RING_HI:
      d->ring = (d->ring & 0xffffffffull) | ((uint64_t)value << 32);
      break;
    case HREG_RING_ENTRIES:
      d->ring_entries = value;
      break;
    case HREG_RING_TAIL:
      d->tail = d->ring_entries ? value & (d->ring_entries - 1) : 0;
      break;
    case HREG_FENCE_LO:
      d->fences = (d->fences & ~0xffffffffull) | value;
      break;
    case HREG_FENCE_HI:
      d->fences = (d->fences & 0xffffffffull) | ((uint64_t)value << 32);
      break;
    case HREG_PREEMPT:
      d->preempt |= value & ((1u << HERON_NODES) - 1);
      break;
    default:
      break;
  }
}

static uint64_t heron_read(void* device, uint32_t bar, uint64_t offset, uint32_t bytes) {
  Heron* d = device;
  if (d->asleep) return ~0ull >> (64 - 8 * bytes);
  if (bar != 0) return 0;
  const uint32_t word = (uint32_t)offset & ~3u;
  uint64_t value = read_register(d, word);
  if (bytes == 8) value |= (uint64_t)read_register(d, word + 4) << 32;
  value >>= 8 * (offset & 3);
  return bytes == 8 ? value : value & (~0ull >> (64 - 8 * bytes));
}

static void heron_write(void* device, uint32_t bar, uint64_t offset, uint32_t bytes,
                        uint64_t value) {
  Heron* d = device;
  if (d->asleep || bar != 0 || bytes < 4) return; /* registers are written as dwords */
  write_register(d, (uint32_t)offset, (uint32_t)value);
  if (bytes == 8) write_register(d, (uint32_t)offset + 4, (uint32_t)(value >> 32));
}

static int heron_log(void* device, WddmDeviceEvent* event) {
  Heron* d = device;
  if (!d->log_count) return 0;
  wddm_device_hand_over(event, &d->log[d->log_first]);
  d->log_first = (d->log_first + 1) % HERON_LOG_ROOM;
  --d->log_count;
  return 1;
}

/* Between two packets of a node any window may be used; the one engine may have a packet of the
 * other node in hand just now, whose windows are its own. */
static void heron_scramble(void* device, uint32_t node, uint32_t seed) {
  Heron* d = device;
  if (node >= HERON_NODES) return;
  d->scramble[node] = 1;
  d->seed[node] = seed;
}

static void heron_power(void* device, uint32_t state) {
  Heron* d = device;
  if (state == 0) {
    d->asleep = 0;
    return;
  }
  heron_reset_engine(d);
  d->int_enable = 0;
  d->ring = d->fences = 0;
  d->ring_entries = 0;
  memset(d->gart, 0, sizeof(d->gart));
  heron_update_line(d);
  d->asleep = 1;
}

static void* heron_create(const WddmDeviceHost* host, void* const memory[WDDM_DEVICE_MAX_BARS]) {
  Heron* d = calloc(1, sizeof(*d));
  if (!d) return NULL;
  d->host = host;
  d->vram = memory[1];
  return d;
}

static void heron_destroy(void* device) {
  heron_drop_code(device);
  free(device);
}

static const WddmBar kBars[] = {{HERON_REG_BAR_BYTES, 0, 0}, {HERON_VRAM_BYTES, 1, 1}};
static const WddmDevice kDevice = {
    .size = sizeof(WddmDevice),
    .version = WDDM_DEVICE_VERSION,
    .name = "Heron",
    .bars = kBars,
    .bar_count = 2,
    .bar_stride = sizeof(WddmBar),
    .vendor_id = HERON_VENDOR_ID,
    .device_id = HERON_DEVICE_ID,
    .create = heron_create,
    .destroy = heron_destroy,
    .bar_read = heron_read,
    .bar_write = heron_write,
    .advance = heron_advance,
    .log = heron_log,
    .scramble = heron_scramble,
    .power = heron_power,
    .tag_bits = 32,
};

__attribute__((visibility("default"))) const WddmDevice* WddmDeviceEntry(uint32_t host_version) {
  return host_version == WDDM_DEVICE_VERSION ? &kDevice : NULL;
}
