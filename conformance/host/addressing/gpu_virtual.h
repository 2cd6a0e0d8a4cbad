// Addresses by GPU virtual address: user mode builds what the GPU fetches, from addresses that hold
// for as long as an allocation lives, and SubmitCommandVirtual takes it.
//
// Render and Patch have no part in it. What a buffer uses, VidMm learns from the client's
// allocation list: all of it must be resident, and no buffer is split. Paging buffers take the same
// way: they run in system contexts, which have the flag VirtualAddressing too.
#pragma once

#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/addressing/addressing.h"

namespace wddm::host {

class VirtualMemory;

class GpuVirtualAddressing final : public Addressing {
 public:
  GpuVirtualAddressing(const Adapter& adapter, const Objects& objects, const Choices& choices)
      : adapter_(adapter), objects_(objects), choices_(choices) {}
  /// Comes to be after VidSch, which needs this.
  void use(VirtualMemory& memory) { memory_ = &memory; }

  [[nodiscard]] std::span<const DdiId> needed() const override;
  /// Not one that was built before there was WddmClient::decode_entry.
  [[nodiscard]] bool knows(const WddmClient& client) const override;
  [[nodiscard]] std::uint32_t slots() const override;
  [[nodiscard]] const char* cannot_bind(ContextId context, AllocationId allocation) const override;
  void describe(WddmBuildRequest& request, UserInput& input) const override;
  void prepare(const RenderRequest& request, const UserInput& input,
               VidMmWorker& vidmm) const override;
  void settle(const Packet& packet) const override;
  SubmitAnswer submit(const Packet& packet) const override;

 private:
  /// Whether SubmitCommand is told of it, and not SubmitCommandVirtual.
  [[nodiscard]] bool is_by_place(const Packet& packet) const;

  const Adapter& adapter_;
  const Objects& objects_;
  const Choices& choices_;
  VirtualMemory* memory_ = nullptr;
};

}  // namespace wddm::host
