// VPAGE-004: after a FlushTlb no engine uses what it has kept of the space and the range.
//
// Judged is the first packet of a process behind flushes on each engine, which has a TLB of its
// own: by memory, and by the tables that it reads. A packet is behind a flush if one has been
// executed since that was built: with paging companions several engines page, each at its own pace.

#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::vpage_004 {
namespace {

class Flushes final : public SpaceObserver {
 public:
  Flushes(const Platform& platform, Judgement& judgement)
      : judgement_(judgement), root_level_(root_level_of(platform)) {}

  void flushed(std::uint32_t index, const ev::TlbFlushBuilt& flush) override {
    flushed_[{flush.process, flush.physical_adapter}] = index;
    if (std::exchange(at_build_, false)) executed_ = index;
  }
  void paged(std::uint32_t index, const ev::PagingDone& done) override {
    if (done.operation != DXGK_OPERATION_FLUSH_TLB) return;
    // Without a packet it is over before anybody tells that it was built.
    if (done.packet == kNone) at_build_ = true;
    executed_ = index;
  }
  void submitted(const SpacePacket& packet, const SpacePacket&) override {
    const std::uint32_t flush = flush_before(packet);
    if (flush == kNone || executed_ == kNone || executed_ < flush) {
      behind_.erase(packet.packet);
    } else {
      behind_[packet.packet] = flush;
    }
  }
  void ran_through(const SpaceSign&) override {}  // MMU-012
  void shown(const SpaceSign& sign) override {
    const std::uint32_t flush = flush_before(sign.packet);
    const auto behind = behind_.find(sign.packet.packet);
    if (behind == behind_.end() || behind->second != flush) return;
    const std::pair engine{sign.packet.process, sign.packet.engine};
    const auto judged = judged_.find(engine);
    if (judged != judged_.end() && judged->second == flush) return;
    const bool stale_pointer = sign.kind == SpaceSign::Kind::Walk &&
                               sign.walk.level != root_level_ &&
                               sign.walk.why == static_cast<std::uint32_t>(AstrayWalk::FormerTable);
    const bool wrong = stale_pointer || sign.kind == SpaceSign::Kind::Memory;
    if (!wrong && sign.kind != SpaceSign::Kind::Right) return;
    judgement_.reached(sign.event);
    if (wrong) {
      fail_by(sign, judgement_, "what was translated before the flush is looked up again",
              {flush, sign.packet.submitted});
    }
    judged_[engine] = flush;
  }

 private:
  // kNone: the packet's GPU had nothing of its process flushed.
  [[nodiscard]] std::uint32_t flush_before(const SpacePacket& packet) const {
    const auto flushed = flushed_.find({packet.process, packet.engine.physical_adapter});
    return flushed == flushed_.end() ? kNone : flushed->second;
  }

  Judgement& judgement_;
  std::uint32_t root_level_;
  std::uint32_t executed_ = kNone;  // PagingDone of a flush, the latest; TlbFlushBuilt without one
  bool at_build_ = false;           // the next that is told of has been executed
  // TlbFlushBuilt, the latest of each process and GPU of a link.
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> flushed_;
  // TlbFlushBuilt: that a packet is behind; that something was judged by, by process and engine.
  ScratchMap<std::uint32_t, std::uint32_t> behind_;
  ScratchMap<std::pair<std::uint32_t, EngineId>, std::uint32_t> judged_;
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Flushes flushes(platform, judgement);
  observe_spaces(trace, flushes);
}

// A driver that has nothing to do for a flush.
class NoFlush final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_FLUSH_TLB) return STATUS_SUCCESS;
    return Interposer::BuildPagingBuffer(adapter, build);
  }
};

const Rule kRule{
    .id = "VPAGE-004",
    .title = "FlushTlb removes stale translations of the named space and range",
    .evidence = Evidence::Memory,
    .rule =
        "Once a FlushTlb has been executed, no engine of the GPU that it is for uses an entry of "
        "any level that it read before for an address of the named space from StartVirtualAddress "
        "up to EndVirtualAddress; where both are 0, for any address of the space. More may be "
        "flushed.",
    .sources =
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_flushtlb.md\n"
        "ne-d3dkmddi-_dxgk_buildpagingbuffer_operation.md # DXGK_OPERATION_FLUSH_TLB",
    .note =
        "Whether EndVirtualAddress belongs to the range is not said; ranges end on pages that "
        "either reading covers. The other engine has a TLB that paging does not use up, "
        "and what one of them shows says nothing of the other. A packet "
        "that was to fault and ran through may have met an entry that permits too much, so it says "
        "nothing of flushes: MMU-012.",
    .unreached = kNoSpaceSeen,
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates,
                  Configured::Linked},
    .scenario = R"(
