// ROOT-012: SetRootPageTable changes the root of its context alone, whatever runs meanwhile.
//
// Judged are contexts of other processes that have a packet on the GPU during the call: that packet
// and the next one.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/va/running_work.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::root_012 {
namespace {

// The packets that a call concerns: its event by packet.
ScratchMap<std::uint32_t, std::uint32_t> packets_beside_calls(const Trace& trace) {
  ScratchMap<std::uint32_t, std::uint32_t> beside;
  ScratchMap<std::uint32_t, std::uint32_t> next;  // by context: the call before its next packet
  RunningWork work;
  for (const std::uint32_t index : trace.of_any<ev::RootSet, ev::Submitted, ev::PacketEnded>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::PacketEnded) {
      work.follow(trace.at<ev::PacketEnded>(index));
    } else if (kind == EventKind::Submitted) {
      const auto submitted = trace.at<ev::Submitted>(index);
      work.follow(index, submitted);
      const auto due = next.find(submitted.context);
      if (submitted.paging != 0 || due == next.end()) continue;
      beside.emplace(submitted.packet, due->second);
      next.erase(due);
    } else {
      const auto set = trace.at<ev::RootSet>(index);
      work.follow(set);
      next.erase(set.context);  // it has a root of its own from here on
      for (const auto& [packet, running] : work.all()) {
        if (running.process == set.process || running.context == set.context) continue;
        beside.emplace(packet, index);
        next.emplace(running.context, index);
      }
    }
  }
  return beside;
}

class Others final : public SpaceObserver {
 public:
  Others(const Trace& trace, Judgement& judgement)
      : judgement_(judgement), beside_(packets_beside_calls(trace)) {}

  void shown(const SpaceSign& sign) override {
    const auto call = beside_.find(sign.packet.packet);
    if (call == beside_.end()) return;
    judgement_.reached(sign.event);
    if (!sign.wrong()) return;
    fail_by(sign, judgement_, "a context keeps its root when another one gets one",
            {call->second, sign.packet.submitted});
  }

 private:
  Judgement& judgement_;
  ScratchMap<std::uint32_t, std::uint32_t> beside_;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Others others(trace, judgement);
  observe_spaces(trace, others);
}

// A driver that writes the root register of the engine, and so the root of whoever uses it.
class WritesTheEngine final : public Interposer {
 public:
  VOID SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* set) override {
    Interposer::SetRootPageTable(adapter, set);
    if (in_work_ == nullptr) return;
    DXGKARG_SETROOTPAGETABLE same = *set;
    same.hContext = in_work_;
    Interposer::SetRootPageTable(adapter, &same);
  }
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    if (!submit->Flags.Paging) in_work_ = submit->hContext;
    return Interposer::SubmitCommandVirtual(adapter, submit);
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    if (context == in_work_) in_work_ = nullptr;
    return Interposer::DestroyContext(context);
  }

 private:
  HANDLE in_work_ = nullptr;
};

const Rule kRule{
    .id = "ROOT-012",
    .title = "SetRootPageTable acts on one idle context only",
    .evidence = Evidence::Memory,
    .rule =
        "DxgkDdiSetRootPageTable changes the root of hContext, which is not scheduled meanwhile. "
        "All other contexts keep theirs, also one that runs on the same node at that moment: an "
        "idle context does not make an idle engine.",
    .sources = "nc-d3dkmddi-dxgkddi_setrootpagetable.md # description",
    .unreached = kNoSpaceSeen,
    .applies = virtual_rendering,
    .check = check,
    .played_in = kGpuVirtualConfigurations |
                 ConfigurationSet{Configured::GpuVirtualUpdates, Configured::Linked},
    .scenario = R"(
about: a context is made while another process has work, and more to come
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local, device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- spin: {units: 3000}
- add: {slot: 1, offset: 0, value: 1}
# Its pages come first, of which a link has twice as many: the packet is far longer than they take.
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- create_context: {context: 3}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 4, value: 1}
- idle
)",
    .control = R"(
about: a context is made while nothing runs
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 2, place: local, device: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
- create_context: {context: 3}
- idle
)",
    .fault = {.about = "a root is given to the context that ran last as well",
              .interposer = [] { return std::unique_ptr<Interposer>(new WritesTheEngine); },
              .also_fires = "ROOT-005 VA-008"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::root_012
