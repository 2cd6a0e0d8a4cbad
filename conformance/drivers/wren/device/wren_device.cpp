// The Wren as a plug-in: registers, time, power and the log.
#include <algorithm>
#include <cstring>

#include "conformance/drivers/wren/device/wren_gpu.h"

namespace wren {
namespace {

void* create(const WddmDeviceHost* host, void* const*) {
  Gpu* g = new Gpu{};
  g->host = host;
  g->events = new std::deque<WddmDeviceEvent>;
  return g;
}
void destroy(void* device) {
  Gpu* g = static_cast<Gpu*>(device);
  delete g->events;
  delete g;
}

std::uint64_t bar_read(void* device, std::uint32_t, std::uint64_t offset, std::uint32_t bytes) {
  Gpu* g = static_cast<Gpu*>(device);
  if (bytes != 4) return 0;
  switch (offset) {
    case WREN_REG_ID:
      return WREN_ID;
    case WREN_REG_CAUSE:
      return g->cause;
    case WREN_REG_MASK:
      return g->mask;
    case WREN_REG_GTT_LO:
      return g->gtt_lo;
    case WREN_REG_GTT_HI:
      return g->gtt_hi;
    case WREN_REG_GTT_CTRL:
      return g->gtt_ctrl;
    case WREN_REG_STATUS_LO:
      return g->status_lo;
    case WREN_REG_STATUS_HI:
      return g->status_hi;
  }
  if (offset < WREN_ENGINE(0) || offset >= WREN_ENGINE(WREN_NODES)) return 0;
  const Engine* e = &g->engines[(offset - WREN_ENGINE(0)) / 0x80];
  const std::uint32_t reg = offset & 0x7f;
  if (reg == WREN_ENG_CLOCK) return e->clock;
  if (e->clock) return 0;
  switch (reg) {
    case WREN_ENG_RING_LO:
      return e->ring_lo;
    case WREN_ENG_RING_HI:
      return e->ring_hi;
    case WREN_ENG_ENTRIES:
      return e->entries;
    case WREN_ENG_TAIL:
      return e->tail;
    case WREN_ENG_HEAD:
      return e->head;
    case WREN_ENG_CTRL:
      return e->state;
    case WREN_ENG_PC:
      return e->active ? (std::uint32_t)e->pc : 0;
    case WREN_ENG_FENCE:
      return e->active ? e->packet.fence : 0;
    case WREN_ENG_PROGRESS:
      return e->progress;
  }
  return 0;
}

void bar_write(void* device, std::uint32_t, std::uint64_t offset, std::uint32_t bytes,
               std::uint64_t wide) {
  Gpu* g = static_cast<Gpu*>(device);
  const std::uint32_t value = (std::uint32_t)wide;
  if (bytes != 4) return;
  switch (offset) {
    case WREN_REG_CAUSE:
      g->cause &= ~value;
      return update_line(g);
    case WREN_REG_MASK:
      g->mask = value;
      return update_line(g);
    case WREN_REG_GTT_LO:
      g->gtt_lo = value;
      return;
    case WREN_REG_GTT_HI:
      g->gtt_hi = value;
      return;
    case WREN_REG_GTT_CTRL:
      g->gtt_ctrl = value;
      return;
    case WREN_REG_STATUS_LO:
      g->status_lo = value;
      return;
    case WREN_REG_STATUS_HI:
      g->status_hi = value;
      return;
    case WREN_REG_RESET:
      return reset(g, value);
  }
  if (offset < WREN_ENGINE(0) || offset >= WREN_ENGINE(WREN_NODES)) return;
  Engine* e = &g->engines[(offset - WREN_ENGINE(0)) / 0x80];
  const std::uint32_t reg = offset & 0x7f;
  if (reg == WREN_ENG_CLOCK) {
    if (value && !e->clock) *e = Engine{};
    e->clock = value & 1;
    return;
  }
  if (e->clock) return;
  switch (reg) {
    case WREN_ENG_RING_LO:
      e->ring_lo = value;
      return;
    case WREN_ENG_RING_HI:
      e->ring_hi = value;
      return;
    case WREN_ENG_ENTRIES:
      e->entries = value;
      return;
    case WREN_ENG_TAIL:
      e->tail = value;
      return;
    case WREN_ENG_HEAD:
      e->head = value;
      return;
    case WREN_ENG_CTRL:
      e->state = value ? WREN_STATE_RUN : WREN_STATE_OFF;
      return;
    case WREN_ENG_PREEMPT:
      e->preempt = value != 0;
      return;
  }
}

std::uint32_t advance(void* device, std::uint32_t units) {
  Gpu* g = static_cast<Gpu*>(device);
  std::uint32_t used[WREN_NODES] = {};
  for (std::uint32_t u = 0; u < units; u++) {
    bool any = false;
    for (std::uint32_t n = 0; n < WREN_NODES; n++) {
      Engine* e = &g->engines[n];
      if (e->debt) {
        e->debt--;
        used[n]++;
        any = true;
        continue;
      }
      const std::uint32_t cost = step(g, n);
      if (!cost) continue;
      e->debt = cost - 1;
      used[n]++;
      any = true;
    }
    if (!any) break;
  }
  return std::max({used[0], used[1], used[2]});
}

int take_log(void* device, WddmDeviceEvent* event) {
  Gpu* g = static_cast<Gpu*>(device);
  if (g->events->empty()) return 0;
  wddm_device_hand_over(event, &g->events->front());
  g->events->pop_front();
  return 1;
}

void scramble(void* device, std::uint32_t node, std::uint32_t seed) {
  Gpu* g = static_cast<Gpu*>(device);
  if (node < WREN_NODES && !g->engines[node].active)
    g->engines[node].value = seed * 2654435761u + 1;
}

void power(void* device, std::uint32_t state) {
  Gpu* g = static_cast<Gpu*>(device);
  if (state == 0) return;
  for (Engine& e : g->engines) e = Engine{};
  g->cause = g->mask = g->gtt_lo = g->gtt_hi = g->gtt_ctrl = g->status_lo = g->status_hi = 0;
  std::memset(g->semaphores, 0, sizeof(g->semaphores));
  update_line(g);
}

const WddmBar kBars[] = {{WREN_BAR_BYTES, 0, 0}};

WddmDevice make_table() {
  WddmDevice table{};
  table.size = sizeof(table);
  table.version = WDDM_DEVICE_VERSION;
  table.name = "Wren";
  table.bars = kBars;
  table.bar_count = 1;
  table.bar_stride = sizeof(WddmBar);
  table.vendor_id = WREN_VENDOR;
  table.device_id = WREN_DEVICE;
  table.create = create;
  table.destroy = destroy;
  table.bar_read = bar_read;
  table.bar_write = bar_write;
  table.advance = advance;
  table.log = take_log;
  table.scramble = scramble;
  table.power = power;
  table.tag_bits = 32;
  return table;
}

}  // namespace
}  // namespace wren

extern "C" __attribute__((visibility("default"))) const WddmDevice* WddmDeviceEntry(
    std::uint32_t host_version) {
  static const WddmDevice table = wren::make_table();
  return host_version == WDDM_DEVICE_VERSION ? &table : nullptr;
}
