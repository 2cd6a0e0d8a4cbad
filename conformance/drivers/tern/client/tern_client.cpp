// The Tern's user mode: abstract commands to hardware commands, and both decoders.
//
// Slots exist only here: a command that reaches memory carries the addresses, and in its note which
// slots they came from, for decode().
#include <cstdint>
#include <cstring>
#include <vector>

#include "conformance/drivers/tern/device/tern_hw.h"
#include "conformance/sdk/client.h"

namespace tern {
namespace {

constexpr std::uint32_t kNoSlot = ~0u;
constexpr std::uint32_t kSlots = 256;

std::uint32_t note_of(std::uint32_t slot, std::uint32_t source) {
  return (slot & 0xff) | (source & 0xff) << 8;
}

class Builder {
 public:
  explicit Builder(const WddmBuildRequest& request) : request_(request) {
    for (std::uint32_t& slot : bound_) slot = WDDM_CLIENT_NO_ALLOCATION;
  }

  bool add(const WddmCommand& command);
  bool store(WddmBuildResult& result);

 private:
  struct Use {
    std::uint32_t allocation;
    bool write;
  };

  // Where a slot leads, 0: nowhere. Notes that the allocation is used.
  std::uint64_t address(std::uint32_t slot, std::uint32_t offset, bool write) {
    if (slot >= kSlots || bound_[slot] >= request_.allocation_count) return 0;
    for (Use& use : uses_) {
      if (use.allocation != bound_[slot]) continue;
      use.write |= write;
      return request_.allocation_addresses[bound_[slot]] + offset;
    }
    uses_.push_back({bound_[slot], write});
    return request_.allocation_addresses[bound_[slot]] + offset;
  }
  void put(std::uint32_t op, std::uint32_t operand, const std::vector<std::uint64_t>& words) {
    const auto count = static_cast<std::uint32_t>(words.size() + 1);
    commands_.push_back(TERN_COMMAND(op, count, 0, operand));
    commands_.insert(commands_.end(), words.begin(), words.end());
  }

