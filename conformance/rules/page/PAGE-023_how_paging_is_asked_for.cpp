// PAGE-023: how VidMm goes on with an operation that BuildPagingBuffer has not taken whole.

#include <d3dkmddi.h>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::page_023 {
namespace {

class Passes {
 public:
  Passes(const Trace& trace, const Platform& platform, Judgement& judgement)
      : trace_(trace), platform_(platform), judgement_(judgement) {}

  void read(std::uint32_t index) {
    const Event& event = trace_.events()[index];
    // What was given up is asked for anew, by whomever.
    if (event.kind != EventKind::PagingBuilt) return latest_.clear();
    const auto call = trace_.at<ev::PagingBuilt>(index);
    judgement_.reached(index);
    fills_memory(index, call);
    const auto [known, is_first] = latest_.try_emplace(event.thread, index);
    const std::uint32_t earlier = is_first ? kNone : known->second;
    known->second = index;
    const bool same = earlier != kNone && is_same(index, earlier);
    const bool repeats = same && repeats_busy(call, trace_.at<ev::PagingBuilt>(earlier));
    if (call.pass == 0 && call.multipass_in != 0 && !repeats) {
      fail(index, "MultipassOffset 0 in the first call", call.multipass_in, kNone);
    }
    if (same) goes_on(index, call, earlier, repeats);
  }

 private:
  // Of those without an allocation, such as the mapping of a buffer for more of the same, by where
  // they are.
  [[nodiscard]] bool is_same(std::uint32_t index, std::uint32_t earlier) const {
    const auto call = trace_.at<ev::PagingBuilt>(index);
    const auto before = trace_.at<ev::PagingBuilt>(earlier);
    if (call.operation != before.operation || call.allocation != before.allocation) return false;
    const auto asked = trace_.blob<PagingArguments>(trace_.events()[index]);
    const auto asked_before = trace_.blob<PagingArguments>(trace_.events()[earlier]);
    if (call.allocation != kNone || asked.empty() || asked_before.empty()) return true;
    return asked.front().page == asked_before.front().page &&
           asked.front().destination_segment == asked_before.front().destination_segment;
  }
  static bool repeats_busy(const ev::PagingBuilt& call, const ev::PagingBuilt& before) {
    return call.pass == before.pass && before.idle == 0 &&
           static_cast<NTSTATUS>(before.status) == STATUS_GRAPHICS_ALLOCATION_BUSY;
  }
  // The same operation as in the call before.
  void goes_on(std::uint32_t index, const ev::PagingBuilt& call, std::uint32_t earlier,
               bool repeats) {
    const auto before = trace_.at<ev::PagingBuilt>(earlier);
    if (repeats && call.idle == 0) {
      judgement_.fail(index, "a busy allocation is asked for again once it is idle",
                      "AllocationIsIdle is not set", {earlier});
    }
    const bool next = call.pass != 0 && call.pass == before.pass + 1;
    if (!next && !repeats) return;
    if (call.multipass_in == before.multipass_out) return;
    fail(index,
         "MultipassOffset as the last call has left it, " + std::to_string(before.multipass_out),
         call.multipass_in, earlier);
  }
  void fills_memory(std::uint32_t index, const ev::PagingBuilt& call) {
    if (call.operation != DXGK_OPERATION_FILL) return;
    const auto arguments = trace_.blob<PagingArguments>(trace_.events()[index]);
    if (arguments.empty()) return;
    const std::uint32_t segment = arguments.front().destination_segment;
    const bool memory = segment != 0 && segment <= platform_.segments.size() &&
                        !platform_.segments[segment - 1].flags.aperture();
    if (memory) return;
    judgement_.fail(index, "a Fill of a place in a memory segment",
                    "segment " + std::to_string(segment));
  }
  void fail(std::uint32_t index, std::string expected, std::uint32_t seen, std::uint32_t because) {
    if (because == kNone) {
      judgement_.fail(index, std::move(expected), std::to_string(seen));
    } else {
      judgement_.fail(index, std::move(expected), std::to_string(seen), {because});
    }
  }

  const Trace& trace_;
  const Platform& platform_;
  Judgement& judgement_;
  ScratchMap<std::uint16_t, std::uint32_t> latest_;  // PagingBuilt, by thread
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Passes passes(trace, platform, judgement);
  for (const std::uint32_t index : trace.of_any<ev::PagingBuilt, ev::Stuck, ev::AdapterReset>()) {
    passes.read(index);
  }
}

const Rule kRule{
    .id = "PAGE-023",
    .title = "How operations are built in several calls",
    .binds = Binds::Os,
    .rule =
        "MultipassOffset is 0 when BuildPagingBuffer is first called for an operation, and is "
        "given back as the driver has left it when there was too little space. An allocation that "
        "was busy is asked for again with AllocationIsIdle. Fill names places in memory segments "
        "alone.",
    .sources =
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # Remarks, Fill, Transfer, Discard content",
    .note =
        "That the calls of the scheduler's class do not overlap, and that buffers go in order, is "
        "how our host is built (README.md, Threads). CacheCoherent of MapApertureSegment is not "
        "in a trace.",
    .applies = paging,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: operations that take several buffers each
ops:
- paging_buffer: {measure: needed_minus, bytes: 4, packed: true}
- create_allocation: {allocation: 0, pages: 8, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- discard: {allocation: 0}
- idle
- paging_buffer: {measure: needed_minus, bytes: 40, packed: true}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- idle
)",
    .control = R"(
about: operations that take one call each
ops:
- create_allocation: {allocation: 0, pages: 1, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- idle
)",
    .fault = {.about = "every call is the first one",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::RestartEveryPass}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_023
