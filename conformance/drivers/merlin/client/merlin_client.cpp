// The Merlin's user mode: commands with virtual addresses, private data, and what page tables say.
//
// Slots exist only here: a command carries the addresses themselves. Nothing decodes commands,
// since nobody asks for those that user mode submits itself.
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "conformance/drivers/merlin/client/merlin_umd.h"
#include "conformance/drivers/merlin/device/merlin_hw.h"
#include "conformance/sdk/client.h"

namespace merlin {
namespace {

void* create() {
  return nullptr;
}
void destroy(void*) {}

template <class T>
int give(const T& data, void* buffer, std::uint32_t capacity) {
  if (buffer) {
    if (capacity < sizeof(data)) return -1;
    std::memcpy(buffer, &data, sizeof(data));
  }
  return static_cast<int>(sizeof(data));
}

int allocation_data(void*, const WddmAllocationRequest* r, void* buffer, std::uint32_t capacity) {
  const std::uint32_t gpu = r->size >= sizeof(*r) ? r->physical_adapter : 0;
  if (gpu >= MERLIN_LINKS || r->segment > 2) return -1;
  if (r->segment == 1 && r->aperture) return -1;
  MerlinAllocData d = {};
  d.magic = MERLIN_MAGIC_ALLOC;
  d.abi = MERLIN_ABI;
  d.bytes = r->bytes;
  d.place = r->aperture || r->segment == 2 ? MERLIN_PLACE_SYSTEM
            : r->segment == 1              ? MERLIN_PLACE_LOCAL
                                           : MERLIN_PLACE_ANY;
  d.flags = (r->cpu_visible ? MERLIN_ALLOC_CPU : 0) | (r->shared ? MERLIN_ALLOC_SHARED : 0);
  d.gpu = gpu;
  return give(d, buffer, capacity);
}

int resource_data(void*, const WddmAllocationRequest*, void* buffer, std::uint32_t capacity) {
  const MerlinResourceData d = {MERLIN_MAGIC_RESOURCE, MERLIN_ABI};
  return give(d, buffer, capacity);
}

int context_data(void*, const WddmContextRequest* r, void* buffer, std::uint32_t capacity) {
  if (r->node >= MERLIN_NODES) return -1;
  const MerlinContextData d = {MERLIN_MAGIC_CONTEXT, MERLIN_ABI, r->node, 0};
  return give(d, buffer, capacity);
}

struct Build {
  const WddmBuildRequest* request;
  std::vector<std::uint32_t> words;
  std::map<std::uint32_t, std::uint32_t> slots;  // slot: allocation
  std::map<std::uint32_t, bool> used;            // allocation: written

