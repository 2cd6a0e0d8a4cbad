// The Egret's user mode: private data, command buffers, and what page tables say.
//
// A buffer binds the slots that it uses and unbinds them at its end. The pattern of fills is left
// to the context, so that a buffer may count on what the one before it left.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "conformance/drivers/egret/client/egret_umd.h"
#include "conformance/sdk/client.h"

namespace egret {
namespace {

// Of a context, from one buffer to the next.
struct State {
  std::uint32_t magic, pattern;
};
constexpr std::uint32_t kStateMagic = 0x54415453;

int allocation_data(void*, const WddmAllocationRequest* request, void* buffer,
                    std::uint32_t capacity) {
  if (request->bytes > EG_MAX_ALLOC || request->segment > 2) return -1;
  if (request->size >= offsetof(WddmAllocationRequest, physical_adapter) + 4 &&
      request->physical_adapter != 0) {
    return -1;
  }
  if (buffer == nullptr) return sizeof(eg_alloc_data);
  if (capacity < sizeof(eg_alloc_data)) return -1;
  eg_alloc_data data;
  std::memset(&data, 0, sizeof(data));
  data.magic = EG_ALLOC_MAGIC;
  data.version = EG_UMD_VERSION;
  data.bytes = request->bytes;
  if (request->cpu_visible != 0) data.flags |= EG_ALLOC_CPU;
  if (request->shared != 0) data.flags |= EG_ALLOC_SHARED;
  const bool system = request->aperture != 0 || request->segment == 2;
  data.flags |= system ? EG_ALLOC_SYSTEM : EG_ALLOC_LOCAL;
  data.check = eg_checksum(&data, offsetof(eg_alloc_data, check));
  std::memcpy(buffer, &data, sizeof(data));
  return sizeof(data);
}

int context_data(void*, const WddmContextRequest* request, void* buffer, std::uint32_t capacity) {
  if (request->node >= EG_NODES || capacity < sizeof(eg_ctx_data)) return -1;
  const eg_ctx_data data = {EG_CTX_MAGIC, EG_UMD_VERSION, request->node, 0};
  if (buffer != nullptr) std::memcpy(buffer, &data, sizeof(data));
  return sizeof(data);
}

class Builder {
 public:
  Builder(const WddmBuildRequest& request, WddmBuildResult& result)
      : request_(request),
        result_(result),
        out_(static_cast<std::uint32_t*>(static_cast<void*>(result.command_buffer))),
        room_(result.command_bytes / 4),
        allocations_(result.allocation_count) {}

  bool build();

 private:
  bool emit(std::uint32_t op, const std::uint32_t* arguments, std::uint32_t count);
  bool list(std::uint32_t allocation, bool write);
  bool pattern(std::uint32_t value, bool may_count_on_state);
  bool command(const WddmCommand& c, bool may_count_on_state);
  bool privileged(const WddmCommand& c);
  bool bind(const WddmCommand& c);
  bool writes(std::uint32_t slot) {
    return slot < EG_SLOTS && bound_[slot] != 0 && list(bound_[slot] - 1, true);
  }
  void inherit_state();
  void leave_state();

