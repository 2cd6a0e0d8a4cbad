// ROOT-011: an index behind NumEntries of the root faults, whatever lies there.
//
// Judged by the device's own log: no entry is read there. That the access faults is MMU-012, and
// that indices below the limit are looked up ROOT-005.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::root_011 {
namespace {

class Limits final : public SpaceObserver {
 public:
  Limits(const Trace& trace, const Platform& platform, Judgement& judgement)
      : judgement_(judgement),
        root_level_(root_level_of(platform)),
        entry_bytes_(root_entry_bytes(trace)) {}

  void root_set(std::uint32_t index, const ev::RootSet& set) override {
    roots_[set.context] = {set.entries, index};
  }
  void submitted(const SpacePacket& packet, const SpacePacket&) override {
    const auto root = roots_.find(packet.context);
    if (root != roots_.end()) limits_[packet.packet] = root->second;
  }
  void shown(const SpaceSign& sign) override {
    const auto limit = limits_.find(sign.packet.packet);
    if (limit == limits_.end() || entry_bytes_ == 0) return;
    const Root& root = limit->second;
    if (sign.kind == SpaceSign::Kind::Walk && sign.walk.level == root_level_ &&
        sign.walk.address / entry_bytes_ >= root.entries) {
      judgement_.fail(
          sign.event,
          "no entry of the root is read from index " + std::to_string(root.entries) + " on",
          sign.seen() +
              "; no entry of the driver leads there: NumEntries did not come to the device, "
              "or the device, or its model, does not heed it",
          {root.event, sign.packet.submitted});
    }
  }
  // The access of a packet that the device logs as a fault.
  void faulted(std::uint32_t index, const ev::AccessFaulted& fault) {
    const auto limit = limits_.find(fault.packet);
    if (limit == limits_.end() || entry_bytes_ == 0) return;
    if (fault.address / entry_bytes_ >= limit->second.entries) judgement_.reached(index);
  }

 private:
  struct Root {
    std::uint32_t entries = 0;
    std::uint32_t event = kNone;
  };

  Judgement& judgement_;
  std::uint32_t root_level_;
  std::uint64_t entry_bytes_;
  ScratchMap<std::uint32_t, Root> roots_;   // by context
  ScratchMap<std::uint32_t, Root> limits_;  // by packet
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Limits limits(trace, platform, judgement);
  observe_spaces(trace, limits);
  for (const std::uint32_t index : trace.of<ev::AccessFaulted>()) {
    limits.faulted(index, trace.at<ev::AccessFaulted>(index));
  }
}

NotApplicable limited_roots(const Platform& platform) {
  if (const NotApplicable reason = virtual_rendering(platform)) return reason;
  if (const NotApplicable reason = resizable_root(platform)) return reason;
  return platform.has_device_log ? nullptr : "no device log";
}

// A driver whose hardware is told of no limit.
class KnowsNoLimit final : public Interposer {
 public:
  VOID SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* set) override {
    DXGKARG_SETROOTPAGETABLE unlimited = *set;
    unlimited.NumEntries = 1u << 20;
    Interposer::SetRootPageTable(adapter, &unlimited);
  }
};

const Rule kRule{
    .id = "ROOT-011",
    .title = "NumEntries limits the root",
    .evidence = Evidence::DeviceLog,
    .rule =
        "An access whose index in the root is not below NumEntries of the last "
        "DxgkDdiSetRootPageTable is an invalid access: it faults, and what lies in memory behind "
        "the root is not read. Indices below are looked up. The last NumEntries counts wherever "
        "the root lies: at the Address that it had before too.",
    .sources = "ns-d3dkmddi-_dxgkarg_setrootpagetable.md # NumEntries",
    .note =
        "Roots that hold all entries there can be from the start on, as roots of more than two "
        "levels do, have no index behind them.",
    .unreached =
        "no address lies behind the entries of a root: the first of each process has entries for "
        "all, as one of a single page in system memory may",
    .applies = limited_roots,
    .check = check,
    .played_in = {Configured::GpuVirtualUpdates},
    .scenario = R"(
about: the last entry of a root is used, and one behind the end of a small root, and of one made smaller where it lies
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local, device: 1}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- map_address: {allocation: 1, at: top}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- map_address: {allocation: 2, at: top, protection: no_access}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
- create_allocation: {allocation: 3, place: local}
- make_resident: {allocation: 3}
- map_address: {allocation: 3, at: top, protection: no_access}
- evict_tables: {device: 0}
- free_address: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x33333333}
- idle
)",
    .control = R"(
about: an address that nobody may access is not used
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- map_address: {allocation: 2, at: top, protection: no_access}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
    .fault = {.about = "the root has no limit",
              .interposer = [] { return std::unique_ptr<Interposer>(new KnowsNoLimit); },
              .also_fires = "ROOT-005"},
    .device_fault = {.about = "the root has no end",
                     .seat = FaultSeat::Device,
                     .variant = 5,
                     .also_fires = "ROOT-005"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::root_011
