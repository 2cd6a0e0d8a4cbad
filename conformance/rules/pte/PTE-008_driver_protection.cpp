// PTE-008: DriverProtection is that of the operation, for each mapping of an allocation its own.
//
// How many of its bits an entry keeps is the driver's: the decoder tells as many. Bits that the
// operation's value does not have are another mapping's. What is missing is judged where the entry
// has had it, by an update of the same words: the host tells no such difference otherwise.

#include <map>

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pte_008 {
namespace {

// Nothing else of the entry is wrong.
bool only_lost_bits(const EntryDifference& differs) {
  EntryRecord kept = differs.seen;
  kept.driver_protection |= differs.expected.driver_protection;
  return pt::leads_somewhere(differs.expected) && kept == differs.expected;
}

const PlatformSegment* segment_of(const Platform& platform, const EntryRecord& entry) {
  if (pt::is_system(entry)) return nullptr;
  for (const PlatformSegment& segment : platform.segments) {
    const bool inside = entry.address - segment.base < segment.size;
    if (!segment.flags.aperture() && inside) return &segment;
  }
  return nullptr;
}

// The update before that asked for the same at that address, since the allocation was made; kNone:
// there is none. What a driver makes of a value may depend on which memory it is.
std::uint32_t asked_before(const Trace& trace, const Platform& platform, const pt::CarriedOut& one,
                           const EntryDifference& differs) {
  const EntryRecord& wanted = differs.expected;
  const std::uint64_t va =
      one.update.first_va + (differs.index - one.update.first) * one.page_bytes();
  std::uint32_t found = kNone;
  for (const std::uint32_t index : trace.of_any<ev::AllocationCreated, ev::TableUpdated>()) {
    if (index >= one.built) break;
    if (trace.events()[index].kind == EventKind::AllocationCreated) {
      const auto created = trace.at<ev::AllocationCreated>(index);
      if (created.allocation == one.update.allocation) found = kNone;
      continue;
    }
    const auto update = trace.at<ev::TableUpdated>(index);
    const auto entries = trace.blob<EntryRecord>(trace.events()[index]);
    const std::uint64_t place = (va - update.first_va) / one.page_bytes();
    const bool of_it = update.process == one.update.process && update.level == 0 &&
                       update.physical_adapter == one.update.physical_adapter &&
                       update.allocation == one.update.allocation && va >= update.first_va &&
                       place < update.count && !entries.empty();
    const bool as_large = ((update.flags ^ one.update.flags) & pt::kUse64KBPages) == 0;
    if (!of_it || !as_large || (entries.size() != 1 && place >= entries.size())) continue;
    const EntryRecord& entry = entries[entries.size() == 1 ? 0 : place];
    const bool same = entry.flags == wanted.flags && entry.adapter == wanted.adapter &&
                      entry.driver_protection == wanted.driver_protection &&
                      segment_of(platform, entry) == segment_of(platform, wanted);
    if (same) found = index;
  }
  return found;
}

void judge_lost_bits(const Trace& trace, const Platform& platform, Judgement& judgement) {
  pt::for_each_carried_out(trace, [&](const pt::CarriedOut& one) {
    if (one.update.level != 0 || one.update.allocation == kNone || one.badly_repeated()) return;
    for (const EntryDifference& differs : trace.blob<EntryDifference>(trace.events()[one.event])) {
      const std::uint64_t lost =
          differs.expected.driver_protection & ~differs.seen.driver_protection;
      if (differs.second != 0 || lost == 0 || !only_lost_bits(differs)) continue;
      const std::uint32_t before = asked_before(trace, platform, one, differs);
      if (before == kNone) continue;
      judgement.fail(one.event,
                     "entry " + std::to_string(differs.index) + ": " +
                         pt::text_of(differs.expected) + ", as far as it had it before",
                     pt::text_of(differs.seen) + ", after an update of " + pt::text_of(one.update),
                     {before, one.built});
      return;
    }
  });
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  bool used = false;  // some mapping has a value
  pt::judge_entries(
      trace, judgement,
      [&](const pt::CarriedOut& one) {
        if (one.update.level != 0) return false;
        used |= pt::writes(trace, one, [](const EntryRecord& entry) {
          return pt::leads_somewhere(entry) && entry.driver_protection != 0;
        });
        return used && pt::writes(trace, one, pt::leads_somewhere);
      },
      [](const pt::CarriedOut&, const EntryDifference& differs) {
        return pt::leads_somewhere(differs.expected) &&
               (differs.seen.driver_protection & ~differs.expected.driver_protection) != 0;
      });
  judge_lost_bits(trace, platform, judgement);
}

// A driver that knows one value for each allocation, the newest.
class OneForEachAllocation final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    if (update.PageTableLevel != 0 || update.hAllocation == nullptr) return true;
    UINT64& kept = kept_[update.hAllocation];
    if (update.DriverProtection != 0) kept |= update.DriverProtection;
    update.DriverProtection = kept;
    return true;
  }
  std::map<HANDLE, UINT64> kept_;
};

const Rule kRule{
    .id = "PTE-008",
    .title = "DriverProtection reaches level 0 entries and only those",
    .evidence = Evidence::Memory,
    .rule =
        "DriverProtection of an update is for each entry of level 0 that this operation writes. "
        "Other addresses of the same allocation may have another value, and keep it when the "
        "allocation moves: nothing is remembered for the allocation.",
    .sources =
        "driver-protection.md\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable.md # DriverProtection",
    .note =
        "Entries may keep fewer bits than 64; which, their decoder shows. That a bit is lost is "
        "judged where an entry has had it, for the same allocation in the same kind of memory: "
        "one that it had room for. Values with D3DGPU_UNIQUE_DRIVER_PROTECTION are not played.",
    .applies = page_tables_and_decoder,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::Pages64K},
    .scenario = R"(
about: an allocation at three addresses with a value of their own moves, beside one that stays
ops:
- create_allocation: {allocation: 2, place: local}
- create_allocation: {allocation: 1, pages: 3, place: local}
- make_resident: {allocation: 2}
- make_resident: {allocation: 1}
- map_address: {allocation: 1, at: next, driver_protection: 0x5}
- map_address: {allocation: 1, at: next, driver_protection: 0x2}
- move: {allocation: 1}
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- idle
)",
    .control = R"(
about: two addresses without a value
ops:
- create_allocation: {allocation: 1, pages: 3, place: local}
- make_resident: {allocation: 1}
- map_address: {allocation: 1, at: next}
- move: {allocation: 1}
- idle
)",
    .fault = {.about = "all addresses of an allocation get what any of them was given",
              .interposer = [] { return std::unique_ptr<Interposer>(new OneForEachAllocation); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pte_008
