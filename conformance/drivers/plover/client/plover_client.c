/* The Plover's user mode: a command of 32 bytes for each abstract one, and a decoder of entries.
 *
 * Slots exist only here: a command that reaches memory carries the addresses. Nothing decodes
 * commands, since nobody asks for those that user mode submits itself. */
#include <string.h>

#include "conformance/drivers/plover/device/plover_hw.h"
#include "conformance/sdk/client.h"

#define SLOTS 256u

static void* create(void) {
  return 0;
}
static void destroy(void* client) {
  (void)client;
}

static int allocation_data(void* client, const WddmAllocationRequest* r, void* buffer,
                           uint32_t capacity) {
  PloverAllocationData data = {PLOVER_ALLOCATION_MAGIC,
                               r->cpu_visible ? PLOVER_ALLOCATION_CPU_VISIBLE : 0, r->bytes};
  (void)client;
  if (r->aperture || r->segment > 1 || r->physical_adapter) return -1; /* one segment, of memory */
  if (buffer && capacity >= sizeof data) memcpy(buffer, &data, sizeof data);
  return sizeof data;
}

static int context_data(void* client, const WddmContextRequest* r, void* buffer,
                        uint32_t capacity) {
  PloverContextData data = {PLOVER_CONTEXT_MAGIC, r->node};
  (void)client;
  if (r->node >= PLOVER_NODES || capacity < sizeof data) return -1;
  memcpy(buffer, &data, sizeof data);
  return sizeof data;
}

/* Notes in the list that the allocation is used. */
static int use(WddmBuildResult* out, uint32_t capacity, uint32_t allocation, uint32_t write) {
  WddmListAllocation* a;
  uint32_t i;
  for (i = 0; i < out->allocation_count; ++i) {
    a = WDDM_CLIENT_ELEMENT(WddmListAllocation, out->allocations, out->allocation_stride, i);
    if (a->allocation == allocation) {
      a->write |= write;
      return 0;
    }
  }
  if (i == capacity) return -1;
  a = WDDM_CLIENT_ELEMENT(WddmListAllocation, out->allocations, out->allocation_stride, i);
  a->allocation = allocation;
  a->write = write;
  ++out->allocation_count;
  return 0;
}

/* The command for one that uses no slots but those of semaphores; op NOP: it has no counterpart. */
static PloverCommand translated(const WddmCommand* c) {
  PloverCommand made = {PLOVER_OP_NOP, c->value, 0, 0, c->size};
  switch (c->kind) {
    case WDDM_COMMAND_FILL:
      made.op = PLOVER_OP_FILL;
      break;
    case WDDM_COMMAND_COPY:
      made.op = PLOVER_OP_COPY;
      break;
    case WDDM_COMMAND_ADD:
      made.op = PLOVER_OP_ADD;
      break;
    case WDDM_COMMAND_SPIN:
      made.op = PLOVER_OP_SPIN;
      break;
    case WDDM_COMMAND_SIGNAL:
    case WDDM_COMMAND_WAIT:
      made.op = c->kind == WDDM_COMMAND_SIGNAL ? PLOVER_OP_SIGNAL : PLOVER_OP_WAIT;
      made.destination = c->slot;
      break;
    default:
      break;
  }
  return made;
}

static int build(void* client, const WddmBuildRequest* r, WddmBuildResult* out) {
  const uint32_t bytes = out->command_bytes, lists = out->allocation_count;
  PloverCommand* to = out->command_buffer;
  PloverSubmitData data = {PLOVER_SUBMIT_MAGIC, 0};
  uint32_t bound[SLOTS], i;
  (void)client;
  out->command_bytes = out->allocation_count = out->patch_count = 0;
  if (!r->allocation_addresses || r->slot_count > SLOTS) return -1;
  memset(bound, 0xff, sizeof bound);
  for (i = 0; i < r->command_count; ++i) {
    const WddmCommand* c =
        WDDM_CLIENT_ELEMENT(const WddmCommand, r->commands, r->command_stride, i);
    PloverCommand made = translated(c);
    if (c->kind == WDDM_COMMAND_BIND || c->kind == WDDM_COMMAND_UNBIND) {
      if (c->slot >= SLOTS) return -1;
      bound[c->slot] = c->kind == WDDM_COMMAND_BIND ? c->allocation : WDDM_CLIENT_NO_ALLOCATION;
      continue;
    }
    if (made.op == PLOVER_OP_NOP) return -1;
    if (made.op <= PLOVER_OP_ADD) {
      if (c->slot >= SLOTS || bound[c->slot] >= r->allocation_count) return -1;
      made.destination = r->allocation_addresses[bound[c->slot]] + c->offset;
      if (use(out, lists, bound[c->slot], 1)) return -1;
    }
    if (made.op == PLOVER_OP_COPY) {
      if (c->source_slot >= SLOTS || bound[c->source_slot] >= r->allocation_count) return -1;
      made.source = r->allocation_addresses[bound[c->source_slot]] + c->source_offset;
      if (use(out, lists, bound[c->source_slot], 0)) return -1;
    }
    if ((data.commands + 1) * sizeof made > bytes) return -1;
    to[data.commands++] = made;
  }
  out->command_bytes = data.commands * (uint32_t)sizeof *to;
  if (out->private_data) {
    if (out->private_data_bytes < sizeof data) return -1;
    memcpy(out->private_data, &data, sizeof data);
    out->private_data_bytes = sizeof data;
  }
  return 0;
}

static int decode_entry(void* client, const WddmPageTable* table, const void* entry,
                        WddmTableEntry* out) {
  static const uint32_t entry_bytes[PLOVER_LEVELS] = PLOVER_ENTRY_BYTES;
  uint64_t e, protection = 0;
  (void)client;
  if (table->level >= PLOVER_LEVELS || table->level_count != PLOVER_LEVELS ||
      table->page_bytes != 4096)
    return -1;
  if (!entry) return (int)entry_bytes[table->level];
  memcpy(&e, entry, 8);
  if (!table->level) memcpy(&protection, (const char*)entry + 8, 8);
  if (e & PLOVER_PTE_VALID) {
    out->target.flags = WDDM_ENTRY_VALID | (e & PLOVER_PTE_ZERO ? WDDM_ENTRY_ZERO : 0) |
                        (e & PLOVER_PTE_SYSTEM ? WDDM_ENTRY_SYSTEM : 0) |
                        (e & PLOVER_PTE_COHERENT ? WDDM_ENTRY_COHERENT : 0) |
                        (e & PLOVER_PTE_READ_ONLY ? WDDM_ENTRY_READ_ONLY : 0) |
                        (e & PLOVER_PTE_NO_EXECUTE ? WDDM_ENTRY_NO_EXECUTE : 0);
    out->target.address = e & PLOVER_PTE_ADDRESS;
    out->target.driver_protection = protection;
  }
  return (int)entry_bytes[table->level];
}

static const WddmClient plover_client = {
    .size = sizeof(WddmClient),
    .version = WDDM_CLIENT_VERSION,
    .name = "Plover",
    .create = create,
    .destroy = destroy,
    .allocation_data = allocation_data,
    .context_data = context_data,
    .build = build,
    .decode_entry = decode_entry,
};

__attribute__((visibility("default"))) const WddmClient* WddmClientEntry(uint32_t host_version) {
  return host_version == WDDM_CLIENT_VERSION ? &plover_client : 0;
}
