/* The Heron's user mode: abstract commands to tokens, and what a DMA buffer holds.
 *
 * A window shows only what the commands up to its UNBIND use. The first entry of every allocation
 * list names nothing, for the driver closes windows by it. */
#include <stdlib.h>
#include <string.h>

#include "conformance/drivers/heron/device/heron_hw.h"
#include "conformance/drivers/heron/device/heron_um.h"
#include "conformance/sdk/client.h"

static void* heron_create(void) {
  return NULL;
}
static void heron_destroy(void* client) {
  (void)client;
}

static int heron_allocation(void* client, const WddmAllocationRequest* r, void* buffer,
                            uint32_t capacity) {
  HeronAllocationData d;
  (void)client;
  if (r->bytes > HERON_MAX_ALLOCATION || r->segment > 2) return -1;
  if (r->aperture && r->segment == 2) return -1;
  if (!buffer) return sizeof(d);
  if (capacity < sizeof(d)) return -1;
  memset(&d, 0, sizeof(d));
  d.magic = HERON_MAGIC_ALLOCATION;
  d.version = HERON_UM_VERSION;
  d.bytes = r->bytes;
  d.preferred_segment = r->segment;
  if (r->cpu_visible) d.flags |= HERON_ALLOC_CPU_VISIBLE;
  if (r->aperture) d.flags |= HERON_ALLOC_APERTURE_ONLY;
  memcpy(buffer, &d, sizeof(d));
  return sizeof(d);
}

static int heron_context(void* client, const WddmContextRequest* r, void* buffer,
                         uint32_t capacity) {
  HeronContextData d = {HERON_MAGIC_CONTEXT, HERON_UM_VERSION, r->node, 0};
  (void)client;
  if (r->node >= HERON_NODES || capacity < sizeof(d)) return -1;
  if (buffer) memcpy(buffer, &d, sizeof(d));
  return sizeof(d);
}

/* ---- Commands ---- */
typedef struct Build {
  const WddmBuildRequest* request;
  WddmBuildResult* result;
  uint32_t room, list_room;
  uint32_t bytes, entries;
  uint8_t bound[HERON_WINDOWS];
  uint32_t base[256]; /* offset at which the window of a slot begins */
} Build;

static const WddmCommand* command_at(const Build* b, uint32_t i) {
  return WDDM_CLIENT_ELEMENT(const WddmCommand, b->request->commands, b->request->command_stride,
                             i);
}

static int put(Build* b, const uint32_t* token, uint32_t bytes) {
  if (bytes > b->room - b->bytes) return -1;
  memcpy((uint8_t*)b->result->command_buffer + b->bytes, token, bytes);
  b->bytes += bytes;
  return 0;
}

/* The element of the allocation list for `allocation`; ~0u: no room. */
static uint32_t entry_for(Build* b, uint32_t allocation) {
  for (uint32_t i = 0; i < b->entries; ++i)
    if (WDDM_CLIENT_ELEMENT(WddmListAllocation, b->result->allocations,
                            b->result->allocation_stride, i)
            ->allocation == allocation)
      return i;
  if (b->entries == b->list_room) return ~0u;
  WddmListAllocation* e = WDDM_CLIENT_ELEMENT(WddmListAllocation, b->result->allocations,
                                              b->result->allocation_stride, b->entries);
  e->allocation = allocation;
  e->write = 0;
  return b->entries++;
}

