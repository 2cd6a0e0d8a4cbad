// SUBMIT-017: engines access memory that is there.

#include <string>
#include <utility>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/altered_packets.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/sdk/device.h"

namespace wddm::submit_017 {
namespace {

// Of a packet whose commands user mode has altered, another clause says what it may do.
ScratchSet<std::uint32_t> hostile_renders(const Trace& trace) {
  ScratchSet<std::uint32_t> hostile;
  for (const std::uint32_t index : trace.of<ev::RenderCalled>()) {
    const auto call = trace.at<ev::RenderCalled>(index);
    if (call.hostile != 0) hostile.insert(call.render);
  }
  return hostile;
}

// Nothing is ever mapped there: it is what an address of 0 leads to, with an offset or without.
constexpr std::uint64_t kNullPageEnd = 4096;

ScratchSet<std::uint32_t> hostile_submissions(const Trace& trace) {
  ScratchSet<std::uint32_t> hostile;
  for (const std::uint32_t index : trace.of<ev::PrivateDataGiven>()) {
    const auto given = trace.at<ev::PrivateDataGiven>(index);
    if (given.hostile != 0) hostile.insert(given.packet);
  }
  return hostile;
}

// By GPU virtual address: a packet all of whose commands find what they name, as the mark at its
// end is to show, and that meets the first page of its space, has an address from somebody else.
// What faults at others may be mapped there, or have been (MMU-012, VA-008).
void check_null_page(const Trace& trace, Judgement& judgement) {
  if (trace.of<ev::AccessFaulted>().empty()) return;
  const auto hostile = hostile_submissions(trace);
  ScratchMap<std::uint32_t, std::uint32_t> met;  // AccessFaulted by packet
  for (const std::uint32_t index : trace.of_any<ev::AccessFaulted, ev::MarkerRead>()) {
    if (trace.events()[index].kind == EventKind::AccessFaulted) {
      const auto fault = trace.at<ev::AccessFaulted>(index);
      const bool none = fault.packet == kNone || hostile.contains(fault.packet);
      if (!none && fault.address < kNullPageEnd) met.emplace(fault.packet, index);
      continue;
    }
    const auto marker = trace.at<ev::MarkerRead>(index);
    if (marker.expected == 0 || marker.reason != static_cast<std::uint32_t>(MarkerReason::AtEnd)) {
      continue;
    }
    const auto found = met.find(marker.packet);
    if (found == met.end()) continue;
    const auto fault = trace.at<ev::AccessFaulted>(found->second);
    judgement.reached(found->second);
    judgement.fail(found->second, "the packet accesses memory that it was told of",
                   "an access to GPU virtual address " + std::to_string(fault.address) +
                       ", in the page where nothing is ever mapped");
    met.erase(found);
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  check_null_page(trace, judgement);
  const auto hostile = hostile_renders(trace);
  const auto altered = submit::altered_packets(trace);
  ScratchMap<std::pair<EngineId, std::uint32_t>, std::uint32_t> submitted;  // by engine and fence
  in_order_of_calls<ev::DeviceLogged, ev::DdiReturned>(trace, [&](std::uint32_t index) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::DdiReturned) {
      const auto returned = trace.at<ev::DdiReturned>(index);
      if (returned.ddi != static_cast<std::uint32_t>(DdiId::StopDevice)) return;
      submitted.clear();
      return;
    }
    if (kind == EventKind::Submitted) {
      const auto packet = trace.at<ev::Submitted>(index);
      submitted[{engine_of(packet), packet.fence}] = index;
      return;
    }
    const auto record = trace.at<ev::DeviceLogged>(index);
    const auto found = submitted.find({engine_of(record), record.tag});
    if (found == submitted.end()) return;
    const auto packet = trace.at<ev::Submitted>(found->second);
    if (packet.paging == 0 &&
        (hostile.contains(packet.render) || altered.contains(packet.packet))) {
      return;
    }
    if (record.kind == WDDM_DEVICE_PACKET_END) judgement.reached(index);
    if (record.kind != WDDM_DEVICE_FAULT) return;
    judgement.reached(index);
    judgement.fail(
        index, "the packet accesses memory that it was told of",
        "an access to address " + std::to_string(record.address) + ", where no memory is",
        {found->second});
  });
}

// A driver that patches with page numbers, not with addresses.
class PatchesPages final : public Interposer {
 public:
  NTSTATUS Patch(HANDLE adapter, const DXGKARG_PATCH* patch) override {
    DXGKARG_PATCH altered = *patch;
    std::vector<DXGK_ALLOCATIONLIST> list(patch->pAllocationList,
                                          patch->pAllocationList + patch->AllocationListSize);
    for (DXGK_ALLOCATIONLIST& entry : list) entry.PhysicalAddress.QuadPart >>= 12;
    altered.pAllocationList = list.data();
    return Interposer::Patch(adapter, &altered);
  }
};

NotApplicable with_log(const Platform& platform) {
  if (const NotApplicable reason = submitting(platform)) return reason;
  return platform.has_device_log ? nullptr : "no device log";
}

const Rule kRule{
    .id = "SUBMIT-017",
    .title = "Engines access memory that is there",
    .evidence = Evidence::DeviceLog,
    .rule =
        "The addresses that a packet uses lie in memory: in places that Windows has given "
        "allocations, in segments, and in mapped pages of an aperture.",
    .sources =
        "nc-d3dkmddi-dxgkddi_patch.md # Remarks\n"
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # Remarks",
    .note =
        "Judged by faults in the device's own log, of packets whose commands user mode has left as "
        "they were. Faults of GPU virtual addresses are judged by MMU-012, but for those in the "
        "first page of a space: no command of a client names it, and whoever goes there takes an "
        "address that was refused for one.",
    .applies = with_log,
    .check = check,
    .played_in =
        kBothAddressings |
        ConfigurationSet{Configured::IoMmuAlone, Configured::ApertureFirst, Configured::HighMemory},
    .scenario = R"(
about: one draw; then the last pages of a segment are written, and one is filled with allocations
ops:
- create_allocation: {allocation: 0, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
- create_allocation: {allocation: 1, pages: 64, place: local}
- make_resident: {allocation: 1}
- fill_memory: {allocation: 1, pattern: 0x01020304}
- transfer_places: {source: local, destination: local, from_end: true, source_page: 48, page: 0, pages: 2}
- idle
# As many pages as the built-in driver has where no page tables lie: the last one ends its segment.
# In a smaller segment others leave for it, in a larger one it lies where it likes.
- create_allocation: {allocation: 2, pages: 128, place: local}
- make_resident: {allocation: 2}
- create_allocation: {allocation: 3, pages: 32, place: local}
- make_resident: {allocation: 3}
- create_allocation: {allocation: 4, pages: 16, place: local}
- make_resident: {allocation: 4}
- create_allocation: {allocation: 5, pages: 8, place: local}
- make_resident: {allocation: 5}
- create_allocation: {allocation: 6, pages: 4, place: local}
- make_resident: {allocation: 6}
- create_allocation: {allocation: 7, pages: 2, place: local}
- make_resident: {allocation: 7}
- create_allocation: {allocation: 8, place: local}
- make_resident: {allocation: 8}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 8}
- copy: {slot: 1, source: 0}
- idle
- evict: {allocation: 8}
- make_resident: {allocation: 8}
- idle
# Of a large segment the last page, which nothing else fills.
- move: {allocation: 0, highest: true}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, value: 0x31323334}
- idle
)",
    .control = R"(
about: a packet without allocations
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 5}
- idle
)",
    .fault = {.about = "Patch writes page numbers where addresses are wanted",
              .interposer = [] { return std::unique_ptr<Interposer>(new PatchesPages); },
              .also_fires = "FENCE-002 PATCH-001 SUBMIT-015"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::submit_017
