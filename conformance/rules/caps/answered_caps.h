// DXGK_DRIVERCAPS as a trace holds it, and drivers that report other ones.
#pragma once

#include <cstring>
#include <memory>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::answers {

/// The capabilities of an ev::CapsAnswered; nothing of a query that failed.
inline bool caps_of(const Trace& trace, std::uint32_t event, DXGK_DRIVERCAPS& out) {
  const auto bytes = trace.blob<std::uint8_t>(trace.events()[event]);
  const auto answered = trace.at<ev::CapsAnswered>(event);
  if (!NT_SUCCESS(static_cast<NTSTATUS>(answered.status)) || bytes.size() < sizeof(out)) {
    return false;
  }
  std::memcpy(static_cast<void*>(&out), bytes.data(), sizeof(out));
  return true;
}

/// Whether the output held zeros, as on Windows: a member that is left out reads as 0.
inline bool over_zeros(const Trace& trace, std::uint32_t event) {
  return trace.at<ev::CapsAnswered>(event).before == 0;
}

template <void (*kAlter)(DXGK_DRIVERCAPS&)>
class AltersCaps final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_DRIVERCAPS && NT_SUCCESS(status)) {
      kAlter(*static_cast<DXGK_DRIVERCAPS*>(query->pOutputData));
    }
    return status;
  }
};
template <void (*kAlter)(DXGK_DRIVERCAPS&)>
std::unique_ptr<Interposer> alters_caps() {
  return std::unique_ptr<Interposer>(new AltersCaps<kAlter>);
}

}  // namespace wddm::answers
