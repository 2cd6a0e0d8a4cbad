// PTE-008: DriverProtection is that of the operation, for each mapping of an allocation its own.
//
// How many of its bits an entry keeps is the driver's: the decoder tells as many. Bits that the
// operation's value does not have are another mapping's.

#include <map>

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
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
        "thus "
        "not judged. Values with D3DGPU_UNIQUE_DRIVER_PROTECTION are not played.",
    .applies = page_tables_and_decoder,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::Pages64K},
    .scenario = R"(
about: an allocation at three addresses with a value of their own moves
ops:
- create_allocation: {allocation: 1, pages: 3, place: local}
- make_resident: {allocation: 1}
- map_address: {allocation: 1, at: next, driver_protection: 0x5}
- map_address: {allocation: 1, at: next, driver_protection: 0x2}
- move: {allocation: 1}
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
}  // namespace wddm
