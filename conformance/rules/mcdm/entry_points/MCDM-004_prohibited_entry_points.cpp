// MCDM-004: entry points of displays are NULL where a device only computes.

#include "conformance/rules/life/filled_entries.h"
#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_004 {
namespace {

constexpr entries::Entry kNotFor[] = {
#define NEEDED(name)
#define PROHIBITED(name) WDDM_TABLE_ENTRY(name),
#define OLDER(name)
#include "conformance/rules/mcdm/entry_points/compute_entries.def"
#undef NEEDED
#undef PROHIBITED
#undef OLDER
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  entries::judge_unfilled(trace, kNotFor, "NULL in what a device that only computes must not have",
                          judgement);
}

void supply(DRIVER_INITIALIZATION_DATA& table) {
  using Entry = decltype(table.DxgkDdiNotifyAcpiEvent);
  table.DxgkDdiNotifyAcpiEvent =
      reinterpret_cast<Entry>(reinterpret_cast<void*>(&entries::never_called));
}

const Rule kRule{
    .id = "MCDM-004",
    .title = "Prohibited functions are NULL",
    .rule =
        "A driver of a device that only computes leaves the functions of display, overlay, "
        "vertical "
        "synchronization, protected sessions, swizzling and ACPI NULL, and QueryCurrentFence.",
    .sources =
        "mcdm-implementation-guidelines.md # Prohibited functions\n"
        "ns-dispmprt-_driver_initialization_data.md # fields",
    .note =
        "The guidelines say that they must not be provided; that Microsoft's own sample supplies "
        "NotifyAcpiEvent changes nothing. Functions of displays that are younger than the "
        "guidelines are on no list.",
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
    .fault = {.about = "NotifyAcpiEvent is supplied", .interposer = entries::alters_table<supply>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_004
