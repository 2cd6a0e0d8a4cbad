// Addresses by patch list: Render translates commands and says where addresses stand, and Patch
// writes them into a buffer that is about to be submitted.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/addressing/addressing.h"
#include "conformance/host/boundary/scenario_choices.h"
#include "conformance/host/vidmm/residency_in_effect.h"

namespace wddm::host {

class PatchListAddressing final : public Addressing {
 public:
  PatchListAddressing(const Adapter& adapter, const Objects& objects, const Residency& residency,
                      const Choices& choices)
      : adapter_(adapter), objects_(objects), residency_(residency), choices_(choices) {}

  [[nodiscard]] std::span<const DdiId> needed() const override;
  [[nodiscard]] bool knows(const WddmClient&) const override { return true; }
  [[nodiscard]] std::uint32_t slots() const override;
  [[nodiscard]] const char* cannot_bind(ContextId context, AllocationId allocation) const override;
  void describe(WddmBuildRequest& request, UserInput& input) const override;
  void prepare(const RenderRequest& request, const UserInput& input,
               VidMmWorker& vidmm) const override;
  void prepare_in_turn(const BuiltRender& first, const BuiltRender& second,
                       VidMmWorker& vidmm) const override;
  /// Patches as the scenario chose: once, not at all, or at other addresses first, which is then
  /// compared with a fresh copy.
  void settle(const Packet& packet) const override;
  SubmitAnswer submit(const Packet& packet) const override;

 private:
  using List = std::vector<DXGK_ALLOCATIONLIST>;

  /// What a client of WDDM 2 sees to before it submits.
  [[nodiscard]] bool client_agrees(const BuiltRender& built, VidMmWorker& vidmm) const;
  /// `list`: the allocation list with the addresses that hold now; empty for paging. `round` counts
  /// the calls for one submission.
  void patch(const Packet& packet, const List& list, std::uint32_t round) const;
  void patch_again(const Packet& packet) const;

  const Adapter& adapter_;
  const Objects& objects_;
  const Residency& residency_;
  const Choices& choices_;
};

}  // namespace wddm::host