about: below warm translations pages and tables move, and addresses change hands
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- fill: {slot: 2, offset: 0, size: 4096, value: 0x22222222}
- idle
- move: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 2048}
- fill: {slot: 1, offset: 2048, size: 1024, value: 0x33333333}
- idle
- move_table: {allocation: 1, level: 0}
- move: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 2048, source_offset: 2048, size: 2048}
- idle
- create_context: {context: 2, node: 1}
- create_allocation: {allocation: 3, pages: 40, place: local}
- make_resident: {allocation: 3}
- render: {context: 2}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1, offset: 0, size: 163840, value: 0x44444444}
- idle
- move: {allocation: 3}
- render: {context: 2}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1, offset: 159744, size: 4096, value: 0x55555555}
- idle
# What may be done at an address changes, its page does not.
- map_address: {allocation: 1, at: same, protection: read_only}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 4096}
- idle
- map_address: {allocation: 1, at: same}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x66666666}
- idle
# Addresses that are free again, for others.
- destroy_allocation: {allocation: 2}
- create_allocation: {allocation: 4, place: local}
- make_resident: {allocation: 4}
- render: {context: 1}
- bind: {slot: 1, allocation: 4}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x77777777}
- idle
# Ranges of many gigabytes, where a process has so many: a table above the leaf moves, and what is
# alone below an entry of the root goes.
- map_address: {allocation: 1, at: bit, bit: 33}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x9a9a9a9a}
- idle
- move_table: {allocation: 1, level: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 1024, value: 0x9b9b9b9b}
- idle
- map_address: {allocation: 1, at: bit, bit: 40}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x9c9c9c9c}
- idle
- move: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 2048, value: 0x9d9d9d9d}
- idle
# The tables go, and come back with the root where it was or elsewhere.
- evict_tables: {device: 0}
- move: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 4}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 4096}
- fill: {slot: 1, offset: 0, size: 2048, value: 0x88888888}
- idle
# An address of more than 32 bits, where the space has such.
- create_allocation: {allocation: 6, pages: 2, place: local}
- map_address: {allocation: 6, at: bit, bit: 33}
- make_resident: {allocation: 6}
- render: {context: 2}
- bind: {slot: 1, allocation: 6}
- fill: {slot: 1, offset: 0, size: 8192, value: 0xbbbbbbbb}
- idle
- move: {allocation: 6}
- render: {context: 2}
- bind: {slot: 1, allocation: 6}
- fill: {slot: 1, offset: 4096, size: 2048, value: 0xcccccccc}
- idle
# The last page that there is: what is flushed ends where the space does.
- create_allocation: {allocation: 7, place: local}
- make_resident: {allocation: 7}
- map_address: {allocation: 7, at: top}
- render: {context: 1}
- bind: {slot: 1, allocation: 7}
- fill: {slot: 1, offset: 0, size: 4096, value: 0xdddddddd}
- render: {context: 2}
- bind: {slot: 1, allocation: 7}
- add: {slot: 1, offset: 0, value: 1}
- idle
- move: {allocation: 7}
- render: {context: 2}
- bind: {slot: 1, allocation: 7}
- fill: {slot: 1, offset: 1024, size: 1024, value: 0xeeeeeeee}
- render: {context: 1}
- bind: {slot: 1, allocation: 7}
- fill: {slot: 1, offset: 2048, size: 1024, value: 0xefefefef}
- idle
# Of a link the other GPU as well, which has TLBs of its own.
- physical_adapter: {index: 1}
- create_context: {context: 3, node: 1}
- create_allocation: {allocation: 5, place: local}
- make_resident: {allocation: 5}
- render: {context: 3}
- bind: {slot: 1, allocation: 5}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x99999999}
- idle
- move: {allocation: 5}
- render: {context: 3}
- bind: {slot: 1, allocation: 5}
- fill: {slot: 1, offset: 0, size: 2048, value: 0xaaaaaaaa}
- idle
)",
    .control = R"(
about: nothing that was translated changes
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
    .fault = {.about = "nothing is written for a flush",
              .interposer = [] { return std::unique_ptr<Interposer>(new NoFlush); },
              .also_fires = "FENCE-001 PAGE-004 SUBMIT-017 VPAGE-001 VPAGE-002 VPAGE-005"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::vpage_004
