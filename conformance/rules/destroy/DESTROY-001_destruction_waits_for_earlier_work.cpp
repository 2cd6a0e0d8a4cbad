// DESTROY-001: an allocation is destroyed behind the work that was queued before.

#include <d3dkmddi.h>

#include "conformance/rules/destroyed_allocations.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::destroy_001 {
namespace {

class EarlierWork {
 public:
  EarlierWork(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  void used(std::uint32_t index, std::uint32_t render) {
    auto& uses = uses_[render];
    for (const AllocationRecord& one : trace_.blob<AllocationRecord>(trace_.events()[index])) {
      if (one.allocation == kNone) continue;
      uses.insert(one.allocation);
      destroyed_.erase(one.allocation);
      users_.insert(one.allocation);
    }
  }
  void submitted(std::uint32_t index, const ev::Submitted& packet) {
    if (packet.paging != 0) return;
    const auto uses = uses_.find(packet.render);
    if (uses != uses_.end()) {
      for (const std::uint32_t allocation : uses->second) {
        const auto gone = destroyed_.find(allocation);
        if (gone != destroyed_.end()) fail(index, allocation, gone->second);
      }
    }
    if (early_.erase(packet.packet) == 0) running_[packet.packet] = {packet.render, index};
  }
  // A driver may report a packet while it takes it.
  void ended(std::uint32_t packet) {
    if (running_.erase(packet) == 0) early_.insert(packet);
  }
  void destroyed(std::uint32_t index, std::uint32_t allocation) {
    if (users_.erase(allocation) == 0) return;
    judgement_.reached(index);
    destroyed_[allocation] = index;
    for (const auto& [packet, running] : running_) {
      const auto uses = uses_.find(running.render);
      if (uses != uses_.end() && uses->second.contains(allocation)) {
        fail(index, allocation, running.submitted);
      }
    }
  }
  // All that was queued is lost.
  void lost() { running_.clear(); }

 private:
  struct Running {
    std::uint32_t render = kNone;
    std::uint32_t submitted = kNone;
  };
  void fail(std::uint32_t index, std::uint32_t allocation, std::uint32_t because) {
    judgement_.fail(index,
                    "commands that were queued before have ended when DestroyAllocation is "
                    "called for what they use",
                    "allocation " + std::to_string(allocation) + " is destroyed before that",
                    {because});
  }

  const Trace& trace_;
  Judgement& judgement_;
  ScratchMap<std::uint32_t, ScratchSet<std::uint32_t>> uses_;  // by render
  ScratchSet<std::uint32_t> users_;                            // allocations that something uses
  ScratchMap<std::uint32_t, std::uint32_t> destroyed_;         // DdiEntered, by allocation
  ScratchMap<std::uint32_t, Running> running_;                 // by packet
  ScratchSet<std::uint32_t> early_;                            // ended before they were submitted
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  EarlierWork work(trace, judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::RenderCalled, ev::BufferBuilt, ev::Submitted, ev::PacketEnded,
                    ev::DdiEntered, ev::AdapterReset, ev::Stuck>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::RenderCalled) {
      work.used(index, trace.at<ev::RenderCalled>(index).render);
    } else if (event.kind == EventKind::BufferBuilt) {
      work.used(index, trace.at<ev::BufferBuilt>(index).render);
    } else if (event.kind == EventKind::Submitted) {
      work.submitted(index, trace.at<ev::Submitted>(index));
    } else if (event.kind == EventKind::PacketEnded) {
      work.ended(trace.at<ev::PacketEnded>(index).packet);
    } else if (event.kind == EventKind::DdiEntered) {
      const auto entered = Trace::as<ev::DdiEntered>(event);
      if (!destroys_allocations(entered.ddi)) continue;
      const DestroyedAllocations gone = destroyed_by(trace, index);
      for (std::uint32_t one = gone.first; one < gone.end; ++one) work.destroyed(index, one);
    } else {
      work.lost();
    }
  }
}

NotApplicable destroying_what_is_used(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  return needs(platform, DdiId::DestroyAllocation);
}

const Rule kRule{
    .id = "DESTROY-001",
    .title = "An allocation is destroyed behind the work that was queued before",
    .binds = Binds::Os,
    .rule =
        "VidMm takes all commands that were queued before a request to destroy an allocation for "
        "users of it, and destroys it when they have ended: until then DestroyAllocation is not "
        "called, and its memory is nobody else's.",
    .sources =
        "allocation-usage-tracking.md # introduction\n"
        "nc-d3dumddi-pfnd3dddi_deallocate2cb.md # Remarks",
    .note =
        "Judged of commands that name the allocation. Requests with AssumeNotInUse, which wait "
        "for nobody, our host does not make; and it waits itself, so that whether a request holds "
        "its caller up (DESTROY-002) is not judged.",
    .applies = destroying_what_is_used,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: an allocation is destroyed that a running packet and a queued one use
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- spin: {units: 50}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1}
- advance: {units: 4}
- destroy_allocation: {allocation: 1}
- create_allocation: {allocation: 3, place: local}
- make_resident: {allocation: 3}
- fill_memory: {allocation: 3, pattern: 0x33333333}
- idle
)",
    .control = R"(
about: an allocation is destroyed that nothing uses any more; then one with others of its resource, of which a running packet uses one and a queued one another
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- destroy_allocation: {allocation: 1}
- share: {on: false, more: 2}
- create_allocation: {allocation: 4, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 5}
- spin: {units: 50}
- fill: {slot: 1, size: 256, value: 0x22222222}
- render: {context: 1}
- bind: {slot: 1, allocation: 6}
- fill: {slot: 1, size: 256, value: 0x33333333}
- advance: {units: 4}
- destroy_allocation: {allocation: 4}
- create_allocation: {allocation: 4, place: local}
- make_resident: {allocation: 6}
- fill_memory: {allocation: 6, pattern: 0x44444444}
- idle
)",
    .fault = {.about = "an allocation is destroyed at once",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::DestroyWhileInUse,
              .also_fires = "SUBMIT-015 SUBMIT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::destroy_001