  const WddmBuildRequest& request_;
  std::uint32_t bound_[kSlots];
  std::vector<std::uint64_t> commands_;
  std::vector<Use> uses_;
};

bool Builder::add(const WddmCommand& command) {
  const std::uint32_t slot = command.slot, source = command.source_slot;
  switch (command.kind) {
    case WDDM_COMMAND_BIND:
    case WDDM_COMMAND_UNBIND:
      if (slot >= kSlots) return false;
      bound_[slot] =
          command.kind == WDDM_COMMAND_BIND ? command.allocation : WDDM_CLIENT_NO_ALLOCATION;
      return true;
    case WDDM_COMMAND_FILL:
    case WDDM_COMMAND_ADD: {
      const std::uint64_t to = address(slot, command.offset, true);
      if (to == 0) return false;
      if (command.kind == WDDM_COMMAND_ADD) {
        put(TERN_ADD, note_of(slot, slot), {to, command.value});
      } else {
        put(TERN_FILL, note_of(slot, 0), {to, command.size, command.value});
      }
      return true;
    }
    case WDDM_COMMAND_COPY: {
      const std::uint64_t to = address(slot, command.offset, true);
      const std::uint64_t from = address(source, command.source_offset, false);
      if (to == 0 || from == 0) return false;
      put(TERN_COPY, note_of(slot, source), {to, from, command.size});
      return true;
    }
    case WDDM_COMMAND_SIGNAL:
    case WDDM_COMMAND_WAIT:
      if (slot >= TERN_SEMAPHORES) return false;
      put(command.kind == WDDM_COMMAND_SIGNAL ? TERN_SIGNAL : TERN_WAIT, slot, {command.value});
      return true;
    case WDDM_COMMAND_SPIN:
      put(TERN_SPIN, 0, {command.size});
      return true;
    default:
      return false;
  }
}

bool Builder::store(WddmBuildResult& result) {
  if (commands_.empty()) put(TERN_NOP, 0, {});
  const std::size_t bytes = commands_.size() * 8;
  const TernSubmissionData data{TERN_MAGIC, static_cast<TernU32>(bytes)};
  if (bytes > result.command_bytes || uses_.size() > result.allocation_count ||
      sizeof(data) > result.private_data_bytes) {
    return false;
  }
  std::memcpy(result.command_buffer, commands_.data(), bytes);
  result.command_bytes = static_cast<std::uint32_t>(bytes);
  for (std::uint32_t i = 0; i < uses_.size(); ++i) {
    auto& entry =
        *WDDM_CLIENT_ELEMENT(WddmListAllocation, result.allocations, result.allocation_stride, i);
    entry = {uses_[i].allocation, uses_[i].write ? 1u : 0u};
  }
  result.allocation_count = static_cast<std::uint32_t>(uses_.size());
  result.patch_count = 0;
  std::memcpy(result.private_data, &data, sizeof(data));
  result.private_data_bytes = sizeof(data);
  return true;
}

int build(void*, const WddmBuildRequest* request, WddmBuildResult* result) {
  if (request->allocation_addresses == nullptr) return -1;
  Builder builder(*request);
  for (std::uint32_t i = 0; i < request->command_count; ++i) {
    const auto& command =
        *WDDM_CLIENT_ELEMENT(const WddmCommand, request->commands, request->command_stride, i);
    if (!builder.add(command)) return -1;
  }
  return builder.store(*result) ? 0 : -1;
}

int allocation_data(void*, const WddmAllocationRequest* request, void* buffer,
                    std::uint32_t capacity) {
  const TernAllocationData data{.magic = TERN_MAGIC,
                                .system_only = request->aperture,
                                .cpu_visible = request->cpu_visible,
                                .reserved = 0,
                                .bytes = request->bytes};
  if (buffer != nullptr && capacity >= sizeof(data)) std::memcpy(buffer, &data, sizeof(data));
  return sizeof(data);
}

// The addresses of a command: how many, and the word of each.
struct Operands {
  std::uint32_t kind = 0;
  std::uint32_t addresses = 0;
  std::uint32_t word[2] = {};
};

Operands operands_of(std::uint32_t op) {
  switch (op) {
    case TERN_FILL:
      return {WDDM_COMMAND_FILL, 1, {1}};
    case TERN_COPY:
      return {WDDM_COMMAND_COPY, 2, {1, 2}};
    case TERN_ADD:
      return {WDDM_COMMAND_ADD, 1, {1}};
    case TERN_SIGNAL:
      return {WDDM_COMMAND_SIGNAL};
    case TERN_WAIT:
      return {WDDM_COMMAND_WAIT};
    case TERN_SPIN:
      return {WDDM_COMMAND_SPIN};
    case TERN_PTE_WRITE:
    case TERN_PTE_FILL:
      return {0, 1, {1}};
    case TERN_PTE_COPY:
      return {0, 2, {1, 2}};
    default:
      return {};
  }
}

bool known(std::uint32_t op) {
  return (op >= TERN_NOP && op <= TERN_SPIN) || (op >= TERN_PTE_WRITE && op <= TERN_TLB_FLUSH);
}

WddmDecoded decoded(const std::uint64_t* words, std::uint32_t offset) {
  const std::uint64_t header = words[0];
  const Operands operands = operands_of(TERN_OP(header));
  WddmDecoded out{};
  out.offset = offset;
  out.length = TERN_WORDS(header) * 8;
  out.kind = operands.kind;
  // Commands of the driver carry no notes: it sets a flag that user mode does not.
  const bool notes = TERN_OP(header) <= TERN_ADD && TERN_FLAGS(header) == 0;
  const bool writes = notes && TERN_OP(header) >= TERN_FILL;
  out.slot = writes ? TERN_OPERAND(header) & 0xff : kNoSlot;
  const bool reads = TERN_OP(header) == TERN_COPY || TERN_OP(header) == TERN_ADD;
  out.source_slot = notes && reads ? TERN_OPERAND(header) >> 8 & 0xff : kNoSlot;
  out.address_count = operands.addresses;
  for (std::uint32_t i = 0; i < operands.addresses; ++i) {
    out.address_offset[i] = offset + operands.word[i] * 8;
    out.address_width[i] = 8;
    out.address[i] = words[operands.word[i]];
  }
  const bool table = TERN_OP(header) == TERN_PTE_WRITE || TERN_OP(header) == TERN_PTE_FILL;
  if (table && TERN_FLAGS(header) != TERN_TABLE_VIRTUAL) out.physical_addresses = 1;
  return out;
}

int decode(void*, const void* dma, std::uint32_t bytes, WddmDecoded* out, std::uint32_t out_stride,
           std::uint32_t capacity) {
  const auto* const words = static_cast<const std::uint8_t*>(dma);
  int count = 0;
  for (std::uint32_t at = 0; at < bytes; ++count) {
    std::uint64_t head[4] = {};
    if (bytes - at < 8) return -1;
    std::memcpy(head, words + at, 8);
    const std::uint32_t length = TERN_WORDS(head[0]) * 8;
    if (!known(TERN_OP(head[0])) || length == 0 || length > bytes - at) return -1;
    std::memcpy(head, words + at, length < sizeof(head) ? length : sizeof(head));
    if (static_cast<std::uint32_t>(count) < capacity) {
      *WDDM_CLIENT_ELEMENT(WddmDecoded, out, out_stride, count) = decoded(head, at);
    }
    at += length;
  }
  return count;
}

int decode_entry(void*, const WddmPageTable* table, const void* entry, WddmTableEntry* out) {
  if (table->level_count != TERN_LEVELS || table->level >= TERN_LEVELS ||
      table->page_bytes != 4096) {
    return -1;
  }
  if (entry == nullptr) return 8;
  std::uint64_t value;
  std::memcpy(&value, entry, sizeof(value));
  WddmEntryTarget& target = out->target;
  const bool valid = (value & TERN_PTE_VALID) != 0 &&
                     (value & TERN_PTE_LEVEL_MASK) == TERN_PTE_LEVEL(table->level);
  if (!valid) return 8;
  target.flags = WDDM_ENTRY_VALID;
  if ((value & TERN_PTE_ZERO) != 0) target.flags |= WDDM_ENTRY_ZERO;
  if ((value & TERN_PTE_SYSTEM) != 0) target.flags |= WDDM_ENTRY_SYSTEM;
  if ((value & TERN_PTE_READ_ONLY) != 0) target.flags |= WDDM_ENTRY_READ_ONLY;
  target.address = (value & TERN_PTE_FRAME_MASK) << 12;
  if (table->level == 0) target.driver_protection = value >> 40 & 0xff;
  return 8;
}

const WddmClient kClient = {
    .size = sizeof(WddmClient),
    .version = WDDM_CLIENT_VERSION,
    .name = "Tern",
    .create = []() -> void* { return nullptr; },
    .destroy = [](void*) {},
    .allocation_data = allocation_data,
    .context_data = nullptr,
    .build = build,
    .decode = decode,
    .decode_entry = decode_entry,
    .trim = nullptr,
    .place_resources = nullptr,
    .resource_data = nullptr,
    .escape_data = nullptr,
};

}  // namespace
}  // namespace tern

extern "C" __attribute__((visibility("default"))) const WddmClient* WddmClientEntry(
    std::uint32_t host_version) {
  return host_version == WDDM_CLIENT_VERSION ? &tern::kClient : nullptr;
}
