// Drivers that call something else than the callbacks which Dxgkrnl gives them.
//
// For callbacks without a method of Interposer. What stands in place of one names the original by
// `given`: as a plain function, like every callback, it has no other place to keep it.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "conformance/host/interposer.h"

namespace wddm::callbacks {

/// What the last start has given; kMember: &DXGKRNL_INTERFACE::DxgkCbName.
template <auto kMember>
inline std::remove_cvref_t<decltype(std::declval<DXGKRNL_INTERFACE&>().*kMember)> given = nullptr;

template <auto kMember, decltype(given<kMember>) kInstead>
class ReplacesCallback final : public Interposer {
 public:
  NTSTATUS StartDevice(PVOID miniport, PDXGK_START_INFO info, PDXGKRNL_INTERFACE table,
                       PULONG sources, PULONG children) override {
    given<kMember> = table->*kMember;
    table->*kMember = kInstead;
    return Interposer::StartDevice(miniport, info, table, sources, children);
  }
};
template <auto kMember, decltype(given<kMember>) kInstead>
std::unique_ptr<Interposer> replaces() {
  return std::unique_ptr<Interposer>(new ReplacesCallback<kMember, kInstead>);
}

}  // namespace wddm::callbacks
