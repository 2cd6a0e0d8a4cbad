// Contexts, system contexts and companions; of a driver without contexts what stands for them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "conformance/host/adapter/adapter.h"
#include "conformance/host/adapter/left_private_data.h"
#include "conformance/host/adapter/objects/object_slots.h"

namespace wddm::host {

class Objects;

/// What a context is for: commands of a client, the same of one that keeps its private data to
/// itself, or kernel-mode testing, for which there are none.
enum class ContextUse : std::uint8_t { Client, WithheldData, Test };

struct ContextObject {
  bool live = false;
  DeviceId device{};
  EngineId engine{};
  HANDLE driver = nullptr;  ///< that of its device, if the driver has no contexts
  DXGK_CONTEXTINFO info{};
  bool is_test = false;  ///< Flags.TestContext: it runs what the driver builds itself
  /// Tells it from others that the slot has had; 0: the driver has no contexts.
  std::uint32_t made = 0;
  /// The client has private data for it, and has given none: nothing that it does is honest.
  bool withheld_data = false;
  std::shared_ptr<LeftPrivateData> left_private_data{};  ///< while it is live
};

class Contexts {
 public:
  /// `objects`: whose devices they are of.
  Contexts(const Adapter& adapter, const Objects& objects) : adapter_(adapter), objects_(objects) {}

  // Each returns whether the driver agreed; on refusal the slot stays empty.
  bool create(ContextId id, DeviceId device, EngineId engine, ContextUse use = ContextUse::Client);
  /// With these private data, whatever they are; what the driver answered. The slot is free.
  NTSTATUS create_with(ContextId id, DeviceId device, EngineId engine, void* data, UINT bytes);
  /// The companion of a context that is there, on the node that the driver named for it.
  bool create_companion(ContextId context);
  /// One for each node, on the system device, which is there.
  void create_those_of_system();
  /// Why the last of them that failed did; what a DDI returned stands in the trace.
  [[nodiscard]] const char* refusal() const { return refusal_; }
  void destroy(ContextId id);
  void destroy_those_of(DeviceId device);

  [[nodiscard]] ContextObject& operator[](ContextId id) { return contexts_[id]; }
  [[nodiscard]] const ContextObject& operator[](ContextId id) const { return contexts_[id]; }
  /// The driver's handle for the system context of an engine, of the last where there is no such
  /// engine; null without GPU virtual addresses.
  [[nodiscard]] HANDLE of_system(EngineId engine) const;
  /// What Dxgkrnl's own handle names, whether or not it is there; nothing if it names none.
  [[nodiscard]] static std::optional<ContextId> named_by(HANDLE os_handle);
  /// A DDI is about to be called with this handle for a context; told of drivers without contexts.
  void tell_handle(DdiId ddi, ContextId context, HANDLE given) const;

 private:
  [[nodiscard]] bool stand_in(ContextId id, DeviceId device, EngineId engine);
  /// `whole`: bytes of private data that the client has for it.
  NTSTATUS call_create(ContextId id, DeviceId device, EngineId engine,
                       DXGKARG_CREATECONTEXT& create, std::uint32_t whole);
  /// Of an engine among all of the link.
  [[nodiscard]] std::uint32_t number_of(EngineId engine) const;

  const Adapter& adapter_;
  const Objects& objects_;
  PerContext<ContextObject> contexts_;
  const char* refusal_ = "";
  std::uint32_t made_ = 0;
};

}  // namespace wddm::host