/* What of it commands use from the BIND at `i` on. */
static void span(Build* b, uint32_t i, uint32_t* first, uint32_t* end, int* write) {
  const uint32_t slot = command_at(b, i)->slot;
  *first = ~0u;
  *end = 0;
  *write = 0;
  for (uint32_t k = i + 1; k < b->request->command_count; ++k) {
    const WddmCommand* c = command_at(b, k);
    if ((c->kind == WDDM_COMMAND_BIND || c->kind == WDDM_COMMAND_UNBIND) && c->slot == slot) break;
    for (int source = 0; source < 2; ++source) {
      if (source ? c->kind != WDDM_COMMAND_COPY || c->source_slot != slot
                 : (c->kind < WDDM_COMMAND_FILL || c->kind > WDDM_COMMAND_ADD) || c->slot != slot)
        continue;
      const uint32_t at = source ? c->source_offset : c->offset;
      const uint32_t size = c->kind == WDDM_COMMAND_ADD ? 4 : c->size;
      if (at < *first) *first = at;
      if (at + size > *end) *end = at + size;
      if (!source) *write = 1;
    }
  }
  if (*end <= *first) {
    *first = 0;
    *end = 4;
  }
}

static int heron_build(void* client, const WddmBuildRequest* request, WddmBuildResult* result) {
  Build b;
  (void)client;
  memset(&b, 0, sizeof(b));
  b.request = request;
  b.result = result;
  b.room = result->command_bytes;
  b.list_room = result->allocation_count;
  if (entry_for(&b, WDDM_CLIENT_NO_ALLOCATION) == ~0u) return -1;
  for (uint32_t i = 0; i < request->command_count; ++i) {
    const WddmCommand* c = command_at(&b, i);
    uint32_t t[6] = {0};
    uint32_t bytes = 0;
    if (c->kind < WDDM_COMMAND_SPIN && c->kind != WDDM_COMMAND_SIGNAL && c->slot >= HERON_WINDOWS)
      return -1;
    switch (c->kind) {
      case WDDM_COMMAND_BIND: {
        uint32_t first, end;
        int write;
        span(&b, i, &first, &end, &write);
        const uint32_t index = entry_for(&b, c->allocation);
        if (index == ~0u) return -1;
        if (write)
          WDDM_CLIENT_ELEMENT(WddmListAllocation, result->allocations, result->allocation_stride,
                              index)
              ->write = 1;
        b.base[c->slot] = first;
        b.bound[c->slot] = 1;
        t[0] = HU_TOKEN(HU_BIND, bytes = 20);
        t[1] = c->slot;
        t[2] = index;
        t[3] = first;
        t[4] = end - first;
        break;
      }
      case WDDM_COMMAND_UNBIND:
        if (!b.bound[c->slot]) continue;
        b.bound[c->slot] = 0;
        t[0] = HU_TOKEN(HU_UNBIND, bytes = 8);
        t[1] = c->slot;
        break;
      case WDDM_COMMAND_FILL:
        t[0] = HU_TOKEN(HU_FILL, bytes = 20);
        t[1] = c->slot;
        t[2] = c->offset - b.base[c->slot];
        t[3] = c->size;
        t[4] = c->value;
        break;
      case WDDM_COMMAND_COPY:
        if (c->source_slot >= HERON_WINDOWS) return -1;
        t[0] = HU_TOKEN(HU_COPY, bytes = 24);
        t[1] = c->slot;
        t[2] = c->offset - b.base[c->slot];
        t[3] = c->source_slot;
        t[4] = c->source_offset - b.base[c->source_slot];
        t[5] = c->size;
        break;
      case WDDM_COMMAND_ADD:
        t[0] = HU_TOKEN(HU_ADD, bytes = 16);
        t[1] = c->slot;
        t[2] = c->offset - b.base[c->slot];
        t[3] = c->value;
        break;
      case WDDM_COMMAND_SPIN:
        t[0] = HU_TOKEN(HU_SPIN, bytes = 8);
        t[1] = c->size;
        break;
      default: /* no semaphores; nothing privileged has a token */
        return -1;
    }
    if (put(&b, t, bytes)) return -1;
  }
  for (uint32_t slot = 0; slot < HERON_WINDOWS; ++slot) {
    const uint32_t t[2] = {HU_TOKEN(HU_UNBIND, 8), slot};
    if (b.bound[slot] && put(&b, t, 8)) return -1;
  }
  result->command_bytes = b.bytes;
  result->allocation_count = b.entries;
  result->patch_count = 0; /* the kernel-mode driver makes them */
  return 0;
}

