// APER-007: what is mapped for the CPU lies in the aperture, and no two things lie at one place.

#include <utility>

#include "conformance/rules/aper/aperture_segments.h"
#include "conformance/rules/scratch.h"

namespace wddm::aper_007 {
namespace {

class MappedPages {
 public:
  MappedPages(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  void called(std::uint32_t index) {
    const auto call = trace_.at<ev::HostAperturePages>(index);
    latest_ = kNone;
    if (call.mapped == 0) {
      for (const std::uint32_t page : pages_of(index)) live_.erase(key_of(call, page));
      return;
    }
    latest_ = index;
    judgement_.reached(index);
    ScratchSet<std::uint32_t> given;
    for (const std::uint32_t page : pages_of(index)) {
      if (page >= call.size) {
        fail(index, page, "SizeInPages is " + std::to_string(call.size));
        return;
      }
      if (!given.insert(page).second) {
        fail(index, page, "this call maps it twice");
        return;
      }
      const auto found = live_.find(key_of(call, page));
      if (found == live_.end()) continue;
      fail(index, page, "it is mapped already", found->second);
      return;
    }
  }
  // What the driver refuses is not mapped.
  void returned(NTSTATUS status) {
    const std::uint32_t index = std::exchange(latest_, kNone);
    if (index == kNone || !NT_SUCCESS(status)) return;
    const auto call = trace_.at<ev::HostAperturePages>(index);
    for (const std::uint32_t page : pages_of(index)) live_[key_of(call, page)] = index;
  }
  void stopped() { live_.clear(); }

 private:
  using Key = std::pair<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>;

  [[nodiscard]] std::span<const std::uint32_t> pages_of(std::uint32_t index) const {
    return trace_.blob<std::uint32_t>(trace_.events()[index]);
  }
  [[nodiscard]] static Key key_of(const ev::HostAperturePages& call, std::uint32_t page) {
    return {{call.physical_adapter, call.segment}, page};
  }
  void fail(std::uint32_t index, std::uint32_t page, const std::string& why,
            std::uint32_t because = kNone) {
    const std::string seen = "aperture page " + std::to_string(page) + ", where " + why;
    const char* const expected = "pages of the aperture that nothing is mapped to";
    if (because == kNone) {
      judgement_.fail(index, expected, seen);
    } else {
      judgement_.fail(index, expected, seen, {because});
    }
  }

  const Trace& trace_;
  Judgement& judgement_;
  ScratchMap<Key, std::uint32_t> live_;  // HostAperturePages
  std::uint32_t latest_ = kNone;         // that has not returned
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  MappedPages pages(trace, judgement);
  constexpr auto kMap = static_cast<std::uint32_t>(DdiId::MapCpuHostAperture);
  using StopReturned = ev::MappingBalance;
  for (const std::uint32_t index :
       trace.of_any<ev::HostAperturePages, ev::DdiReturned, StopReturned>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::HostAperturePages) {
      pages.called(index);
    } else if (event.kind == EventKind::MappingBalance) {
      pages.stopped();
    } else if (const auto returned = Trace::as<ev::DdiReturned>(event); returned.ddi == kMap) {
      pages.returned(static_cast<NTSTATUS>(returned.status));
    }
  }
}

const Rule kRule{
    .id = "APER-007",
    .title = "What is mapped for the CPU lies in the aperture, each thing at its own place",
    .binds = Binds::Os,
    .rule =
        "Pages handed to MapCpuHostAperture are below SizeInPages of the segment's aperture, and "
        "none is given to two mappings at a time: so no more of the segment is mapped at once than "
        "the aperture has pages.",
    .sources =
        "allocation-usage-tracking.md # CpuHostAperture\n"
        "ns-d3dkmddi-_dxgk_cpuhostaperture.md\n"
        "ns-d3dkmddi-_dxgkarg_mapcpuhostaperture.md",
    .note =
        "Our host maps page tables, and pages that it tries at the start; allocations it does "
        "not.",
    .applies = aper::changing_host_aperture,
    .check = check,
    .played_in = {Configured::HostAperture, Configured::Services, Configured::LinkedHostAperture},
    .scenario = R"(
about: page tables come and go, and the adapter starts again
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- evict_tables: {device: 0}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
- stop
- start
)",
    .control = R"(
about: the adapter starts
ops:
- start
)",
    .fault = {.about = "the page behind the last is mapped too",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::MapPastTheAperture}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::aper_007
