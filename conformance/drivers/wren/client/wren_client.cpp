// The Wren's user mode: command buffers with patch locations, private data, and decoding.
//
// The first element of an allocation list names no allocation: the driver has it patched where a
// slot is free again.
#include <cstdint>
#include <cstring>
#include <vector>

#include "conformance/drivers/wren/client/wren_umd.h"
#include "conformance/drivers/wren/device/wren_hw.h"
#include "conformance/sdk/client.h"

namespace wren {
namespace {

void* create() {
  return nullptr;
}
void destroy(void*) {}

int allocation_data(void*, const WddmAllocationRequest* request, void* buffer,
                    std::uint32_t capacity) {
  if (request->bytes > WREN_APERTURE_BYTES || request->segment > 1) return -1;
  if (!buffer) return sizeof(WrenUmdAllocation);
  if (capacity < sizeof(WrenUmdAllocation)) return -1;
  WrenUmdAllocation data{};
  data.magic = WREN_UMD_MAGIC;
  data.version = WREN_UMD_VERSION;
  data.bytes = request->bytes;
  data.flags =
      (request->cpu_visible ? WREN_ALLOC_CPU : 0) | (request->shared ? WREN_ALLOC_SHARED : 0);
  std::memcpy(buffer, &data, sizeof(data));
  return sizeof(data);
}

int context_data(void*, const WddmContextRequest* request, void* buffer, std::uint32_t capacity) {
  const WrenUmdContext data = {WREN_UMD_MAGIC, WREN_UMD_VERSION, request->node, 0};
  if (capacity < sizeof(data)) return -1;
  std::memcpy(buffer, &data, sizeof(data));
  return sizeof(data);
}

struct Builder {
  const WddmBuildRequest* request;
  std::vector<std::uint32_t> words;
  std::vector<WddmPatchLocation> patches;
  std::vector<WddmListAllocation> list;
  std::vector<std::uint32_t> index;  // of each allocation in the list
  std::uint32_t bound[256];

