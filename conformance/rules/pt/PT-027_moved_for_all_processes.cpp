// PT-027: when an allocation that several processes have opened has moved, the addresses of each
// lead to the new place.

#include <optional>
#include <utility>

#include "conformance/rules/pt/moved_contents.h"
#include "conformance/rules/pt/one_updated_each.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/va/requested_ranges.h"

namespace wddm::pt_027 {
namespace {

// What a process gets an address for, when its commands are built, is there before they run.
class OfSeveral final : public pt::MovedContents {
 public:
  OfSeveral(const Trace& trace, Judgement& judgement) : MovedContents(trace, judgement) {
    for (const std::uint32_t index : trace.of<ev::AddressAnswered>()) {
      const auto one = trace.at<ev::AddressAnswered>(index);
      const bool mapped = va::is(one, AddressRequest::Map) && one.refused == 0;
      if (mapped && one.process < kPrivilegedSpaceNumber)
        mapped_.insert({one.allocation, one.process});
    }
  }

 private:
  [[nodiscard]] bool concerns(const SpacePacket& packet, std::uint32_t allocation) const override {
    bool own = false, others = false;
    for (const auto& [which, process] : mapped_) {
      if (which == allocation) (process == packet.process ? own : others) = true;
    }
    return own && others;
  }

  ScratchSet<std::pair<std::uint32_t, std::uint32_t>> mapped_;  // allocation, process
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  OfSeveral contents(trace, judgement);
  observe_spaces(trace, contents);
}

// A driver that has one process for each allocation.
class OneProcessEach final : public pt::UpdatesOneEach<HANDLE> {
 public:
  NTSTATUS CreateProcess(HANDLE adapter, DXGKARG_CREATEPROCESS* create) override {
    const NTSTATUS status = Interposer::CreateProcess(adapter, create);
    if (create->Flags.SystemProcess) system_ = create->hKmdProcess;
    return status;
  }

 private:
  [[nodiscard]] std::optional<HANDLE> mapper_of(
      const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) const override {
    return update.hProcess == system_ ? std::nullopt : std::optional(update.hProcess);
  }

  HANDLE system_ = nullptr;
};

const Rule kRule{
    .id = "PT-027",
    .title = "What several processes have opened moves for all of them",
    .evidence = Evidence::Memory,
    .rule =
        "An allocation of a shared resource has addresses in the space of each process that has "
        "opened it. When it changes its place, the entries of all of them are written by "
        "UpdatePageTable, those of each space for its own process and tables, before work of any "
        "of "
        "them runs again; and each of them takes effect.",
    .sources =
        "gpu-virtual-address.md # Updating page table\n"
        "per-process-gpu-virtual-address-spaces.md # Application GPU virtual address space\n"
        "nc-d3dkmddi-dxgkddi_openallocationinfo.md",
    .note =
        "PT-005 for allocations with addresses in more than one space. In which order the spaces "
        "come no page says.",
    .unreached = kNoSpaceSeen,
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates},
    .scenario = R"(
about: an allocation that two processes have opened moves, and both go on with it; it moves again while the page tables of one are away, and when that one has gone
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- share
- create_allocation: {allocation: 1, place: local}
- open_allocation: {allocation: 1, device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
- move: {allocation: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
- evict_tables: {device: 1}
- move: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 8, value: 1}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 12, value: 1}
- idle
- destroy_device: {device: 1}
- move: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 16, value: 1}
- idle
)",
    .control = R"(
about: an allocation that one process alone has moves
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- move: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
)",
    .fault = {.about = "updates are taken for the first process of an allocation alone",
              .interposer = [] { return std::unique_ptr<Interposer>(new OneProcessEach); },
              .also_fires = "PT-005 PT-011 PT-020 PTE-002 SUBMIT-015 VPAGE-004"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_027