  // Address of `offset` in what `slot` names, or 0.
  std::uint64_t address(std::uint32_t slot, std::uint32_t offset, std::uint64_t bytes, bool write) {
    auto found = slots.find(slot);
    if (found == slots.end()) return 0;
    const std::uint32_t a = found->second;
    if (offset + bytes > request->allocation_sizes[a] || !request->allocation_addresses[a])
      return 0;
    used[a] = used[a] || write;
    return request->allocation_addresses[a] + offset;
  }
  void put64(std::uint64_t v) {
    words.push_back(static_cast<std::uint32_t>(v));
    words.push_back(static_cast<std::uint32_t>(v >> 32));
  }
  bool command(const WddmCommand& c) {
    switch (c.kind) {
      case WDDM_COMMAND_BIND:
        if (c.slot >= request->slot_count || c.allocation >= request->allocation_count)
          return false;
        slots[c.slot] = c.allocation;
        return true;
      case WDDM_COMMAND_UNBIND:
        slots.erase(c.slot);
        return true;
      case WDDM_COMMAND_FILL: {
        const std::uint64_t to = address(c.slot, c.offset, c.size, true);
        if (!to) return false;
        words.push_back(MC_HEADER(MC_FILL, MC_FILL_WORDS));
        put64(to);
        words.push_back(c.size);
        words.push_back(c.value);
        return true;
      }
      case WDDM_COMMAND_COPY: {
        const std::uint64_t from = address(c.source_slot, c.source_offset, c.size, false);
        const std::uint64_t to = address(c.slot, c.offset, c.size, true);
        if (!to || !from) return false;
        words.push_back(MC_HEADER(MC_COPY, MC_COPY_WORDS));
        put64(to);
        put64(from);
        words.push_back(c.size);
        return true;
      }
      case WDDM_COMMAND_ADD: {
        const std::uint64_t to = address(c.slot, c.offset, 4, true);
        if (!to) return false;
        words.push_back(MC_HEADER(MC_ADD, MC_ADD_WORDS));
        put64(to);
        words.push_back(c.value);
        return true;
      }
      case WDDM_COMMAND_SPIN:
        words.push_back(MC_HEADER(MC_SPIN, MC_SPIN_WORDS));
        words.push_back(c.size);
        return true;
      default:  // there are no semaphores, and no commands by physical address
        return false;
    }
  }
};

int build(void*, const WddmBuildRequest* request, WddmBuildResult* result) {
  if (!request->allocation_addresses && request->allocation_count) return -1;
  Build b;
  b.request = request;
  for (std::uint32_t i = 0; i < request->command_count; i++)
    if (!b.command(
            *WDDM_CLIENT_ELEMENT(const WddmCommand, request->commands, request->command_stride, i)))
      return -1;
  const std::uint32_t bytes = static_cast<std::uint32_t>(b.words.size() * 4);
  if (bytes > result->command_bytes || b.used.size() > result->allocation_count ||
      result->private_data_bytes < sizeof(MerlinSubmitData))
    return -1;
  std::memcpy(result->command_buffer, b.words.data(), bytes);
  result->command_bytes = bytes;
  std::uint32_t n = 0;
  for (const auto& u : b.used) {
    WddmListAllocation* a = WDDM_CLIENT_ELEMENT(WddmListAllocation, result->allocations,
                                                result->allocation_stride, n++);
    a->allocation = u.first;
    a->write = u.second;
  }
  result->allocation_count = n;
  result->patch_count = 0;
  MerlinSubmitData d = {MERLIN_MAGIC_SUBMIT, MERLIN_ABI, bytes, 0};
  d.check =
      d.magic ^ d.abi ^ d.command_bytes ^ static_cast<std::uint32_t>(request->command_address);
  std::memcpy(result->private_data, &d, sizeof(d));
  result->private_data_bytes = sizeof(d);
  result->state_bytes = 0;
  return 0;
}

int decode_entry(void*, const WddmPageTable* table, const void* entry, WddmTableEntry* out) {
  if (table->level > 1 || table->page_bytes != 4096) return -1;
  if (!entry) return 8;
  std::uint64_t e;
  std::memcpy(&e, entry, sizeof(e));
  if (!(e & MPTE_VALID)) return 8;
  WddmEntryTarget& t = out->target;
  t.flags = WDDM_ENTRY_VALID;
  if (e & MPTE_ZERO) {
    t.flags |= WDDM_ENTRY_ZERO;
    return 8;
  }
  if (e & MPTE_SYSTEM) t.flags |= WDDM_ENTRY_SYSTEM;
  if (e & MPTE_SNOOP) t.flags |= WDDM_ENTRY_COHERENT;
  if (e & MPTE_READ_ONLY) t.flags |= WDDM_ENTRY_READ_ONLY;
  if (e & MPTE_NO_EXECUTE) t.flags |= WDDM_ENTRY_NO_EXECUTE;
  t.adapter = e & MPTE_PEER ? 1 - table->adapter : table->adapter;
  t.address = e & MPTE_ADDRESS;
  t.driver_protection = table->level ? 0 : e >> MPTE_DRIVER_SHIFT;
  return 8;
}

int escape_data(void*, std::uint32_t number, void* buffer, std::uint32_t capacity) {
  const MerlinEscape escape = {MERLIN_MAGIC_ESCAPE, MERLIN_ABI, number, 0};  // of each GPU
  if (number >= MERLIN_LINKS || capacity < sizeof(escape)) return -1;
  std::memcpy(buffer, &escape, sizeof(escape));
  return sizeof(escape);
}

WddmClient make_table() {
  WddmClient c = {};
  c.size = sizeof(c);
  c.version = WDDM_CLIENT_VERSION;
  c.name = "Merlin";
  c.create = create;
  c.destroy = destroy;
  c.allocation_data = allocation_data;
  c.context_data = context_data;
  c.build = build;
  c.decode_entry = decode_entry;
  c.resource_data = resource_data;
  c.escape_data = escape_data;
  return c;
}

}  // namespace
}  // namespace merlin

extern "C" __attribute__((visibility("default"))) const WddmClient* WddmClientEntry(
    std::uint32_t host_version) {
  static const WddmClient table = merlin::make_table();
  return host_version == WDDM_CLIENT_VERSION ? &table : nullptr;
}
