// VPAGE-011: a context allocation that was moved is used where it lies now.
//
// What a context makes of its memory only its driver knows. Judged is what the first packets after
// a move come to, and what the memory holds that the allocation has left.

#include <d3dkmddi.h>

#include "conformance/host/interposer.h"
#include "conformance/rules/va/space_history.h"
#include "conformance/rules/vpage/context_moves.h"

namespace wddm::vpage_011 {
namespace {

// What the first packet of a context after a move shows. Where it shows nothing the move is past: a
// later packet comes behind other things too.
class FirstSigns final : public SpaceObserver {
 public:
  FirstSigns(const Trace& trace, const Platform& platform, Judgement& judgement)
      : trace_(trace), judgement_(judgement), root_level_(root_level_of(platform)) {}

  // What was moved was the former context's of the slot.
  void context_made(std::uint32_t index, const ev::ContextCreated& created) override {
    follow_moves(index);
    moved_.erase(created.context);
  }
  void submitted(const SpacePacket& packet, const SpacePacket&) override {
    follow_moves(packet.submitted);
    const auto moved = moved_.find(packet.context);
    if (moved == moved_.end()) return;
    if (moved->second.packet == kNone) moved->second.packet = packet.packet;
  }
  void shown(const SpaceSign& sign) override {
    const auto moved = moved_.find(sign.packet.context);
    if (moved == moved_.end() || sign.packet.packet != moved->second.packet || !speaks(sign))
      return;
    const std::uint32_t event = moved->second.event;
    moved_.erase(moved);
    judgement_.reached(sign.event);
    if (!sign.wrong()) return;
    fail_by(sign, judgement_, "a packet that runs with the context allocation at its new place",
            {event, sign.packet.submitted});
  }

 private:
  void follow_moves(std::uint32_t before) {
    const std::span<const std::uint32_t> moves = trace_.of<ev::ContextAllocationMoved>();
    for (; next_ < moves.size() && moves[next_] < before; ++next_) {
      const auto move = trace_.at<ev::ContextAllocationMoved>(moves[next_]);
      if (move.context == kNone) continue;
      moved_.erase(move.context);
      // Packets of one that was evicted come when it is back, or VidMm is wrong (CTX-010).
      if (move.evicted == 0) moved_[move.context] = {moves[next_], kNone};
    }
  }
  // Of entries and faults those of the root, which stands in such memory if anything does.
  [[nodiscard]] bool speaks(const SpaceSign& sign) const {
    if (sign.kind == SpaceSign::Kind::Faulted) return sign.faulted_at(root_level_);
    return sign.kind != SpaceSign::Kind::Walk || sign.walked(AstrayWalk::NoTable, root_level_) ||
           sign.walked(AstrayWalk::FormerTable, root_level_);
  }

  const Trace& trace_;
  Judgement& judgement_;
  std::uint32_t root_level_;
  std::size_t next_ = 0;
  struct Moved {
    std::uint32_t event = kNone;
    std::uint32_t packet = kNone;  // the first one since then
  };
  ScratchMap<std::uint32_t, Moved> moved_;  // by context
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  if (trace.of<ev::ContextAllocationMoved>().empty()) return;
  FirstSigns signs(trace, platform, judgement);
  observe_spaces(trace, signs);
  vpage::ContextMoves moves(trace, judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::ContextAllocationMoved, ev::FormerPlaceLooked, ev::ContextCreated,
                    ev::Submitted, ev::PacketEnded, ev::Stuck>()) {
    moves.read(index);
  }
}

// A driver that stays with the address that InitContextResource has told it.
class HearsNoNotice final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_NOTIFY_RESIDENCY) return STATUS_SUCCESS;
    return Interposer::BuildPagingBuffer(adapter, build);
  }
};

NotApplicable context_allocations(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  return needs(platform, DdiId::SetRootPageTable);
}

const Rule kRule{
    .id = "VPAGE-011",
    .aliases = "CTX-004",
    .title = "A context allocation that has moved is used at its new place",
    .evidence = Evidence::Memory,
    .rule =
        "VidMm may move a context allocation while nothing of its context runs, or evict it and "
        "bring it back elsewhere. It tells of that by NotifyResidency where the allocation has "
        "ExplicitResidencyNotification and AccessedPhysically, and by MapApertureSegment or "
        "MapApertureSegment2 where it has AccessedPhysically alone and lies in an aperture "
        "segment. One that has addresses by DxgkCbMapContextAllocation and not AccessedPhysically "
        "is found by them: its entries lead to where it is, and nothing else is told. From then on "
        "the context uses it at the new place: nothing is written where it was, and what runs "
        "finds there what the context has kept.",
    .sources =
        "context-allocation.md # AccessedPhysically\n"
        "context-allocation.md # Assigning a GPU virtual address to a context allocation\n"
        "ns-d3dkmddi-_dxgkargcb_createcontextallocation.md # hDriverAllocation, Flags\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_notifyresidency.md # remarks\n"
        "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # MapApertureSegment, MapApertureSegment2\n"
        "nc-d3dkmddi-dxgkcb_createcontextallocation.md # remarks",
    .note =
        "NotifyResidency is documented for handles of CreateAllocation, and for allocations with "
        "both flags; a context allocation has these flags too, and hDriverAllocation is what "
        "paging names it by. It is told of as well where InitContextResource has made it. No "
        "document says how else a driver would hear of a move, so that others than these and those "
        "with addresses alone are not moved; nor are those with ExplicitResidencyNotification in "
        "an aperture, for which the pages have no notice. What is written by a former place in an "
        "aperture is not seen.",
    .applies = context_allocations,
    .check = check,
    .played_in = {Configured::ContextAllocations, Configured::ContextApertures,
                  Configured::LinkedContexts, Configured::ContextApertures2},
    .scenario = R"(
about: the memory of a context moves between its packets, its root with it, and is evicted
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- move_context: {context: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
- move_table: {allocation: 1, level: 5}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
- move_context: {context: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 8, value: 1}
- idle
- move_context: {context: 1, evict: true}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 12, value: 1}
- idle
# While a packet is stopped in its middle, its context's memory moves, and the packet goes on there.
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- spin: {units: 4000}
- add: {slot: 1, offset: 4, value: 1}
- advance: {units: 10}
- advance: {units: 100}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 20}
- move_context: {context: 1}
- advance: {units: 400}
- keep_stopped: {on: false}
- idle
# Or it leaves, and is back before the packet goes on.
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 28, value: 1}
- spin: {units: 4000}
- add: {slot: 1, offset: 32, value: 1}
- advance: {units: 10}
- advance: {units: 100}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 20}
- move_context: {context: 1, evict: true}
- advance: {units: 400}
- keep_stopped: {on: false}
- idle
# Of a link the other GPU as well, whose contexts have memory of its own.
- physical_adapter: {index: 1}
- create_context: {context: 2}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 16, value: 1}
- idle
- move_context: {context: 2}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 20, value: 1}
- idle
- move_context: {context: 2, evict: true}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 24, value: 1}
- idle
)",
    .control = R"(
about: the memory of a context stays where it is
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
    .fault = {.about = "the place that InitContextResource has named is used for ever",
              .interposer = [] { return std::unique_ptr<Interposer>(new HearsNoNotice); },
              .also_fires = "FENCE-001 SUBMIT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::vpage_011
