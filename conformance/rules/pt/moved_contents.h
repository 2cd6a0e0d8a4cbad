// Allocations whose contents have moved, and what packets behind that show of where their addresses
// lead: by what the allocation holds, or memory that nobody owns, as its old place is then.
#pragma once

#include <d3dkmddi.h>

#include <cstdint>
#include <string>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/va/space_history.h"
#include "conformance/rules/va/used_memory.h"

namespace wddm::pt {

class MovedContents : public SpaceObserver {
 public:
  MovedContents(const Trace& trace, Judgement& judgement) : judgement_(judgement), used_(trace) {}

  void paged(std::uint32_t index, const ev::PagingDone& done) final {
    if (done.operation != DXGK_OPERATION_VIRTUAL_TRANSFER || done.allocation == kNone) return;
    moved_[done.allocation] = index;
    latest_ = done.allocation;
  }
  void shown(const SpaceSign& sign) final {
    if (moved_.empty() || sign.packet.context == kNone) return;
    if (sign.kind == SpaceSign::Kind::Right) {
      for (const auto& [allocation, event] : moved_) {
        if (sign.packet.submitted < event || !used_.of(sign.packet, allocation)) continue;
        if (concerns(sign.packet, allocation)) return judgement_.reached(sign.event);
      }
      return;
    }
    const auto moved = moved_.find(of(sign));
    if (moved == moved_.end() || sign.packet.submitted < moved->second) return;
    if (!concerns(sign.packet, moved->first)) return;
    judgement_.reached(sign.event);
    fail_by(sign, judgement_,
            "commands reach allocation " + std::to_string(moved->first) +
                " where it lies now, by any of its addresses",
            {moved->second, sign.packet.submitted});
    moved_.erase(moved);
  }

 protected:
  ~MovedContents() = default;
  /// Whether the clause is about this packet, as far as it uses this allocation.
  [[nodiscard]] virtual bool concerns(const SpacePacket& packet,
                                      std::uint32_t allocation) const = 0;

 private:
  // The allocation that it speaks of. Whose old place free memory was, and which allocation an
  // address was to lead to, nothing tells: the one that moved last is taken.
  [[nodiscard]] std::uint32_t of(const SpaceSign& sign) const {
    if (sign.kind == SpaceSign::Kind::Faulted) {
      return sign.address == sign.packet.address ? kNone : latest_;
    }
    if (sign.kind != SpaceSign::Kind::Memory) return kNone;
    const bool owned = sign.memory.where == static_cast<std::uint32_t>(MemoryPlace::Allocation);
    return owned ? sign.memory.object : latest_;
  }

  Judgement& judgement_;
  UsedMemory used_;
  ScratchMap<std::uint32_t, std::uint32_t> moved_;  // by allocation: PagingDone
  std::uint32_t latest_ = kNone;
};

/// What is allowed beside clauses about allocations with several addresses.
inline constexpr const char* kOneAddressMoves = R"(
about: an allocation with one address moves
ops:
- create_context: {context: 1}
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
)";

}  // namespace wddm::pt
