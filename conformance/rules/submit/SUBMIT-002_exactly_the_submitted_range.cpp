// SUBMIT-002: exactly the submitted byte range is executed.

#include <tuple>

#include "conformance/host/interposer.h"
#include "conformance/plugin/device.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm {
namespace {

struct Range {
  std::uint64_t start, end;
  std::uint32_t event;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  // The submission that a fence of a node stands for; a packet fetches after it was submitted.
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, Range> submitted;
  for (const std::uint32_t index : trace.of_any<ev::Submitted, ev::DeviceLogged>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      const auto packet = Trace::as<ev::Submitted>(event);
      submitted[{packet.node, packet.fence}] = {packet.address + packet.start,
                                                packet.address + packet.end, index};
    } else if (event.kind == EventKind::DeviceLogged) {
      const auto record = Trace::as<ev::DeviceLogged>(event);
      if (record.kind != WDDM_DEVICE_FETCH && record.kind != WDDM_DEVICE_PACKET_END) continue;
      const auto found = submitted.find({record.node, record.tag});
      if (found == submitted.end()) continue;
      const Range& range = found->second;
      judgement.reached(index);
      if (record.kind == WDDM_DEVICE_PACKET_END) {
        if (record.address == range.end || record.address == 0) continue;
        judgement.fail(
            index, "the packet runs up to DmaBufferSubmissionEndOffset",
            "it ended " + std::to_string(range.end - record.address) + " bytes before it",
            {range.event});
      } else if (record.address < range.start || record.address + record.length > range.end) {
        judgement.fail(index,
                       "fetches lie between DmaBufferPhysicalAddress plus "
                       "DmaBufferSubmissionStartOffset and plus DmaBufferSubmissionEndOffset",
                       "a fetch of " + std::to_string(record.length) + " bytes begins " +
                           std::to_string(static_cast<std::int64_t>(record.address) -
                                          static_cast<std::int64_t>(range.start)) +
                           " bytes from the start of the range",
                       {range.event});
      }
    }
  }
}

// A driver that starts every part at the start of the buffer.
class StartsAtZero final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    DXGKARG_SUBMITCOMMAND altered = *submit;
    altered.DmaBufferSubmissionStartOffset = 0;
    return Interposer::SubmitCommand(adapter, &altered);
  }
};

NotApplicable needs_log(const Platform& platform) {
  if (const NotApplicable reason = patch_lists(platform)) return reason;
  return platform.has_device_log ? nullptr : "no device log";
}

const Rule kRule{
    .id = "SUBMIT-002",
    .title = "Exactly the submitted byte range is executed",
    .evidence = Evidence::DeviceLog,
    .rule =
        "The GPU fetches from DmaBufferPhysicalAddress + DmaBufferSubmissionStartOffset up to "
        "DmaBufferPhysicalAddress + DmaBufferSubmissionEndOffset and nothing else of the "
        "buffer; DmaBufferPhysicalAddress is the start of the whole buffer.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_submitcommand.md # DmaBufferPhysicalAddress, offsets\n"
        "splitting-a-dma-buffer.md # run up to SplitOffset",
    .note = "PATCH-006 holds the same against memory where there is no device log.",
    .applies = needs_log,
    .check = check,
    .scenario = R"(
about: one buffer in two parts
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- idle
)",
    .control = R"(
about: one buffer in one part
ops:
- create_allocation: {allocation: 0}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)",
    .fault = {.about = "every part starts at offset 0",
              .interposer = [] { return std::unique_ptr<Interposer>(new StartsAtZero); },
              .also_fires = "PATCH-006 SPLIT-005"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
