// MCDM-005: entry points of older models are NULL where a device only computes.

#include "conformance/rules/life/filled_entries.h"
#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_005 {
namespace {

constexpr entries::Entry kNotFor[] = {
#define NEEDED(name)
#define PROHIBITED(name)
#define OLDER(name) WDDM_TABLE_ENTRY(name),
#include "conformance/rules/mcdm/entry_points/compute_entries.def"
#undef NEEDED
#undef PROHIBITED
#undef OLDER
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  entries::judge_unfilled(trace, kNotFor, "NULL in what belongs to displays and older models",
                          judgement);
}

void supply(DRIVER_INITIALIZATION_DATA& table) {
  using Entry = decltype(table.DxgkDdiStopDeviceAndReleasePostDisplayOwnership);
  table.DxgkDdiStopDeviceAndReleasePostDisplayOwnership =
      reinterpret_cast<Entry>(reinterpret_cast<void*>(&entries::never_called));
}

const Rule kRule{
    .id = "MCDM-005",
    .title = "Functions of older driver models are NULL",
    .level = Level::Should,
    .rule =
        "A driver of a device that only computes leaves the functions of VidPNs, pointers, "
        "palettes, "
        "targets and GDI NULL, which the guidelines list for WDDM 1.x.",
    .sources =
        "mcdm-implementation-guidelines.md # WDDM 1.x functions, Prohibited functions\n"
        "ns-dispmprt-_driver_initialization_data.md # fields",
    .note =
        "The text says that they are of WDDM 1.x only, though some came later; the list goes on "
        "where the "
        "prohibited one stops. As no page forbids them in words, should.",
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
    .fault = {.about = "StopDeviceAndReleasePostDisplayOwnership is supplied",
              .interposer = entries::alters_table<supply>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_005
