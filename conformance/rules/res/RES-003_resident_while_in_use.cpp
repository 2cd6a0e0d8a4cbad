// RES-003: nothing that a packet uses is taken out of memory while the packet may be running.
//
// Judged is the paging buffer that does it: while it is at the engine no packet that uses the
// allocation may be at one.

#include <d3dkmddi.h>

#include <algorithm>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::res_003 {
namespace {

// Takes contents out of a segment, or the pages out of an aperture.
bool takes_out(std::uint32_t operation, const PagingArguments& arguments) {
  if (operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT) return true;
  return operation == DXGK_OPERATION_TRANSFER && arguments.destination_segment == 0;
}

class InUse {
 public:
  explicit InUse(const Trace& trace) : trace_(trace) {
    // What each last packet of an operation did; its buffer was built before.
    ScratchMap<std::uint32_t, std::uint32_t> built;  // by allocation: PagingBuilt, the latest
    for (const std::uint32_t index : trace.of_any<ev::PagingBuilt, ev::PagingDone>()) {
      if (trace.events()[index].kind == EventKind::PagingBuilt) {
        built[trace.at<ev::PagingBuilt>(index).allocation] = index;
        continue;
      }
      const auto done = trace.at<ev::PagingDone>(index);
      const auto call = built.find(done.allocation);
      if (done.allocation == kNone || done.packet == kNone || call == built.end()) continue;
      const auto arguments = trace.blob<PagingArguments>(trace.events()[call->second]);
      if (arguments.empty() || !takes_out(done.operation, arguments.front())) continue;
      leaves_with_[done.packet].insert(done.allocation);
    }
  }

  void used(std::uint32_t index) {
    const auto render = trace_.at<ev::RenderCalled>(index);
    auto& uses = uses_[render.render];
    for (const AllocationRecord& one : records_of(index)) {
      if (one.allocation == kNone || emptied_.contains({render.render, one.allocation})) continue;
      uses.insert(one.allocation);
    }
  }
  // What a driver releases itself, by the NULL handle of an entry, its buffer does not use: of
  // several passes nobody knows which one a packet is of.
  void altered(std::uint32_t index) {
    const std::uint32_t render = trace_.at<ev::ListAltered>(index).render;
    const std::span<const AllocationRecord> list = records_of(index);
    const auto is_left = [&](std::uint32_t allocation) {
      return std::any_of(list.begin(), list.end(), [allocation](const AllocationRecord& one) {
        return one.allocation == allocation;
      });
    };
    std::erase_if(uses_[render], [&](std::uint32_t allocation) {
      if (is_left(allocation)) return false;
      emptied_.insert({render, allocation});
      return true;
    });
  }
  void submitted(std::uint32_t index, const ev::Submitted& packet, Judgement& judgement) {
    if (packet.paging == 0) {
      if (early_.erase(packet.packet) == 0) running_[packet.packet] = {packet.render, index};
      return;
    }
    const auto leaves = leaves_with_.find(packet.packet);
    if (leaves == leaves_with_.end()) return;
    judgement.reached(index);
    for (const auto& [id, running] : running_) {
      const auto uses = uses_.find(running.render);
      if (uses == uses_.end()) continue;
      for (const std::uint32_t allocation : leaves->second) {
        if (!uses->second.contains(allocation)) continue;
        judgement.fail(index,
                       "the packets that use an allocation have ended before it is taken out",
                       "packet " + std::to_string(id) + " uses allocation " +
                           std::to_string(allocation) + " and has not",
                       {running.submitted});
      }
    }
  }
  // A driver may report a packet while it takes it.
  void ended(std::uint32_t packet) {
    if (running_.erase(packet) == 0) early_.insert(packet);
  }

 private:
  struct Running {
    std::uint32_t render = kNone;
    std::uint32_t submitted = kNone;
  };
  [[nodiscard]] std::span<const AllocationRecord> records_of(std::uint32_t index) const {
    return trace_.blob<AllocationRecord>(trace_.events()[index]);
  }

  const Trace& trace_;
  ScratchMap<std::uint32_t, ScratchSet<std::uint32_t>> leaves_with_;  // by paging packet
  ScratchMap<std::uint32_t, ScratchSet<std::uint32_t>> uses_;         // by render
  ScratchSet<std::pair<std::uint32_t, std::uint32_t>> emptied_;       // render, allocation
  ScratchMap<std::uint32_t, Running> running_;                        // by packet
  ScratchSet<std::uint32_t> early_;  // ended before they were submitted
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  InUse in_use(trace);
  for (const std::uint32_t index :
       trace.of_any<ev::RenderCalled, ev::ListAltered, ev::Submitted, ev::PacketEnded>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::RenderCalled) in_use.used(index);
    if (kind == EventKind::ListAltered) in_use.altered(index);
    if (kind == EventKind::Submitted) {
      in_use.submitted(index, trace.at<ev::Submitted>(index), judgement);
    }
    if (kind == EventKind::PacketEnded) in_use.ended(trace.at<ev::PacketEnded>(index).packet);
  }
}

const Rule kRule{
    .id = "RES-003",
    .title = "What a buffer lists stays in memory until its packets have ended",
    .binds = Binds::Os,
    .rule =
        "While a packet that may use an allocation is at an engine, the allocation is not taken "
        "out "
        "of memory: the paging that does so waits for the packet's end, on whatever engine.",
    .sources =
        "residency-overview.md # Overview\n"
        "paging-video-memory-resources.md",
    .note =
        "Judged of patch lists, whose lists say what a buffer uses, as WDDM 1.x requires it. That "
        "all it uses is there when it is submitted is judged by where it is told to be "
        "(SPLIT-016). What devices require of WDDM 2.x, by GPU virtual address, is RES-011 while "
        "they run, and RES-012 before.",
    .applies = patch_lists,
    .check = check,
    .scenario = R"(
about: an allocation is to leave while a packet on another engine uses it
ops:
- configure: {setting: PagingNode, value: 1}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- spin: {units: 50}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- advance: {units: 4}
- evict: {allocation: 1}
- idle
)",
    .control = R"(
about: another allocation leaves meanwhile
ops:
- configure: {setting: PagingNode, value: 1}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- spin: {units: 50}
- advance: {units: 4}
- evict: {allocation: 2}
- idle
)",
    .fault = {.about = "an eviction waits for nobody",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::EvictWhileInUse,
              .also_fires = "SUBMIT-015"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::res_003