  std::uint32_t of(std::uint32_t slot, bool write) {
    if (slot >= 256 || bound[slot] == WDDM_CLIENT_NO_ALLOCATION) return ~0u;
    std::uint32_t& at = index[bound[slot]];
    if (at == ~0u) {
      at = (std::uint32_t)list.size();
      list.push_back({bound[slot], 0});
    }
    if (write) list[at].write = 1;
    return at;
  }
  bool address(std::uint32_t slot, std::uint32_t offset, bool write) {
    const std::uint32_t at = of(slot, write);
    if (at == ~0u || slot >= WREN_SLOTS) return false;
    patches.push_back({at, slot, 0, offset, (std::uint32_t)words.size() * 4, 0});
    words.push_back(0);
    return true;
  }
};

bool add(Builder* b, const WddmCommand& c) {
  switch (c.kind) {
    case WDDM_COMMAND_BIND:
      if (c.slot >= WREN_SLOTS || c.allocation >= b->request->allocation_count) return false;
      b->bound[c.slot] = c.allocation;
      return true;
    case WDDM_COMMAND_UNBIND:
      if (c.slot >= WREN_SLOTS) return false;
      b->bound[c.slot] = WDDM_CLIENT_NO_ALLOCATION;
      return true;
    case WDDM_COMMAND_FILL:
      if (c.size == 0) return true;
      b->words.push_back(WREN_UC(WREN_UC_FILL, 4));
      if (!b->address(c.slot, c.offset, true)) return false;
      b->words.push_back(c.size / 4);
      b->words.push_back(c.value);
      return true;
    case WDDM_COMMAND_COPY:
      if (c.size == 0) return true;
      b->words.push_back(WREN_UC(WREN_UC_COPY, 4));
      if (!b->address(c.slot, c.offset, true) || !b->address(c.source_slot, c.source_offset, false))
        return false;
      b->words.push_back(c.size);
      return true;
    case WDDM_COMMAND_ADD:
      b->words.push_back(WREN_UC(WREN_UC_ADD, 3));
      if (!b->address(c.slot, c.offset, true)) return false;
      b->words.push_back(c.value);
      return true;
    case WDDM_COMMAND_SPIN:
      b->words.push_back(WREN_UC(WREN_UC_DELAY, 2));
      b->words.push_back(c.size);
      return true;
    case WDDM_COMMAND_SIGNAL:
    case WDDM_COMMAND_WAIT: {
      const bool wait = c.kind == WDDM_COMMAND_WAIT;
      if (wait && b->request->node != WREN_NODE_3D) return false;
      b->words.push_back(wait ? WREN_UC(WREN_UC_WAIT, 3) : WREN_UC(WREN_UC_SIGNAL, 3));
      b->words.push_back(c.slot);
      b->words.push_back(c.value);
      return true;
    }
    case WDDM_COMMAND_PRIVILEGED:
      if (c.slot != 0 || c.size > 0xffffffffu - 4) return false;
      b->words.push_back(WREN_COMMAND(WREN_OP_PFILL, 5));
      b->words.push_back((std::uint32_t)c.address);
      b->words.push_back((std::uint32_t)(c.address >> 32) | (c.segment ? 0 : WREN_PHYSICAL));
      b->words.push_back(c.size);
      b->words.push_back(c.value);
      return true;
    default:
      return false;
  }
}

int build(void*, const WddmBuildRequest* request, WddmBuildResult* result) {
  if (request->allocation_addresses) return -1;
  Builder b;
  b.request = request;
  b.list.push_back({WDDM_CLIENT_NO_ALLOCATION, 0});
  b.index.assign(request->allocation_count, ~0u);
  for (std::uint32_t& one : b.bound) one = WDDM_CLIENT_NO_ALLOCATION;
  for (std::uint32_t i = 0; i < request->command_count; i++) {
    const WddmCommand* from =
        WDDM_CLIENT_ELEMENT(const WddmCommand, request->commands, request->command_stride, i);
    WddmCommand c{};
    std::memcpy(&c, from,
                request->command_stride < sizeof(c) ? request->command_stride : sizeof(c));
    if (!add(&b, c)) return -1;
  }
  if (b.words.size() * 4 > result->command_bytes || b.list.size() > result->allocation_count ||
      b.patches.size() > result->patch_count)
    return -1;
  std::memcpy(result->command_buffer, b.words.data(), b.words.size() * 4);
  for (std::size_t i = 0; i < b.list.size(); i++)
    *WDDM_CLIENT_ELEMENT(WddmListAllocation, result->allocations, result->allocation_stride, i) =
        b.list[i];
  for (std::size_t i = 0; i < b.patches.size(); i++)
    *WDDM_CLIENT_ELEMENT(WddmPatchLocation, result->patches, result->patch_stride, i) =
        b.patches[i];
  result->command_bytes = (std::uint32_t)b.words.size() * 4;
  result->allocation_count = (std::uint32_t)b.list.size();
  result->patch_count = (std::uint32_t)b.patches.size();
  return 0;
}

int decode(void*, const void* dma, std::uint32_t bytes, WddmDecoded* out, std::uint32_t stride,
           std::uint32_t capacity) {
  if (bytes & 3) return -1;
  const auto* w = static_cast<const std::uint8_t*>(dma);
  const std::uint32_t count = bytes / 4;
  int found = 0;
  for (std::uint32_t at = 0; at < count;) {
    std::uint32_t c[4] = {};
    std::memcpy(c, w + at * 4, 4);
    const std::uint32_t op = c[0] & 0xff, words = (c[0] >> 8) & 0xff;
    if (words == 0 || words > count - at) return -1;
    std::memcpy(c, w + at * 4, (words < 4 ? words : 4) * 4);
    WddmDecoded d{};
    d.offset = at * 4;
    d.length = words * 4;
    d.slot = d.source_slot = ~0u;
    const auto address = [&](std::uint32_t word) {
      d.address_offset[d.address_count] = (at + word) * 4;
      d.address_width[d.address_count] = 4;
      d.address[d.address_count++] = c[word];
    };
    switch (c[0]) {
      case WREN_COMMAND(WREN_OP_LOADI, 2):
        break;
      case WREN_COMMAND(WREN_OP_MARK, 2):
        address(1);
        break;
      case WREN_COMMAND(WREN_OP_FILL, 3):
        d.kind = WDDM_COMMAND_FILL;
        address(1);
        break;
      case WREN_COMMAND(WREN_OP_COPY, 4):
        d.kind = WDDM_COMMAND_COPY;
        address(1);
        address(2);
        break;
      case WREN_COMMAND(WREN_OP_ADD, 2):
        d.kind = WDDM_COMMAND_ADD;
        address(1);
        break;
      case WREN_COMMAND(WREN_OP_DELAY, 2):
        d.kind = WDDM_COMMAND_SPIN;
        break;
      case WREN_COMMAND(WREN_OP_SIGNAL, 3):
        d.kind = WDDM_COMMAND_SIGNAL;
        break;
      case WREN_COMMAND(WREN_OP_WAIT, 3):
        d.kind = WDDM_COMMAND_WAIT;
        break;
      default:
        if (op >= WREN_OP_MAP && op <= WREN_OP_POKE)
          d.kind = WDDM_COMMAND_PRIVILEGED;
        else if (op != WREN_OP_NOP)
          return -1;
    }
    if ((std::uint32_t)found < capacity) {
      std::uint8_t* to = reinterpret_cast<std::uint8_t*>(out) + (std::size_t)found * stride;
      std::memcpy(to, &d, stride < sizeof(d) ? stride : sizeof(d));
    }
    found++;
    at += words;
  }
  return found;
}

int escape_data(void*, std::uint32_t number, void* buffer, std::uint32_t capacity) {
  const WrenUmdEscape escape = {WREN_UMD_MAGIC, WREN_UMD_VERSION, 0, number, 0};  // of each node
  if (number >= WREN_NODES || capacity < sizeof(escape)) return -1;
  std::memcpy(buffer, &escape, sizeof(escape));
  return sizeof(escape);
}

WddmClient make_table() {
  WddmClient table{};
  table.size = sizeof(table);
  table.version = WDDM_CLIENT_VERSION;
  table.name = "Wren";
  table.create = create;
  table.destroy = destroy;
  table.allocation_data = allocation_data;
  table.context_data = context_data;
  table.build = build;
  table.decode = decode;
  table.escape_data = escape_data;
  return table;
}

}  // namespace
}  // namespace wren

extern "C" __attribute__((visibility("default"))) const WddmClient* WddmClientEntry(
    std::uint32_t host_version) {
  static const WddmClient table = wren::make_table();
  return host_version == WDDM_CLIENT_VERSION ? &table : nullptr;
}
