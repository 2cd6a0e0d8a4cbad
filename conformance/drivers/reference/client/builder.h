// From abstract commands to command buffer, allocation list and patch-location hints.
//
// The client's half of the contract in client.h: entry 0 of the allocation list is NULL, so that
// the driver can name it where it releases a slot; WriteOperation is set for whatever a command
// writes; slots still bound at the end are released. A slot is bound to its allocation from about
// the first byte on that commands reach through it, so that addresses are patched with an offset.
// With GPU virtual addresses there are neither that entry nor hints: slots are set to the addresses
// of their allocations.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "conformance/drivers/reference/client/command_writer.h"
#include "conformance/sdk/client.h"

namespace wddm::reference_client {

class Builder {
 public:
  /// Which commands have a counterpart: all, or those without arithmetic and waiting.
  enum class Knows { Everything, Copies };

  Builder() = default;
  explicit Builder(Knows knows) : knows_(knows) {}

  /// Fills `result` and returns true, or returns false: a capacity is too small or a command can't
  /// be expressed (unknown kind, slot or semaphore out of range, use of an unbound slot, offset or
  /// size that is no multiple of 4 or out of the allocation).
  [[nodiscard]] bool build(const WddmBuildRequest& request, WddmBuildResult& result);

 private:
  /// Where each bind begins, as the commands behind it say.
  void find_starts();
  [[nodiscard]] WddmCommand command(std::uint32_t index) const;
  [[nodiscard]] bool translate(const WddmCommand& command, std::uint32_t index);
  [[nodiscard]] bool bind(const WddmCommand& command, std::uint32_t start);
  void unbind(std::uint32_t slot);
  [[nodiscard]] bool is_bound(std::uint32_t slot) const;
  /// A byte of the allocation, as commands that work on the slot name it.
  [[nodiscard]] std::uint32_t in_slot(std::uint32_t slot, std::uint32_t offset) const {
    return offset - start_[slot];
  }
  [[nodiscard]] bool reaches(std::uint32_t slot, std::uint32_t offset, std::uint32_t size) const;
  void mark_written(std::uint32_t slot) { list_[bound_[slot]].write = 1; }
  [[nodiscard]] bool is_virtual() const { return request_->allocation_addresses != nullptr; }
  [[nodiscard]] bool hand_over(WddmBuildResult& result) const;
  static void hand_over_private_data(WddmBuildResult& result);
  /// What the buffer leaves in the constants, for the next one of its context.
  void hand_over_state(WddmBuildResult& result) const;

  Knows knows_ = Knows::Everything;
  const WddmBuildRequest* request_ = nullptr;
  CommandWriter writer_;
  std::vector<WddmListAllocation> list_;
  std::vector<WddmPatchLocation> hints_;
  std::vector<std::uint32_t> list_index_;             // by allocation; 0 = not listed yet
  std::array<std::uint32_t, HW_SLOT_COUNT> bound_{};  // list index by slot; 0 = nothing
  std::array<std::uint32_t, HW_SLOT_COUNT> start_{};  // first byte of the allocation, by slot
  std::vector<std::uint32_t> starts_;                 // that of each command that binds
};

}  // namespace wddm::reference_client
