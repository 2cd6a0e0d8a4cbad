// PT-005: when an allocation has moved, all its addresses lead to the new place.
//
// Windows updates each of them; that the driver writes each of them is judged. Packets behind a
// transfer of contents show it: by what the allocation holds, or memory that nobody owns, as its
// old place is then.

#include <optional>

#include "conformance/rules/pt/moved_contents.h"
#include "conformance/rules/pt/one_updated_each.h"
#include "conformance/rules/rule.h"

namespace wddm::pt_005 {
namespace {

class OfAny final : public pt::MovedContents {
 public:
  using MovedContents::MovedContents;

 private:
  [[nodiscard]] bool concerns(const SpacePacket&, std::uint32_t) const override { return true; }
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  OfAny contents(trace, judgement);
  observe_spaces(trace, contents);
}

// A driver that keeps one address for each allocation.
class OneAddressEach final : public pt::UpdatesOneEach<UINT64> {
 private:
  // Windows of the paging process lie below, and show one allocation after the other.
  static constexpr UINT64 kBehindWindows = 1u << 26;
  [[nodiscard]] std::optional<UINT64> mapper_of(
      const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) const override {
    if (update.FirstPteVirtualAddress < kBehindWindows) return std::nullopt;
    return update.FirstPteVirtualAddress;
  }
};

const Rule kRule{
    .id = "PT-005",
    .title = "Moving a surface updates all its mappings",
    .evidence = Evidence::Memory,
    .rule =
        "When an allocation changes its place, every leaf entry that maps it is written anew by "
        "UpdatePageTable, and the TLB is flushed, before a context that can reach it runs again. "
        "Its addresses stay the same, and each of them leads to the new place.",
    .sources =
        "gpu-virtual-address.md # Updating page table\n"
        "gpu-virtual-memory-in-wddm-2-0.md # Introduction",
    .note =
        "Windows decides on the updates; judged here is that each of them takes effect, which is "
        "the driver's part. A packet that reads an old place and writes another allocation is left "
        "to VPAGE-004.",
    .unreached = kNoSpaceSeen,
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates},
    .scenario = R"(
about: an allocation with three addresses moves, and another whose addresses have all been used
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- map_address: {allocation: 1, at: bit, bit: 26}
- map_address: {allocation: 1, at: bit, bit: 27}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- move: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
- free_address: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
- free_address: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 8, value: 1}
- idle
# Each has been used when it moves, on an engine that does not forget translations by paging. On a
# driver with one node it is skipped.
- create_context: {context: 2, node: 1}
- create_allocation: {allocation: 2, place: local}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
- map_address: {allocation: 2}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 0, value: 1}
- idle
- map_address: {allocation: 2}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 4, value: 1}
- idle
- move: {allocation: 2}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 8, value: 1}
- idle
- free_address: {allocation: 2}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 12, value: 1}
- idle
- free_address: {allocation: 2}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 16, value: 1}
- idle
)",
    .control = pt::kOneAddressMoves,
    .fault = {.about = "updates are taken for the first address of an allocation alone",
              .interposer = [] { return std::unique_ptr<Interposer>(new OneAddressEach); },
              .also_fires = "PT-011 PTE-002 VA-008"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_005