  const WddmBuildRequest& request_;
  WddmBuildResult& result_;
  std::uint32_t* out_;
  std::uint32_t room_, used_ = 0, allocations_, listed_ = 0;
  std::uint32_t bound_[EG_SLOTS] = {};  // allocation + 1
  bool known_ = false, set_ = false, inherited_ = false, counts_ = false;
  std::uint32_t pattern_ = 0, inherited_pattern_ = 0;
};

bool Builder::emit(std::uint32_t op, const std::uint32_t* arguments, std::uint32_t count) {
  if (count + 1 > room_ - used_) return false;
  out_[used_++] = EG_HEADER(op, count + 1);
  for (std::uint32_t i = 0; i < count; ++i) out_[used_++] = arguments[i];
  return true;
}

bool Builder::list(std::uint32_t allocation, bool write) {
  const auto entry_of = [&](std::uint32_t i) {
    return WDDM_CLIENT_ELEMENT(WddmListAllocation, result_.allocations, result_.allocation_stride,
                               i);
  };
  for (std::uint32_t i = 0; i < listed_; ++i) {
    WddmListAllocation* entry = entry_of(i);
    if (entry->allocation != allocation) continue;
    if (write) entry->write = 1;
    return true;
  }
  if (listed_ >= allocations_) return false;
  WddmListAllocation* entry = entry_of(listed_++);
  entry->allocation = allocation;
  entry->write = write ? 1 : 0;
  return true;
}

bool Builder::pattern(std::uint32_t value, bool may_count_on_state) {
  if (known_ && pattern_ == value) return true;
  if (inherited_ && may_count_on_state && inherited_pattern_ == value && !set_) {
    counts_ = true;
    return true;
  }
  if (!emit(EG_OP_PATTERN, &value, 1)) return false;
  set_ = known_ = true;
  pattern_ = value;
  return true;
}

bool Builder::bind(const WddmCommand& c) {
  if (c.slot >= EG_SLOTS || c.allocation >= request_.allocation_count) return false;
  bound_[c.slot] = c.allocation + 1;
  const std::uint64_t va = request_.allocation_addresses[c.allocation];
  const std::uint32_t words[] = {c.slot, static_cast<std::uint32_t>(va),
                                 static_cast<std::uint32_t>(va >> 32)};
  return list(c.allocation, false) && emit(EG_OP_BASE, words, 3);
}

// What only the kernel may ask for: user mode that tries it must fail.
bool Builder::privileged(const WddmCommand& c) {
  const std::uint64_t at = c.address | (c.segment != 0 ? 0 : EG_SYS_BIT);
  const auto low = static_cast<std::uint32_t>(at), high = static_cast<std::uint32_t>(at >> 32);
  if (c.slot == 0) {
    const std::uint32_t words[] = {c.size, low, high, c.value};
    return emit(EG_OP_PFILL, words, 4);
  }
  if (c.slot == 1) {
    const std::uint32_t words[] = {c.size / 8, low, high, 8, 0, c.value, c.value};
    return emit(EG_OP_PTEFILL, words, 7);
  }
  return false;
}

bool Builder::command(const WddmCommand& c, bool may_count_on_state) {
  switch (c.kind) {
    case WDDM_COMMAND_BIND:
      return bind(c);
    case WDDM_COMMAND_UNBIND:
      if (c.slot >= EG_SLOTS) return false;
      bound_[c.slot] = 0;
      return emit(EG_OP_UNBASE, &c.slot, 1);
    case WDDM_COMMAND_FILL: {
      const std::uint32_t words[] = {c.slot, c.offset, c.size};
      return writes(c.slot) && pattern(c.value, may_count_on_state) && emit(EG_OP_FILL, words, 3);
    }
    case WDDM_COMMAND_COPY: {
      const std::uint32_t words[] = {c.slot | c.source_slot << 16, c.offset, c.source_offset,
                                     c.size};
      return writes(c.slot) && c.source_slot < EG_SLOTS && emit(EG_OP_COPY, words, 4);
    }
    case WDDM_COMMAND_ADD: {
      const std::uint32_t words[] = {c.slot, c.offset, c.value};
      return writes(c.slot) && emit(EG_OP_ADD, words, 3);
    }
    case WDDM_COMMAND_SPIN:
      return emit(EG_OP_SPIN, &c.size, 1);
    case WDDM_COMMAND_SIGNAL:
    case WDDM_COMMAND_WAIT: {
      const std::uint32_t words[] = {c.slot, c.value};
      return emit(c.kind == WDDM_COMMAND_WAIT ? EG_OP_WAIT : EG_OP_SIGNAL, words, 2);
    }
    case WDDM_COMMAND_PRIVILEGED:
      return privileged(c);
    default:
      return false;
  }
}

void Builder::inherit_state() {
  if (request_.context_state == WDDM_CONTEXT_STATE_INITIAL) {
    inherited_ = true;
  } else if (request_.context_state == WDDM_CONTEXT_STATE_KEPT && request_.state != nullptr &&
             request_.state_bytes == sizeof(State)) {
    State state;
    std::memcpy(&state, request_.state, sizeof(state));
    inherited_ = state.magic == kStateMagic;
    if (inherited_) inherited_pattern_ = state.pattern;
  }
}

void Builder::leave_state() {
  if (result_.state == nullptr || result_.state_bytes <= sizeof(State)) return;
  result_.state_bytes = 0;
  if (!set_ && !inherited_) return;
  const State state = {kStateMagic, set_ ? pattern_ : inherited_pattern_};
  std::memcpy(result_.state, &state, sizeof(state));
  result_.state_bytes = sizeof(state);
}

bool Builder::build() {
  if (request_.allocation_addresses == nullptr && request_.allocation_count != 0) return false;
  inherit_state();
  for (std::uint32_t i = 0; i < request_.command_count; ++i) {
    // What comes behind them must set what it relies on.
    if (i == request_.state_commands) known_ = false;
    const WddmCommand* c =
        WDDM_CLIENT_ELEMENT(const WddmCommand, request_.commands, request_.command_stride, i);
    if (!command(*c, i < request_.state_commands)) return false;
  }
  for (std::uint32_t slot = 0; slot < EG_SLOTS; ++slot) {
    if (bound_[slot] != 0 && !emit(EG_OP_UNBASE, &slot, 1)) return false;
  }
  if (result_.private_data_bytes < sizeof(eg_submit_data)) return false;
  const eg_submit_data data = {EG_SUBMIT_MAGIC, EG_UMD_VERSION, used_ * 4, 0};
  std::memcpy(result_.private_data, &data, sizeof(data));
  result_.private_data_bytes = sizeof(data);
  result_.command_bytes = used_ * 4;
  result_.allocation_count = listed_;
  result_.patch_count = 0;
  leave_state();
  result_.counts_on_state = counts_ ? 1 : 0;
  return true;
}

void decode(std::uint64_t entry, WddmEntryTarget& out, bool leaf) {
  if ((entry & EG_PTE_VALID) == 0) return;
  out.flags = WDDM_ENTRY_VALID;
  if ((entry & EG_PTE_ZERO) != 0) out.flags |= WDDM_ENTRY_ZERO;
  if ((entry & EG_PTE_SYSTEM) != 0) out.flags |= WDDM_ENTRY_SYSTEM;
  if ((entry & EG_PTE_COHERENT) != 0) out.flags |= WDDM_ENTRY_COHERENT;
  if ((entry & EG_PTE_READ_ONLY) != 0) out.flags |= WDDM_ENTRY_READ_ONLY;
  out.address = entry & EG_PTE_ADDRESS;
  if (leaf) out.driver_protection = entry >> EG_PTE_DRIVER_SHIFT & EG_PTE_DRIVER_MASK;
}

int decode_entry(void*, const WddmPageTable* table, const void* entry, WddmTableEntry* out) {
  if (table->level >= EG_LEVELS || table->level_count != EG_LEVELS) return -1;
  const int bytes = table->level == 1 ? 16 : 8;
  if (entry == nullptr) return bytes;
  std::uint64_t words[2] = {};
  std::memcpy(words, entry, static_cast<std::size_t>(bytes));
  decode(words[0], out->target, table->level == 0);
  if (table->level == 1) decode(words[1], out->target_64kb, false);
  return bytes;
}

const WddmClient kClient = {
    .size = sizeof(WddmClient),
    .version = WDDM_CLIENT_VERSION,
    .name = "Egret",
    .create = []() -> void* { return nullptr; },
    .destroy = [](void*) {},
    .allocation_data = allocation_data,
    .context_data = context_data,
    .build = [](void*, const WddmBuildRequest* request,
                WddmBuildResult* result) { return Builder(*request, *result).build() ? 0 : -1; },
    .decode = nullptr,
    .decode_entry = decode_entry,
    .trim = nullptr,
    .place_resources = nullptr,
    .resource_data = nullptr,
    .escape_data = nullptr,
};

}  // namespace
}  // namespace egret

extern "C" __attribute__((visibility("default"))) const WddmClient* WddmClientEntry(
    std::uint32_t host_version) {
  return host_version == WDDM_CLIENT_VERSION ? &egret::kClient : nullptr;
}
