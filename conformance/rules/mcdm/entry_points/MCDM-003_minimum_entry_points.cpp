// MCDM-003: the minimum of entry points of a device that only computes.

#include "conformance/rules/life/filled_entries.h"
#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_003 {
namespace {

constexpr entries::Entry kNeeded[] = {
#define NEEDED(name) WDDM_TABLE_ENTRY(name),
#define PROHIBITED(name)
#define OLDER(name)
#include "conformance/rules/mcdm/entry_points/compute_entries.def"
#undef NEEDED
#undef PROHIBITED
#undef OLDER
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::EntriesFilled>()) {
    const entries::Filled filled(trace, index);
    judgement.reached(index);
    std::string missing;
    for (const entries::Entry& entry : kNeeded) {
      if (!filled.has(entry)) entries::append(missing, entry);
    }
    if (missing.empty()) continue;
    judgement.fail(index, "every entry point that a device which only computes must have",
                   "NULL: " + missing);
  }
}

void forget(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiSetStablePowerState = nullptr;
}

const Rule kRule{
    .id = "MCDM-003",
    .title = "The minimum function table is complete",
    .rule =
        "A driver of a device that only computes supplies the 36 functions of the guidelines' "
        "minimum: life, interrupts, objects, paging, preemption, resets, clocks, children, stable "
        "power and virtual machines.",
    .sources =
        "mcdm-implementation-guidelines.md # Minimum required support\n"
        "ns-dispmprt-_driver_initialization_data.md # fields",
    .note =
        "QueryConnectionChange is in this list and among the prohibited, and so in neither here. "
        "Of "
        "the link to SetPowerPState, which is reserved, SetPowerState is meant.",
    .applies = compute::only,
    .check = check,
    .played_in = compute::kPlayedIn,
    .scenario = R"(
about: the adapter starts
ops:
- start
)",
    .control = R"(
about: asked again
ops:
- requery
)",
    .fault = {.about = "SetStablePowerState is NULL", .interposer = entries::alters_table<forget>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_003
