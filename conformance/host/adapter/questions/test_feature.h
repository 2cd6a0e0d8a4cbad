// What a driver offers of kernel-mode testing: the feature, its function, and the nodes for it.
//
// Sources: "Kernel-mode testing of WDDM features", "Querying WDDM feature support and enablement",
// DXGKDDI_FEATURE_INTERFACE. Asked when a scenario needs it, once at each start, and not while the
// adapter starts as Windows does: what nothing is made of is not asked. Test signing is taken to be
// on. Left out: references of the interface, which is used as long as the adapter runs, and
// features that the driver asks for itself.
#pragma once

#include "conformance/host/adapter/adapter.h"

namespace wddm::host {

class TestFeature {
 public:
  explicit TestFeature(const Adapter& adapter) : adapter_(adapter) {}

  /// The adapter runs: nothing has been asked.
  void begin() { asked_ = false; }
  /// Null, or why the driver builds no test commands. While the GPU is idle.
  [[nodiscard]] const char* missing();
  /// Null, or why it builds none for that node.
  [[nodiscard]] const char* missing_on(EngineId engine);
  /// Once nothing is missing.
  [[nodiscard]] PDXGKDDI_BUILDTESTCOMMANDBUFFER builder() const { return builder_; }

 private:
  [[nodiscard]] const char* ask();

  const Adapter& adapter_;
  bool asked_ = false;
  const char* missing_ = nullptr;  // once asked
  PDXGKDDI_BUILDTESTCOMMANDBUFFER builder_ = nullptr;
};

}  // namespace wddm::host
