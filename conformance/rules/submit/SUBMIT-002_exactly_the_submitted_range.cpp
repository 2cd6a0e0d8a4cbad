// SUBMIT-002: exactly the submitted byte range is executed.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/altered_packets.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/rules/submit/null_rendering.h"
#include "conformance/sdk/device.h"
#include "reference/trace/ddi.h"

namespace wddm::submit_002 {
namespace {

struct Range {
  std::uint64_t start, end;
  std::uint64_t buffer, buffer_end;  ///< the whole buffer
  std::uint32_t event;               ///< Submitted
  bool begins;                       ///< the first fetch is still to come, and comes from the start
  bool altered;                      ///< user mode's commands lead where they like, and end there
  /// Commands may lead the engine to others, in memory of their own: second-level buffers, say.
  [[nodiscard]] bool is_elsewhere(const ev::DeviceLogged& record) const {
    return record.address >= buffer_end || record.address + record.length <= buffer;
  }
};

// DmaBufferSize, as the call that began with `entered` says it.
std::uint32_t buffer_bytes(const Trace& trace, std::uint32_t entered) {
  const Event& event = trace.events()[entered];
  if (event.kind != EventKind::DdiEntered) return 0;
  const std::uint32_t ddi = Trace::as<ev::DdiEntered>(event).ddi;
  if (ddi == static_cast<std::uint32_t>(DdiId::SubmitCommand)) {
    const auto call = trace.blob<ddi_arguments::SubmitCommand>(event);
    return call.empty() ? 0 : call[0].dma_bytes;
  }
  if (ddi != static_cast<std::uint32_t>(DdiId::SubmitCommandVirtual)) return 0;
  const auto call = trace.blob<ddi_arguments::SubmitCommandVirtual>(event);
  return call.empty() ? 0 : call[0].dma_bytes;
}

std::string distance(std::uint64_t from, std::uint64_t to) {
  return to < from ? std::to_string(from - to) + " bytes before"
                   : std::to_string(to - from) + " bytes behind";
}

// The end of a packet, where the device tells of it.
void check_end(std::uint32_t index, std::uint64_t address, const Range& range,
               Judgement& judgement) {
  if (address == range.end || address == 0) return;
  judgement.fail(index, "the packet runs up to DmaBufferSubmissionEndOffset",
                 "it ended " + distance(range.end, address) + " it", {range.event});
}

void check_fetch(std::uint32_t index, const ev::DeviceLogged& record, Range& range,
                 Judgement& judgement) {
  if (!range.begins && (range.altered || range.is_elsewhere(record))) return;
  const bool begins = std::exchange(range.begins, false);
  judgement.reached(index);
  if (record.address < range.start || record.address > range.end ||
      record.length > range.end - record.address) {
    judgement.fail(index,
                   "fetches lie between DmaBufferPhysicalAddress plus "
                   "DmaBufferSubmissionStartOffset and plus DmaBufferSubmissionEndOffset",
                   "a fetch of " + std::to_string(record.length) + " bytes begins " +
                       distance(range.start, record.address) + " the start of the range",
                   {range.event});
  } else if (begins && record.address != range.start) {
    judgement.fail(index, "the first fetch begins at DmaBufferSubmissionStartOffset",
                   "it begins " + distance(range.start, record.address) + " it", {range.event});
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  // The submission that a fence of an engine stands for; a packet fetches after it was submitted.
  ScratchMap<std::pair<EngineId, std::uint32_t>, Range> submitted;
  const auto altered = submit::altered_packets(trace);
  const std::vector<std::uint32_t>& begun = trace.ledger<SubmissionCalls>().begun;
  std::size_t next = 0;
  in_order_of_calls<ev::DeviceLogged>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      const auto packet = trace.at<ev::Submitted>(index);
      // One that was stopped goes on from where it was.
      const bool begins = packet.again == 0 && packet.start < packet.end;
      const std::uint32_t call = begun[next++];
      const std::uint64_t bytes = std::max(buffer_bytes(trace, call), packet.end);
      // Of a refused packet the fence alone is left: hardware may get an empty one to carry it.
      if (packet.status != 0 || submit::runs_nothing(trace, call)) {
        submitted.erase({engine_of(packet), packet.fence});
        return;
      }
      submitted[{engine_of(packet), packet.fence}] = {packet.address + packet.start,
                                                      packet.address + packet.end,
                                                      packet.address,
                                                      packet.address + bytes,
                                                      index,
                                                      begins,
                                                      altered.contains(packet.packet)};
    } else if (event.kind == EventKind::DeviceLogged) {
      const auto record = Trace::as<ev::DeviceLogged>(event);
      const auto found = submitted.find({engine_of(record), record.tag});
      if (found == submitted.end()) return;
      const bool tells_fetch = record.kind == WDDM_DEVICE_FETCH ||
                               (record.kind == WDDM_DEVICE_PACKET_BEGIN && record.address != 0);
      if (tells_fetch) {
        check_fetch(index, record, found->second, judgement);
      } else if (record.kind == WDDM_DEVICE_PACKET_END && !found->second.altered) {
        judgement.reached(index);
        check_end(index, record.address, found->second, judgement);
      }
    }
  });
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
  if (const NotApplicable reason = paging(platform)) return reason;
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
    .note =
        "PATCH-006 holds the same against memory where there is no device log. Commands that an "
        "engine fetches from other memory than the buffer, because commands of the buffer lead it "
        "there, are not judged; the first fetch is. With GPU virtual addresses nobody looks at "
        "what user mode has altered: of such a packet only the first fetch is judged. A packet "
        "that was refused, or is to run nothing, may be replaced by an empty one that carries "
        "its fence: what that fetches is left to the driver. What hardware reads ahead of "
        "commands, "
        "or in a line with them, its device does not tell as fetched (device.h).",
    .applies = needs_log,
    .check = check,
    .played_in = kPatchListConfigurations |
                 ConfigurationSet{Configured::BuffersInAperture, Configured::ApertureFirst},
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
}  // namespace wddm::submit_002
