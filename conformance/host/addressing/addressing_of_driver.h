// The model that the driver under test has chosen, known once it has started.
#pragma once

#include "conformance/host/adapter/adapter.h"
#include "conformance/host/addressing/addressing.h"

namespace wddm::host {

class AddressingOfDriver final : public Addressing {
 public:
  AddressingOfDriver(const Adapter& adapter, const Addressing& patch_list,
                     const Addressing& gpu_virtual)
      : adapter_(adapter), patch_list_(patch_list), gpu_virtual_(gpu_virtual) {}

  [[nodiscard]] std::span<const DdiId> needed() const override { return model().needed(); }
  [[nodiscard]] bool knows(const WddmClient& client) const override {
    return model().knows(client);
  }
  [[nodiscard]] std::uint32_t slots() const override { return model().slots(); }
  [[nodiscard]] const char* cannot_bind(ContextId context, AllocationId allocation) const override {
    return model().cannot_bind(context, allocation);
  }
  void describe(WddmBuildRequest& request, UserInput& input) const override {
    model().describe(request, input);
  }
  void prepare(const RenderRequest& request, const UserInput& input,
               VidMmWorker& vidmm) const override {
    model().prepare(request, input, vidmm);
  }
  void prepare_in_turn(const BuiltRender& first, const BuiltRender& second,
                       VidMmWorker& vidmm) const override {
    model().prepare_in_turn(first, second, vidmm);
  }
  void settle(const Packet& packet) const override { model().settle(packet); }
  SubmitAnswer submit(const Packet& packet) const override { return model().submit(packet); }

 private:
  [[nodiscard]] const Addressing& model() const {
    return adapter_.has_virtual_addresses() ? gpu_virtual_ : patch_list_;
  }

  const Adapter& adapter_;
  const Addressing& patch_list_;
  const Addressing& gpu_virtual_;
};

}  // namespace wddm::host
