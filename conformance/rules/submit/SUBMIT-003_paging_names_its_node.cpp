// SUBMIT-003: paging submissions carry no context and name their node.

#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/sdk/device.h"

namespace wddm::submit_003 {
namespace {

// Fences are per engine: two engines may have the same one.
struct Engine {
  ScratchMap<std::uint32_t, std::uint32_t> given;  // latest Submitted, by fence
  ScratchSet<std::uint32_t> awaited;               // Submitted of paging that is not reported yet

  void take(std::uint32_t index, const ev::Submitted& packet) {
    const auto [before, is_new] = given.emplace(packet.fence, index);
    if (!is_new) awaited.erase(std::exchange(before->second, index));
    if (packet.paging != 0) awaited.insert(index);
  }
  [[nodiscard]] std::uint32_t awaited_with(std::uint32_t fence) const {
    const auto found = given.find(fence);
    return found != given.end() && awaited.contains(found->second) ? found->second : kNone;
  }
};

std::string text_of(EngineId engine) {
  const std::string node = "node " + std::to_string(engine.node.value);
  if (engine.physical_adapter == 0) return node;
  return node + " of EngineOrdinal " + std::to_string(engine.physical_adapter);
}

class Check {
 public:
  Check(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  void visit(std::uint32_t index) {
    const Event& event = trace_.events()[index];
    if (event.kind == EventKind::Submitted) {
      const auto submitted = trace_.at<ev::Submitted>(index);
      engines_[engine_of(submitted)].take(index, submitted);
    } else if (event.kind == EventKind::Notified) {
      report(index, Trace::as<ev::Notified>(event));
    } else if (event.kind == EventKind::DeviceLogged) {
      log(index, Trace::as<ev::DeviceLogged>(event));
    } else if (event.kind == EventKind::Stuck || event.kind == EventKind::AdapterReset) {
      for (auto& [id, engine] : engines_) engine.awaited.clear();
    }
  }

 private:
  // Seen at the boundary: the completion comes from the node that the submission named.
  void report(std::uint32_t index, const ev::Notified& report) {
    const auto known = engines_.find(engine_of(report));
    if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED && known != engines_.end()) {
      known->second.awaited.clear();
    }
    if (report.type != DXGK_INTERRUPT_DMA_COMPLETED) return;
    if (known == engines_.end() || !known->second.given.contains(report.fence)) {
      blame(index, engine_of(report), report.fence, "its completion came from ",
            [](const ev::Submitted&) { return true; });
      return;
    }
    Engine& engine = known->second;
    const auto own = engine.given.find(report.fence);
    const auto covered = engine.awaited.upper_bound(own->second);
    if (covered != engine.awaited.begin()) judgement_.reached(index);
    engine.awaited.erase(engine.awaited.begin(), covered);
  }

  // Seen by the device, whatever is reported.
  void log(std::uint32_t index, const ev::DeviceLogged& record) {
    if (record.kind != WDDM_DEVICE_PACKET_BEGIN && record.kind != WDDM_DEVICE_FETCH) return;
    const auto is_in = [&](const ev::Submitted& packet) {
      return record.address >= packet.address + packet.start &&
             record.address < packet.address + packet.end;
    };
    // GPU virtual addresses of two processes may be the same: it fetches its own packet then.
    const auto known = engines_.find(engine_of(record));
    if (known != engines_.end()) {
      const auto own = known->second.given.find(record.tag);
      if (own != known->second.given.end() && is_in(trace_.at<ev::Submitted>(own->second))) return;
    }
    blame(index, engine_of(record), record.tag, "its commands were fetched by ", is_in);
  }

  template <class IsIt>
  void blame(std::uint32_t index, EngineId seen_on, std::uint32_t fence, const char* what,
             IsIt&& is_it) {
    for (auto& [id, engine] : engines_) {
      const std::uint32_t submission = engine.awaited_with(fence);
      if (id == seen_on || submission == kNone) continue;
      if (!is_it(trace_.at<ev::Submitted>(submission))) continue;
      judgement_.fail(
          index,
          "the paging packet runs and completes on NodeOrdinal " + std::to_string(id.node.value),
          what + text_of(seen_on), {submission});
      engine.awaited.erase(submission);
      return;
    }
  }

  const Trace& trace_;
  Judgement& judgement_;
  ScratchMap<EngineId, Engine> engines_;  // that packets were submitted to
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Check check(trace, judgement);
  in_order_of_calls<ev::Notified, ev::DeviceLogged, ev::Stuck, ev::AdapterReset>(
      trace, [&](std::uint32_t index) { check.visit(index); });
}

// A driver that runs all paging on node 0.
class AlwaysNodeZero final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    DXGKARG_SUBMITCOMMAND altered = *submit;
    if (submit->Flags.Paging) altered.NodeOrdinal = 0;
    return Interposer::SubmitCommand(adapter, &altered);
  }
};

NotApplicable two_nodes(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  if (!platform.wddm1_2()) {
    return "before WDDM 1.2 a submission names no node";
  }
  return platform.nodes > 1 ? nullptr : "only one node";
}

const Rule kRule{
    .id = "SUBMIT-003",
    .title = "Paging submissions carry no context and name their node",
    .rule =
        "SubmitCommand and Patch with Flags.Paging may have NULL in hContext and hDevice; the "
        "driver then uses neither, takes the engine from NodeOrdinal (WDDM 1.2 and later), and "
        "uses a device of its own if its hardware needs one.",
    .sources =
        "nc-d3dkmddi-dxgkddi_submitcommand.md # Remarks\n"
        "ns-d3dkmddi-_dxgkarg_submitcommand.md # hContext, NodeOrdinal",
    .note =
        "Which node that is the driver says: PagingNode of DXGK_VIDMMCAPS, from WDDM 2.0 on "
        "PagingNodeIndex of DXGK_PHYSICALADAPTERCAPS. With GPU virtual addresses paging is by "
        "SubmitCommandVirtual, in the context that the driver has for it; without local memory the "
        "paging process has no addresses (allocation-notification.md), and what maps apertures and "
        "flushes comes by SubmitCommand.",
    .applies = two_nodes,
    .check = check,
    .played_in = kBothAddressings |
                 ConfigurationSet{Configured::IoMmuAlone, Configured::VirtualApertureAlone},
    .scenario = R"(
about: paging on node 1 of two, with hContext NULL
ops:
# Who does not read this pages on the node that it names.
- configure: {setting: PagingNode, value: 1}
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- idle
)",
    .control = R"(
about: paging on node 0
ops:
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- idle
)",
    .fault = {.about = "paging always goes to node 0",
              .interposer = [] { return std::unique_ptr<Interposer>(new AlwaysNodeZero); },
              .also_fires = "FENCE-001 FENCE-003 SUBMIT-016"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::submit_003
