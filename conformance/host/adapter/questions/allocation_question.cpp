#include "conformance/host/adapter/questions/allocation_question.h"

#include <algorithm>

#include "conformance/host/adapter/questions/info_question.h"

namespace wddm::host {
namespace {

template <class Member>
bool untouched(const Member& member) {
  const auto* const first = reinterpret_cast<const std::uint8_t*>(&member);
  return std::all_of(first, first + sizeof(Member),
                     [](std::uint8_t byte) { return byte == kOtherBytes; });
}

}  // namespace

// As far as the interface of the driver goes; all of it lies in the buffer all the same.
void ask_description(const Adapter& adapter, std::uint32_t allocation, HANDLE handle) {
  if (!may_call(DdiId::DescribeAllocation)) return;
  const Output output(sizeof(DXGKARG_DESCRIBEALLOCATION), kOtherBytes);
  auto& said = *reinterpret_cast<DXGKARG_DESCRIBEALLOCATION*>(output.data());
  said.hAllocation = handle;
  const NTSTATUS status =
      call_ddi<DdiId::DescribeAllocation>(allocation, adapter.miniport(), &said);
  const std::uint32_t unwritten =
      (untouched(said.Width) ? 1u : 0u) | (untouched(said.Height) ? 2u : 0u) |
      (untouched(said.Format) ? 4u : 0u) | (untouched(said.MultisampleMethod) ? 8u : 0u);
  session().tap(ev::AllocationDescribed{.allocation = allocation,
                                        .status = static_cast<std::uint32_t>(status),
                                        .width = said.Width,
                                        .height = said.Height,
                                        .format = number_in(said.Format),
                                        .unwritten = unwritten,
                                        .behind = output.behind(),
                                        .altered = said.hAllocation != handle});
}

}  // namespace wddm::host
