// LIFE-004: AddDevice and RemoveDevice are symmetric.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm {
namespace {

constexpr std::uint32_t kBeforeAdd = 1, kAfterRemove = 2;

// What is held after RemoveDevice is what was held before AddDevice.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  std::uint32_t before = kNone;
  for (const std::uint32_t index : trace.of<ev::PoolBalance>()) {
    const auto balance = trace.at<ev::PoolBalance>(index);
    if (balance.at == kBeforeAdd) before = index;
    if (balance.at != kAfterRemove || before == kNone) continue;
    judgement.reached(index);
    const auto start = trace.at<ev::PoolBalance>(before);
    if (balance.blocks <= start.blocks && balance.bytes <= start.bytes) continue;
    judgement.fail(
        index,
        "as much pool after RemoveDevice as before AddDevice: " + std::to_string(start.bytes) +
            " bytes",
        std::to_string(balance.bytes) + " bytes in " + std::to_string(balance.blocks) + " blocks",
        {before});
  }
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
                     "The balance is taken around each cycle. What DriverEntry allocated is in "
                     "it before and after, and DriverUnload frees that and nothing else: what a "
                     "driver allocates later and keeps beyond RemoveDevice counts in the first "
                     "cycle already.",
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
}  // namespace wddm
