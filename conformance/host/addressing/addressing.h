// How the GPU of a driver names memory: all that depends on it on a buffer's way from user mode to
// the driver.
//
// One implementation for each model: patch_list_addressing.h, gpu_virtual.h. What is to be brought
// in, who goes next and what a report means do not depend on it: that is VidMm's and VidSch's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "conformance/host/render/render_call.h"
#include "conformance/host/vidsch/queued_packet.h"
#include "reference/trace/ddi.h"

namespace wddm::host {

class VidMmWorker;

inline constexpr std::uint32_t kMostSlots = 256;

/// What a driver makes of a packet. Only by GPU virtual address may it refuse one, as malformed.
enum class SubmitAnswer : std::uint8_t { Taken, Refused };

class Addressing {
 public:
  virtual ~Addressing() = default;

  /// The DDIs without which commands cannot reach the GPU.
  [[nodiscard]] virtual std::span<const DdiId> needed() const = 0;
  /// Whether the client can build for it.
  [[nodiscard]] virtual bool knows(const WddmClient& client) const = 0;
  /// Slots that commands can bind, at most kMostSlots.
  [[nodiscard]] virtual std::uint32_t slots() const = 0;
  /// Null, or why commands of the context cannot use the allocation.
  [[nodiscard]] virtual const char* cannot_bind(ContextId, AllocationId) const { return nullptr; }
  /// Completes what user mode is told before it builds, of `input.allocations`. What it refers to
  /// lies in `input`.
  virtual void describe(WddmBuildRequest& request, UserInput& input) const = 0;
  /// Makes DMA buffers of what user mode built, and hands them to VidMm.
  virtual void prepare(const RenderRequest& request, const UserInput& input,
                       VidMmWorker& vidmm) const = 0;
  /// The same of two whose devices differ, and which come at once: where each takes several calls
  /// of the driver, these alternate.
  virtual void prepare_in_turn(const BuiltRender& first, const BuiltRender& second,
                               VidMmWorker& vidmm) const {
    prepare(first.request, first.input, vidmm);
    prepare(second.request, second.input, vidmm);
  }
  /// The packet's addresses are to hold from here on: the driver is told, or nobody. At
  /// PASSIVE_LEVEL, before each submission; the packet may end, and be gone, before this returns.
  virtual void settle(const Packet& packet) const = 0;
  /// Hands the packet to the driver, at DISPATCH_LEVEL. It may be gone before this returns.
  virtual SubmitAnswer submit(const Packet& packet) const = 0;
};

/// Whether patch locations say where addresses stand, of what user mode hands to Render.
[[nodiscard]] inline bool by_patch_lists(const Addressing& addressing) {
  const std::span<const DdiId> needed = addressing.needed();
  return std::find(needed.begin(), needed.end(), DdiId::Render) != needed.end();
}

}  // namespace wddm::host
