#include "conformance/drivers/reference/client/builder.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "conformance/drivers/reference/client/strided.h"
#include "conformance/drivers/reference/client/umd.h"

namespace wddm::reference_client {
namespace {

constexpr std::uint32_t kUnused = 0xffffffff;  // no command reaches anything through the slot
// What a slot is bound to begins at a multiple of this, so that words which lie close to each other
// are reached from the same place: commands have offsets besides.
constexpr std::uint32_t kAlignment = 256;

bool uses_value(std::uint32_t kind) {
  return kind == WDDM_COMMAND_FILL || kind == WDDM_COMMAND_ADD || kind == WDDM_COMMAND_SIGNAL ||
         kind == WDDM_COMMAND_WAIT;
}

template <class Element>
void fill(const Strided<Element>& out, std::span<const Element> elements) {
  for (std::uint32_t i = 0; i < elements.size(); ++i) out.put(i, elements[i]);
}

// What a host that is older than a member leaves out of the request is 0.
WddmBuildRequest known_part(const WddmBuildRequest& given) {
  WddmBuildRequest request{};
  std::memcpy(&request, &given, std::min<std::size_t>(given.size, sizeof request));
  return request;
}

// What the request says of the constants: what a buffer before it has left, those of a new context,
// which are 0, or nothing.
Constants kept(const WddmBuildRequest& request) {
  Constants constants;
  if (request.context_state == WDDM_CONTEXT_STATE_INITIAL) constants.others_are_zero = 1;
  if (request.context_state == WDDM_CONTEXT_STATE_KEPT && request.state_bytes == sizeof constants) {
    std::memcpy(&constants, request.state, sizeof constants);
  }
  return constants;
}

}  // namespace

bool Builder::build(const WddmBuildRequest& given, WddmBuildResult& result) {
  const WddmBuildRequest request = known_part(given);
  request_ = &request;
  writer_.clear(kept(request));
  list_.assign(1, {WDDM_CLIENT_NO_ALLOCATION, 0});
  hints_.clear();
  list_index_.assign(request.allocation_count, 0);
  bound_.fill(0);
  find_starts();
  for (std::uint32_t i = 0; i < request.command_count; ++i) {
    writer_.count_on_kept(i < request.state_commands);
    if (uses_value(command(i).kind)) writer_.preload(command(i).value);
  }
  for (std::uint32_t i = 0; i < request.command_count; ++i) {
    writer_.count_on_kept(i < request.state_commands);
    if (!translate(command(i), i)) return false;
  }
  for (std::uint32_t slot = 0; slot < HW_SLOT_COUNT; ++slot) unbind(slot);
  return hand_over(result);
}

WddmCommand Builder::command(std::uint32_t index) const {
  return take(request_->commands, request_->command_stride, index);
}

// From behind: what a bind begins with is known when it is met.
void Builder::find_starts() {
  start_.fill(0);
  starts_.assign(request_->command_count, 0);
  if (is_virtual()) return;
  std::array<std::uint32_t, HW_SLOT_COUNT> first;
  first.fill(kUnused);
  const auto use = [&first](std::uint32_t slot, std::uint32_t offset) {
    if (slot < HW_SLOT_COUNT) first[slot] = std::min(first[slot], offset);
  };
  for (std::uint32_t i = request_->command_count; i-- > 0;) {
    const WddmCommand one = command(i);
    const bool binds = one.kind == WDDM_COMMAND_BIND;
    if ((binds || one.kind == WDDM_COMMAND_UNBIND) && one.slot < HW_SLOT_COUNT) {
      const std::uint32_t start = first[one.slot] / kAlignment * kAlignment;
      if (binds && first[one.slot] != kUnused) starts_[i] = start;
      first[one.slot] = kUnused;
    }
    const bool copies = one.kind == WDDM_COMMAND_COPY;
    if (copies) use(one.source_slot, one.source_offset);
    if (copies || one.kind == WDDM_COMMAND_FILL || one.kind == WDDM_COMMAND_ADD) {
      use(one.slot, one.offset);
    }
  }
}

bool Builder::translate(const WddmCommand& command, std::uint32_t index) {
  const bool computes = command.kind == WDDM_COMMAND_FILL || command.kind == WDDM_COMMAND_ADD ||
                        command.kind == WDDM_COMMAND_WAIT;
  if (knows_ == Knows::Copies && computes) return false;
  switch (command.kind) {
    case WDDM_COMMAND_BIND:
      return bind(command, starts_[index]);
    case WDDM_COMMAND_UNBIND:
      unbind(command.slot);
      return true;
    case WDDM_COMMAND_FILL:
      if (!reaches(command.slot, command.offset, command.size)) return false;
      mark_written(command.slot);
      writer_.fill(command.slot, in_slot(command.slot, command.offset), command.size,
                   command.value);
      return true;
    case WDDM_COMMAND_COPY:
      if (!reaches(command.slot, command.offset, command.size) ||
          !reaches(command.source_slot, command.source_offset, command.size)) {
        return false;
      }
      mark_written(command.slot);
      writer_.copy(command.slot, in_slot(command.slot, command.offset), command.source_slot,
                   in_slot(command.source_slot, command.source_offset), command.size);
      return true;
    case WDDM_COMMAND_ADD:
      if (!reaches(command.slot, command.offset, 4)) return false;
      mark_written(command.slot);
      writer_.add(command.slot, in_slot(command.slot, command.offset), command.value);
      return true;
    case WDDM_COMMAND_SIGNAL:
      if (command.slot >= HW_SEMAPHORE_COUNT) return false;
      writer_.signal(command.slot, command.value);
      return true;
    case WDDM_COMMAND_WAIT:
      if (command.slot >= HW_SEMAPHORE_COUNT) return false;
      writer_.wait(command.slot, command.value);
      return true;
    case WDDM_COMMAND_SPIN:
      writer_.spin(command.size);
      return true;
    case WDDM_COMMAND_PRIVILEGED:
      return writer_.privileged(command.slot, command.segment == 0, command.address, command.size,
                                command.value);
    default:
      return false;
  }
}

bool Builder::bind(const WddmCommand& command, std::uint32_t start) {
  if (command.slot >= HW_SLOT_COUNT || command.slot >= request_->slot_count ||
      command.allocation >= request_->allocation_count) {
    return false;
  }
  std::uint32_t& index = list_index_[command.allocation];
  if (index == 0) {
    index = static_cast<std::uint32_t>(list_.size());
    list_.push_back({command.allocation, 0});
  }
  bound_[command.slot] = index;
  if (is_virtual()) {
    const std::uint64_t address = request_->allocation_addresses[command.allocation];
    if (request_->address_bits < 64 && address >> request_->address_bits != 0) return false;
    writer_.set_base(command.slot, address);
    return true;
  }
  // Commands that reach behind the end are refused where they stand.
  if (start >= request_->allocation_sizes[command.allocation]) start = 0;
  start_[command.slot] = start;
  const std::uint32_t offset = writer_.bind(command.slot, index, start);
  hints_.push_back({index, command.slot, 0, start, offset + 4, offset});
  return true;
}

void Builder::unbind(std::uint32_t slot) {
  if (!is_bound(slot)) return;
  bound_[slot] = 0;
  if (is_virtual()) {
    writer_.clear_base(slot);
  } else {
    writer_.unbind(slot);
  }
}

bool Builder::is_bound(std::uint32_t slot) const {
  return slot < HW_SLOT_COUNT && bound_[slot] != 0;
}

bool Builder::reaches(std::uint32_t slot, std::uint32_t offset, std::uint32_t size) const {
  if (!is_bound(slot) || offset % 4 != 0 || size % 4 != 0) return false;
  return std::uint64_t{offset} + size <= request_->allocation_sizes[list_[bound_[slot]].allocation];
}

bool Builder::hand_over(WddmBuildResult& result) const {
  const auto bytes = static_cast<std::uint32_t>(writer_.words().size() * 4);
  // The empty entry is for drivers that name it where they release a slot.
  const auto list = std::span(list_).subspan(is_virtual() ? 1 : 0);
  if (bytes > result.command_bytes || list.size() > result.allocation_count) return false;
  if (bytes != 0) std::memcpy(result.command_buffer, writer_.words().data(), bytes);
  fill(Strided<WddmListAllocation>{result.allocations, result.allocation_stride,
                                   result.allocation_count},
       list);
  // Hints are optional: all or none.
  const bool hints_fit = hints_.size() <= result.patch_count;
  if (hints_fit) {
    fill(Strided<WddmPatchLocation>{result.patches, result.patch_stride, result.patch_count},
         std::span(hints_));
  }
  result.command_bytes = bytes;
  result.allocation_count = static_cast<std::uint32_t>(list.size());
  result.patch_count = hints_fit ? static_cast<std::uint32_t>(hints_.size()) : 0;
  if (is_virtual()) hand_over_private_data(result);
  hand_over_state(result);
  return true;
}

void Builder::hand_over_state(WddmBuildResult& result) const {
  if (result.size < sizeof(WddmBuildResult) || result.state_bytes < sizeof(Constants)) return;
  const Constants& constants = writer_.constants();
  std::memcpy(result.state, &constants, sizeof constants);
  result.state_bytes = sizeof constants;
  result.counts_on_state = writer_.counts_on_kept() ? 1 : 0;
}

void Builder::hand_over_private_data(WddmBuildResult& result) {
  if (result.size < offsetof(WddmBuildResult, state)) return;
  const UmdSubmissionData data{UMD_SUBMISSION_MAGIC, UMD_VERSION, result.command_bytes, 0};
  const bool fits = result.private_data != nullptr && result.private_data_bytes >= sizeof data;
  if (fits) std::memcpy(result.private_data, &data, sizeof data);
  result.private_data_bytes = fits ? sizeof data : 0;
}

}  // namespace wddm::reference_client
