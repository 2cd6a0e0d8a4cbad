// VA-012: UpdateGpuVirtualAddress stays in one reserved range, or does nothing at all.

#include <algorithm>

#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/va/requested_ranges.h"
#include "reference/trace/op.h"

namespace wddm::va_012 {
namespace {

bool is_update(const ev::AddressAnswered& one) {
  return va::is(one, AddressRequest::Update) && one.process < kPrivilegedSpaceNumber;
}

// Null, or which of its addresses no single reservation has; sources may be of another one.
const char* beyond(const ev::AddressAnswered& one, const va::ObtainedRanges& ranges,
                   std::uint32_t* because) {
  const auto reserved = [&](std::uint64_t first) {
    const auto [where, range] = ranges.find(one.process, first, one.size);
    *because = range.event;
    return where == va::ObtainedRanges::Where::Inside && range.reserved;
  };
  if (!reserved(one.base)) return "refused: its addresses are not those of one reservation";
  const bool copies = static_cast<AddressUpdate>(one.protection) == AddressUpdate::Copy;
  if (copies && !reserved(one.offset)) return "refused: its source is not of one reservation";
  return nullptr;
}

// The last request that was refused, until its op goes on. What is written for it the thread that
// answered it writes; others carry out what was asked for before.
class Refusal {
 public:
  void begin(std::uint32_t index, std::uint16_t thread, const ev::AddressAnswered& one) {
    event_ = index;
    thread_ = thread;
    asked_ = one;
  }
  void end() { event_ = kNone; }
  void judge(std::uint32_t index, std::uint16_t thread, const ev::TableUpdated& update,
             Judgement& judgement) {
    if (event_ == kNone || thread != thread_ || update.process != asked_.process) return;
    if (update.level != 0) return;
    const std::uint64_t page = (update.flags & pt::kUse64KBPages) != 0 ? 65536 : 4096;
    const std::uint64_t end = update.first_va + update.count * page;
    if (end <= asked_.base || asked_.base + asked_.size <= update.first_va) return;
    judgement.fail(index, "no entries for an update that was refused", pt::text_of(update),
                   {event_});
    event_ = kNone;
  }

 private:
  std::uint32_t event_ = kNone;
  std::uint16_t thread_ = 0;
  ev::AddressAnswered asked_{};
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const bool asked = std::ranges::any_of(trace.of<ev::AddressAnswered>(), [&](std::uint32_t index) {
    return is_update(trace.at<ev::AddressAnswered>(index));
  });
  if (!asked) return;  // following all ranges is for nothing
  va::ObtainedRanges ranges;
  Refusal refusal;
  for (const std::uint32_t index : trace.of_any<ev::AddressAnswered, ev::TableUpdated,
                                                ev::DdiEntered, ev::OpStarted, ev::OpSkipped>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DdiEntered) {
      ranges.follow(trace, index);
      continue;
    }
    if (event.kind == EventKind::TableUpdated) {
      refusal.judge(index, event.thread, trace.at<ev::TableUpdated>(index), judgement);
      continue;
    }
    refusal.end();
    if (event.kind != EventKind::AddressAnswered) continue;
    const auto one = trace.at<ev::AddressAnswered>(index);
    if (!is_update(one)) {
      ranges.follow(index, one);
      continue;
    }
    std::uint32_t because = kNone;
    const char* const wanted = beyond(one, ranges, &because);
    if (wanted != nullptr) judgement.reached(index);
    if (one.refused != 0) {
      refusal.begin(index, event.thread, one);
    } else if (wanted != nullptr) {
      judgement.fail(
          index, wanted,
          "granted: " + std::to_string(one.size) + " bytes at " + std::to_string(one.base),
          {because});
    }
  }
}

const Rule kRule{
    .id = "VA-012",
    .title = "UpdateGpuVirtualAddress stays in one reservation",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "All that an operation of UpdateGpuVirtualAddress maps, unmaps or copies to lies in one "
        "range that one call of ReserveGpuVirtualAddress has given, and so does all that it copies "
        "from, maybe in another. Else the call fails, and no entry is written for it.",
    .sources =
        "nc-d3dumddi-pfnd3dddi_updategpuvirtualaddresscb.md # remarks\n"
        "ns-d3dukmdt-_d3dddi_updategpuvirtualaddress_operation.md # Map.BaseAddress",
    .note =
        "Two reservations beside each other are two. The host gives each operation a call of its "
        "own, so that what several of one call have in common is not judged. The documents do not "
        "say that a failed call does nothing; nobody would signal what a part of it did.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: updates over the end of a reservation, behind it and from what is none, by all paging and by a companion
ops:
- create_allocation: {allocation: 1, pages: 8, place: local}
- make_resident: {allocation: 1}
- reserve_address: {device: 0, base: 0x2010000, size: 0x10000}
- reserve_address: {device: 0, base: 0x2000000, size: 0x10000}
- update_address: {allocation: 1, kind: map, to: 0, from: 0, pages: 4}
- update_address: {allocation: 1, kind: map, to: 14, from: 0, pages: 4}
- update_address: {allocation: 1, kind: copy, to: 16, from: 0, pages: 4}
- update_address: {allocation: 1, kind: copy, to: 4, from: 14, pages: 4}
- update_address: {allocation: 1, kind: copy, to: 4, from: 40, pages: 2}
- update_address: {allocation: 1, kind: unmap, to: 30, pages: 4}
- update_address: {allocation: 1, kind: map, to: 40, from: 0, pages: 2}
- idle
- create_context: {context: 1}
- tile_updates: {context: 1, fence: 1}
- update_address: {allocation: 1, kind: map, to: 14, from: 0, pages: 4}
- update_address: {allocation: 1, kind: unmap, to: 30, pages: 4}
- update_address: {allocation: 1, kind: map, to: 8, from: 4, pages: 4}
- idle
)",
    .control = R"(
about: up to the end of a reservation, and a copy from another
ops:
- create_allocation: {allocation: 1, pages: 4, place: local}
- make_resident: {allocation: 1}
- reserve_address: {device: 0, base: 0x2010000, size: 0x10000}
- reserve_address: {device: 0, base: 0x2000000, size: 0x10000}
- update_address: {allocation: 1, kind: map, to: 12, from: 0, pages: 4}
- update_address: {allocation: 1, kind: copy, to: 28, from: 12, pages: 4}
- idle
)",
    .fault = {.about = "what an Unmap names beyond its reservation is left out",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::UpdateAsFarAsReserved}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::va_012
