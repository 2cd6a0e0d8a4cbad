// An engine: packets from its ring, interrupts, preemption, faults and reset.
#include <cstddef>
#include <cstring>

#include "conformance/drivers/wren/device/wren_gpu.h"

namespace wren {

void log(Gpu* g, std::uint32_t kind, std::uint32_t node, std::uint32_t tag, std::uint64_t address,
         std::uint32_t length) {
  WddmDeviceEvent e{};
  e.size = sizeof(e);
  e.kind = kind;
  e.node = node;
  e.tag = tag;
  e.address = address;
  e.length = length;
  g->events->push_back(e);
}

void update_line(Gpu* g) {
  const int level = (g->cause & g->mask) != 0;
  if (level == g->line) return;
  g->line = level;
  g->host->set_interrupt_line(g->host->host, level);
}

static void raise(Gpu* g, std::uint32_t bits) {
  g->cause |= bits;
  update_line(g);
}

static std::uint64_t status_of(Gpu* g, std::uint32_t n) {
  return ((std::uint64_t)g->status_hi << 32 | g->status_lo) + n * sizeof(WrenStatus);
}
static void put_status(Gpu* g, std::uint32_t n, std::size_t offset, std::uint32_t value) {
  g->host->dma_write(g->host->host, status_of(g, n) + offset, &value, 4);
}

void fault(Gpu* g, std::uint32_t n, std::uint32_t code, std::uint64_t address) {
  Engine* e = &g->engines[n];
  if (code == WREN_FAULT_ADDRESS) log(g, WDDM_DEVICE_FAULT, n, e->packet.fence, address, 0);
  log(g, WDDM_DEVICE_PACKET_STOPPED, n, e->packet.fence, plain(e->pc), 0);
  put_status(g, n, offsetof(WrenStatus, fault_fence), e->packet.fence);
  put_status(g, n, offsetof(WrenStatus, fault_code), code);
  put_status(g, n, offsetof(WrenStatus, fault_pc), (std::uint32_t)e->pc);
  e->delaying = false;
  e->state = WREN_STATE_FAULTED;
  raise(g, WREN_CAUSE_FAULT(n));
}

static void finish(Gpu* g, std::uint32_t n) {
  Engine* e = &g->engines[n];
  log(g, WDDM_DEVICE_PACKET_END, n, e->packet.fence, plain(e->end), 0);
  e->active = false;
  e->head++;
  put_status(g, n, offsetof(WrenStatus, fence), e->packet.fence);
  put_status(g, n, offsetof(WrenStatus, retired), e->head);
  raise(g, WREN_CAUSE_DONE(n));
}

static void halt(Gpu* g, std::uint32_t n) {
  Engine* e = &g->engines[n];
  if (e->active) {
    if (e->packet.save) {
      const WrenSaveArea save = {WREN_SAVE_MAGIC, e->value, e->delaying ? e->ticks : 0,
                                 (std::uint32_t)(e->pc - e->packet.start)};
      g->host->dma_write(g->host->host, e->packet.save, &save, sizeof(save));
    }
    put_status(g, n, offsetof(WrenStatus, stopped), 1);
    put_status(g, n, offsetof(WrenStatus, stopped_at), (std::uint32_t)(e->pc - e->packet.start));
    put_status(g, n, offsetof(WrenStatus, stopped_fence), e->packet.fence);
    log(g, WDDM_DEVICE_PACKET_STOPPED, n, e->packet.fence, plain(e->pc), 0);
  } else {
    put_status(g, n, offsetof(WrenStatus, stopped), 0);
  }
  e->active = false;
  e->delaying = false;
  e->preempt = false;
  e->state = WREN_STATE_HALTED;
  raise(g, WREN_CAUSE_HALT(n));
}

std::uint32_t step(Gpu* g, std::uint32_t n) {
  Engine* e = &g->engines[n];
  if (e->clock || e->state != WREN_STATE_RUN || !e->entries) return 0;
  if (e->preempt && (n == WREN_NODE_3D || !e->active)) return halt(g, n), 1;
  if (!e->active) {
    if (e->head == e->tail) return 0;
    const std::uint64_t ring = (std::uint64_t)e->ring_hi << 32 | e->ring_lo;
    WrenDescriptor d{};
    g->host->dma_read(g->host->host, ring + (e->head % e->entries) * sizeof(d), &d, sizeof(d));
    e->packet = d;
    e->pc = d.start;
    e->end = d.start + d.bytes;
    e->active = true;
    e->delaying = false;
    if (d.flags & WREN_RUN_RESUME) {
      WrenSaveArea save{};
      g->host->dma_read(g->host->host, d.save, &save, sizeof(save));
      e->pc = d.start + d.resume;
      e->value = save.value;
      e->ticks = save.ticks_left;
      e->delaying = save.ticks_left != 0;
    }
    log(g, WDDM_DEVICE_PACKET_BEGIN, n, d.fence, 0, 0);
  }
  std::uint32_t cost = 1;
  if (e->pc < e->end) cost = execute(g, n);
  if (e->active && cost && !e->delaying && e->pc >= e->end) finish(g, n);
  return cost;
}

void reset(Gpu* g, std::uint32_t domains) {
  for (std::uint32_t n = 0; n < WREN_NODES; n++) {
    const std::uint32_t domain = n == WREN_NODE_3D ? WREN_DOMAIN_RENDER : WREN_DOMAIN_MEDIA;
    if (!(domains & (domain | WREN_DOMAIN_ALL))) continue;
    Engine* e = &g->engines[n];
    if (e->active) log(g, WDDM_DEVICE_PACKET_STOPPED, n, e->packet.fence, plain(e->pc), 0);
    const std::uint32_t clock = e->clock;
    *e = Engine{};
    e->clock = clock;
    g->cause &= ~(WREN_CAUSE_DONE(n) | WREN_CAUSE_HALT(n) | WREN_CAUSE_FAULT(n));
  }
  if (domains & WREN_DOMAIN_ALL) {
    std::memset(g->semaphores, 0, sizeof(g->semaphores));
    g->gtt_ctrl = 0;
  }
  update_line(g);
}

}  // namespace wren
