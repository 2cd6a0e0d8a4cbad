// Calls Render until it has taken a whole command buffer or failed, and queues what it made.
//
// Input buffers are user memory that may vanish or change; output buffers are filled with a known
// byte and end at guard pages, so that every write of the driver is known.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/boundary/scenario_choices.h"
#include "conformance/host/vidsch/queued_packet.h"

namespace wddm::host {

class ClientResidency;
struct PresentCall;
class Residency;
class VidMmWorker;

/// What an output area holds before the driver writes, so that what it wrote can be told.
inline constexpr std::uint8_t kUntouchedOutput = 0xC9;
/// Bytes from the start up to the last one that differs from it.
[[nodiscard]] std::uint32_t written_bytes(const memory::GuardedBuffer& buffer);

/// What a context is given at most, however much it asked for.
inline constexpr UINT kMostDmaBytes = 1u << 20, kMostPatches = 1u << 16;

/// For a call of Render with less room than its context asked for, which Windows never gives: while
/// one lives what the driver asserts is no finding.
class LessRoom {
 public:
  LessRoom(const ContextObject& context, const DXGKARG_RENDER& args);

 private:
  std::optional<nt::AssertionsAside> aside_;
};

/// What the client built, after hostile elements altered it.
struct UserInput {
  std::vector<std::uint8_t> command;
  std::vector<WddmPatchLocation> patches;
  std::vector<WddmListAllocation> list;
  std::vector<AllocationId> allocations;  ///< of each index the client was told
  ContextId context{};
  // With GPU virtual addresses.
  std::vector<std::uint64_t> addresses;    ///< of each index the client was told
  std::uint64_t command_address = 0;       ///< of the command buffer
  std::vector<std::uint8_t> private_data;  ///< of the submission
  // Of the state of the context, by the client's own record.
  std::uint32_t context_state = WDDM_CONTEXT_STATE_UNKNOWN;
  std::vector<std::uint8_t> state;       ///< with WDDM_CONTEXT_STATE_KEPT
  std::uint32_t state_sets_itself = 0;   ///< so many commands at the end count on nothing
  std::vector<std::uint8_t> state_left;  ///< what the build says that it leaves
  bool counts_on_state = false;
};

/// The largest command buffer that a client is given room for.
inline constexpr std::uint32_t kMostCommandBytes = 1u << 20;

struct RenderRequest {
  std::uint32_t ordinal;
  ContextId context;
  const Op& op;  ///< the render op: sizes
  std::shared_ptr<CommandStream> stream;
  std::uint32_t marker_offset;
  bool marker_is_ladder;
  std::span<const Op> hostile;
  std::optional<Op> private_data;  ///< with GPU virtual addresses: how much of it is given
  /// The same: what hostile commands may write to, beside what they list.
  std::span<const AllocationId> in_reach{};
  bool stray = false;  ///< the same: nothing is mapped where the commands are
  bool null_rendering = false;  ///< nothing of it is to run
  const PresentCall* present = nullptr;  ///< null: Render makes its buffers, else Present
};

/// A render that user mode has built.
struct BuiltRender {
  const RenderRequest& request;
  const UserInput& input;
};

/// Where the driver is to write, and, behind the call, where it has come to.
struct RenderCursors {
  void* dma;
  D3DDDI_PATCHLOCATIONLIST* patches;
  UINT multipass;
};

struct RenderServices {
  const Objects& objects;
  const Residency& residency;
  const Choices& choices;
};

/// An allocation list as events have it; `allocations` are those of its entries.
[[nodiscard]] std::vector<AllocationRecord> records_of(const std::vector<DXGK_ALLOCATIONLIST>& list,
                                                       const std::vector<AllocationId>& allocations,
                                                       const Objects& objects);

/// What a client of WDDM 2 sees to before it submits; says so if the client may not.
[[nodiscard]] bool client_may_use(const RenderRequest& request, const UserInput& input,
                                  ClientResidency& clients);
/// Tells of a buffer that is handed on; `required_only`: its client has seen to what it uses.
void tell_what_was_built(const RenderRequest& request, const UserInput& input, DeviceId device,
                         bool required_only);
void render_all_passes(const RenderServices& services, const BuiltRender& built,
                       VidMmWorker& vidmm);
/// The same of two whose contexts are of different devices, a pass of the one and a pass of the
/// other.
void render_in_turn(const RenderServices& services, const BuiltRender& first,
                    const BuiltRender& second, VidMmWorker& vidmm);

}  // namespace wddm::host
