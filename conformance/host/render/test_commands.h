// Kernel-mode testing: what the driver itself builds for a test context, on its way to the GPU.
//
// BuildTestCommandBuffer is called for the sizes, with buffers of these sizes against pages that
// nobody may touch, and with one buffer in turn a byte too short, and missing. What the second call
// made is submitted as user mode does it: as a buffer of its own, with the private data beside it.
// Source: "Kernel-mode testing of WDDM features" # Building a command buffer. Windows guarantees
// that the addresses are of standard allocations; these here are the client's, which are as linear.
// Left out: hardware queues, and loops.
#pragma once

#include <optional>
#include <vector>

#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/adapter/questions/test_feature.h"
#include "conformance/host/addressing/addressing.h"
#include "conformance/host/gpuva/virtual_memory.h"
#include "reference/gpu/command.h"

namespace wddm::host {

/// One command, in terms of allocations. The range begins at `offset`.
struct TestCommand {
  ContextId context{};
  AllocationId allocation{};
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;
  std::uint32_t pattern = 0;             ///< of a fill
  std::optional<AllocationId> source{};  ///< of a copy
  std::uint64_t source_offset = 0;
};

class TestCommands {
 public:
  TestCommands(const Adapter& adapter, const Objects& objects, const Addressing& addressing,
               VidMmWorker& vidmm)
      : adapter_(adapter), objects_(objects), addressing_(addressing), vidmm_(vidmm) {}

  [[nodiscard]] TestFeature& feature() { return feature_; }
  /// User mode changes what the next command comes to; as op alter_test says.
  void alter(const Op& how) { alteration_ = how; }
  void leave_as_they_are() { alteration_.reset(); }
  [[nodiscard]] bool alters() const { return alteration_.has_value(); }
  /// Builds the command and queues it, as `render`. Null, or why nothing was queued.
  [[nodiscard]] const char* run(const TestCommand& command, const Op& op, std::uint32_t render);

 private:
  struct Built {
    std::vector<std::uint8_t> commands, private_data;
    std::uint32_t room_for_commands = 0, room_for_private_data = 0;  // that the driver asked for
  };
  struct Request;
  [[nodiscard]] const char* unfit(const TestCommand& command) const;
  /// Null, or why there is nothing to submit.
  [[nodiscard]] const char* build(const Request& request, Built& built);
  void try_short(const Request& request, const Built& built) const;
  /// How many bytes are others then.
  std::uint32_t change(Built& built) const;
  [[nodiscard]] std::vector<AllocationId> in_reach_of(ContextId context) const;

  const Adapter& adapter_;
  const Objects& objects_;
  const Addressing& addressing_;
  VidMmWorker& vidmm_;
  TestFeature feature_{adapter_};
  std::optional<Op> alteration_;
  bool more_room_ = false;  // than the driver asks for, at the next build
};

}  // namespace wddm::host
