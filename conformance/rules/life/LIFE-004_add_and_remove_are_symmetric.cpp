// LIFE-004: AddDevice and RemoveDevice are symmetric.

#include <bitset>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/fails_on_purpose.h"
#include "conformance/rules/out_of_memory.h"
#include "conformance/rules/rule.h"
#include "reference/trace/ddi.h"

namespace wddm::life_004 {
namespace {

constexpr std::uint32_t kAfterRemove = 2;

// What a resource has left in the driver is told there, and by clauses of its own: ALLOC-010,
// DESTROY-006.
bool leaves_blocks(const Trace& trace, std::uint32_t index) {
  const EventKind kind = trace.events()[index].kind;
  if (kind == EventKind::AllocationGroup) {
    return trace.at<ev::AllocationGroup>(index).left_blocks > 0;
  }
  return kind == EventKind::HostileDataTried &&
         trace.at<ev::HostileDataTried>(index).left_blocks > 0;
}

// What AddDevice has taken once it takes again, when RemoveDevice has returned. Of hardware that
// came to no end nobody knows what it says of itself.
void check_additions(const Trace& trace, Judgement& judgement) {
  std::uint32_t added = kNone;  // DdiReturned of the latest that succeeded, in this load
  bool removed = false, excused = false;
  for (const std::uint32_t index :
       trace.of_any<ev::OpStarted, ev::EntryReturned, ev::DdiReturned, ev::Stuck>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      excused = excused || fails_on_purpose(Trace::as<ev::OpStarted>(event).kind);
    } else if (event.kind == EventKind::Stuck) {
      excused = true;
    } else if (event.kind == EventKind::EntryReturned) {
      added = kNone;
      removed = false;
    } else {
      const auto returned = Trace::as<ev::DdiReturned>(event);
      const auto ddi = static_cast<DdiId>(returned.ddi);
      if (ddi == DdiId::RemoveDevice) removed = added != kNone;
      if (ddi != DdiId::AddDevice) continue;
      const bool succeeds = NT_SUCCESS(static_cast<NTSTATUS>(returned.status));
      if (removed && (succeeds || !(excused || is_out_of_memory(returned.status)))) {
        judgement.reached(index);
        if (!succeeds) {
          judgement.fail(index, "AddDevice succeeds, as it did before RemoveDevice",
                         "it returned " + status_name(returned.status), {added});
        }
      }
      if (!succeeds) continue;
      added = index;
      removed = false;  // what comes behind it is another GPU of a link
    }
  }
}

// Of one load of the driver: what it keeps beyond RemoveDevice (a table made on first use, say,
// that Unload frees) does not grow with a life in which nothing was called for the first time.
void check_pool(const Trace& trace, Judgement& judgement) {
  std::uint32_t first = kNone;
  std::bitset<kDdis> called;
  bool is_news = false;  // since the last RemoveDevice
  for (const std::uint32_t index : trace.of_any<ev::EntryReturned, ev::DdiEntered, ev::PoolBalance,
                                                ev::AllocationGroup, ev::HostileDataTried>()) {
    const Event& event = trace.events()[index];
    is_news |= leaves_blocks(trace, index);
    if (event.kind == EventKind::EntryReturned) {
      first = kNone;
      called.reset();
      continue;
    }
    if (event.kind == EventKind::DdiEntered) {
      const std::uint32_t ddi = Trace::as<ev::DdiEntered>(event).ddi;
      if (ddi >= kDdis || called[ddi]) continue;
      called[ddi] = is_news = true;
      continue;
    }
    if (event.kind != EventKind::PoolBalance) continue;
    const auto balance = trace.at<ev::PoolBalance>(index);
    if (balance.at != kAfterRemove) continue;
    if (std::exchange(is_news, false) || first == kNone) {
      first = index;
      continue;
    }
    judgement.reached(index);
    const auto before = trace.at<ev::PoolBalance>(first);
    if (balance.blocks <= before.blocks && balance.bytes <= before.bytes) continue;
    judgement.fail(
        index,
        "as much pool after RemoveDevice as after an earlier one: " + std::to_string(before.bytes) +
            " bytes",
        std::to_string(balance.bytes) + " bytes in " + std::to_string(balance.blocks) + " blocks",
        {first});
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  check_pool(trace, judgement);
  check_additions(trace, judgement);
}

const Rule kRule{.id = "LIFE-004",
                 .title = "AddDevice and RemoveDevice are symmetric",
                 .rule =
                     "RemoveDevice frees the adapter context block and everything else that "
                     "AddDevice allocated, and a later AddDevice works as the first one did.",
                 .sources =
                     "nc-dispmprt-dxgkddi_add_device.md # Remarks\n"
                     "nc-dispmprt-dxgkddi_remove_device.md # Remarks\n"
                     "nc-dispmprt-dxgkddi_unload.md",
                 .note =
                     "The documents speak of what AddDevice allocated. A table of the whole "
                     "driver may be made on first use and stay until DriverUnload (NT-PoolLeak "
                     "judges that), so the balance after a life in which functions were called "
                     "for the first time, or a resource left something, is what later ones are "
                     "compared with. Where the scenario makes calls fail, or hardware has come to "
                     "no end, a later AddDevice may fail.",
                 .applies = always,
                 .check = check,
                 .played_in = kBothAddressings,
                 .scenario = R"(
about: twenty cycles of AddDevice, StartDevice, StopDevice, RemoveDevice
ops:
- cycle: {count: 20, depth: add}
)",
                 .control = R"(
about: one life
ops:
- start
)",
                 .fault = {.about = "RemoveDevice leaks the array of nodes",
                           .seat = FaultSeat::Variant,
                           .variant = 10,
                           .also_fires = "NT-PoolLeak"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::life_004
