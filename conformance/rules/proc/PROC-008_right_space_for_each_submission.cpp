// PROC-008: every virtual submission runs in the address space of its context, whatever ran before.
//
// Judged are packets that follow one of another address space on their engine: of another process,
// or paging. The addresses of command buffers are the same in all processes here.

#include <map>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::proc_008 {
namespace {

class Switches final : public SpaceObserver {
 public:
  explicit Switches(Judgement& judgement) : judgement_(judgement) {}

  void submitted(const SpacePacket& packet, const SpacePacket& before) override {
    if (before.submitted == kNone || before.process == packet.process) return;
    after_[packet.packet] = before;
  }
  void ran_through(const SpaceSign&) override {}  // MMU-012
  void shown(const SpaceSign& sign) override {
    const auto after = after_.find(sign.packet.packet);
    if (after == after_.end()) return;
    // Behind paging, memory may differ because of what was paged.
    const bool both_of_clients = sign.packet.process != kNone && after->second.process != kNone;
    const bool wrong = sign.kind == SpaceSign::Kind::Walk
                           ? sign.walk.why == static_cast<std::uint32_t>(AstrayWalk::OtherSpace)
                           : sign.kind == SpaceSign::Kind::Memory && both_of_clients;
    if (wrong || sign.kind == SpaceSign::Kind::Right) judgement_.reached(sign.event);
    if (!wrong) return;
    fail_by(sign, judgement_, "the packet runs in the address space of its own context",
            {after->second.submitted, sign.packet.submitted});
  }

 private:
  Judgement& judgement_;
  ScratchMap<std::uint32_t, SpacePacket> after_;  // by packet: the one before
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Switches switches(judgement);
  observe_spaces(trace, switches);
}

// A driver that leaves the address space of paging in force for the packet behind it.
class NoSwitchAfterPaging final : public Interposer {
 public:
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    DXGKARG_SUBMITCOMMANDVIRTUAL altered = *submit;
    HANDLE& paging = paging_[submit->NodeOrdinal];
    if (submit->Flags.Paging) {
      paging = submit->hContext;
    } else if (submissions_[submit->hContext]++ != 0 && paging != nullptr) {
      altered.hContext = paging;
      paging = nullptr;
    }
    return Interposer::SubmitCommandVirtual(adapter, &altered);
  }

 private:
  std::map<UINT, HANDLE> paging_;  // by node: the packet before was paging
  std::map<HANDLE, int> submissions_;
};

const Rule kRule{
    .id = "PROC-008",
    .aliases = "SUBMIT-009",
    .title = "The right address space is active for each virtual submission",
    .evidence = Evidence::Memory,
    .rule =
        "The buffer at DmaBufferVirtualAddress is fetched and executed in the address space that "
        "was last set for hContext, whatever ran on the node before: a context of another process, "
        "paging, or what was preempted.",
    .sources =
        "nc-d3dkmddi-dxgkddi_submitcommandvirtual.md\n"
        "ns-d3dkmddi-_dxgkarg_submitcommandvirtual.md\n"
        "mcdm-architecture.md # Address Space",
    .unreached = kNoSpaceSeen,
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::HighMemory},
    .scenario = R"(
about: on one engine two processes and paging take turns
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local, device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
- move: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 4, value: 1}
- idle
)",
    .control = R"(
about: one context, which nothing comes between
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
    .fault = {.about = "a packet behind paging runs in the address space of paging",
              .interposer = [] { return std::unique_ptr<Interposer>(new NoSwitchAfterPaging); },
              .also_fires = "MMU-013 ROOT-005 VA-001 VA-008"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::proc_008