/* ---- What lies in a DMA buffer ---- */
static int heron_decode(void* client, const void* dma, uint32_t bytes, WddmDecoded* out,
                        uint32_t stride, uint32_t capacity) {
  int count = 0;
  (void)client;
  for (uint32_t at = 0; at < bytes; ++count) {
    uint32_t w[8];
    WddmDecoded d;
    if (bytes - at < 4) return -1;
    memcpy(w, (const uint8_t*)dma + at, 4);
    const uint32_t n = HCMD_DWORDS(w[0]);
    if (!n || n > 8 || n * 4 > bytes - at) return -1;
    memcpy(w, (const uint8_t*)dma + at, n * 4);
    memset(&d, 0, sizeof(d));
    d.offset = at;
    d.length = n * 4;
    d.slot = d.source_slot = ~0u;
    switch (HCMD_OP(w[0])) {
      case HOP_NOP:
        break;
      case HOP_WINDOW:
        if (n != 4) return -1;
        d.address_count = 1;
        d.address_offset[0] = at + 4;
        d.address_width[0] = 8;
        d.address[0] = w[1] | ((uint64_t)w[2] << 32);
        break;
      case HOP_UNWINDOW:
        if (n != 1) return -1;
        break;
      case HOP_FILL:
        if (n != 4) return -1;
        d.kind = WDDM_COMMAND_FILL;
        d.slot = HCMD_A(w[0]);
        break;
      case HOP_COPY:
        if (n != 4) return -1;
        d.kind = WDDM_COMMAND_COPY;
        d.slot = HCMD_A(w[0]);
        d.source_slot = HCMD_B(w[0]);
        break;
      case HOP_ADD:
        if (n != 3) return -1;
        d.kind = WDDM_COMMAND_ADD;
        d.slot = HCMD_A(w[0]);
        break;
      case HOP_SPIN:
        if (n != 2) return -1;
        d.kind = WDDM_COMMAND_SPIN;
        break;
      case HOP_RECTCOPY:
        if (n != 7) return -1;
        d.kind = WDDM_COMMAND_COPY;
        d.slot = HCMD_A(w[0]);
        d.source_slot = HCMD_B(w[0]);
        break;
      case HOP_RECTFILL:
        if (n != 6) return -1;
        d.kind = WDDM_COMMAND_FILL;
        d.slot = HCMD_A(w[0]);
        break;
      case HOP_PCOPY:
      case HOP_PFILL:
      case HOP_PTOUCH:
        d.kind = WDDM_COMMAND_PRIVILEGED;
        break;
      default:
        return -1;
    }
    if ((uint32_t)count < capacity)
      memcpy(WDDM_CLIENT_ELEMENT(WddmDecoded, out, stride, count), &d,
             stride < sizeof(d) ? stride : sizeof(d));
    at += n * 4;
  }
  return count;
}

static int heron_escape(void* client, uint32_t number, void* buffer, uint32_t capacity) {
  static const uint32_t codes[] = {HERON_ESCAPE_VERSION, HERON_ESCAPE_FENCES};
  (void)client;
  if (number >= sizeof(codes) / sizeof(codes[0]) || capacity < sizeof(HeronEscape)) return -1;
  const HeronEscape escape = {.magic = HERON_MAGIC_ESCAPE, .code = codes[number]};
  memcpy(buffer, &escape, sizeof(escape));
  return sizeof(escape);
}

static const WddmClient kClient = {
    .size = sizeof(WddmClient),
    .version = WDDM_CLIENT_VERSION,
    .name = "Heron",
    .create = heron_create,
    .destroy = heron_destroy,
    .allocation_data = heron_allocation,
    .build = heron_build,
    .decode = heron_decode,
    .context_data = heron_context,
    .escape_data = heron_escape,
};

__attribute__((visibility("default"))) const WddmClient* WddmClientEntry(uint32_t host_version) {
  return host_version == WDDM_CLIENT_VERSION ? &kClient : NULL;
}
