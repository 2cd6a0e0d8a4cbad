// Contexts of hostile user mode, which withholds the private data that it has for others: a driver
// may refuse them for that.
#pragma once

#include "conformance/rules/rule.h"
#include "reference/trace/ddi.h"

namespace wddm {

/// Whether some context of user mode came with private data, and some without; or none came with
/// any, and a driver says that user mode is not its own.
struct WithheldData {
  explicit WithheldData(const Trace& trace) {
    constexpr std::uint32_t kSystemContext = 1, kTestContext = 1u << 5;  // DXGK_CREATECONTEXTFLAGS
    bool with = false, without = false;
    for (const std::uint32_t index : trace.of<ev::DdiEntered>()) {
      const auto entered = trace.at<ev::DdiEntered>(index);
      if (static_cast<DdiId>(entered.ddi) != DdiId::CreateContext) continue;
      const auto call = trace.blob<ddi_arguments::CreateContext>(trace.events()[index]);
      if (call.empty() || (call.front().flags & (kSystemContext | kTestContext)) != 0) continue;
      with |= call.front().private_bytes != 0;
      without |= call.front().private_bytes == 0;
    }
    any = without && (with || blames_user_mode(trace));
  }
  bool any = false;

 private:
  [[nodiscard]] static bool blames_user_mode(const Trace& trace) {
    constexpr std::uint32_t kMismatch = 0xC01E0009;  // STATUS_GRAPHICS_DRIVER_MISMATCH
    for (const std::uint32_t index : trace.of<ev::ContextCreated>()) {
      if (trace.at<ev::ContextCreated>(index).status == kMismatch) return true;
    }
    return false;
  }
};

[[nodiscard]] inline bool withholds_data(const Trace& trace) {
  return trace.ledger<WithheldData>().any;
}

}  // namespace wddm
