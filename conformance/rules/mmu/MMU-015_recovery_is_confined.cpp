// MMU-015: after a page fault whoever has not faulted goes on. That is the driver's half of a
// recovery that is confined to the offender.

#include <map>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::mmu_015 {
namespace {

bool succeeded(std::uint32_t status) {
  return (status & 0x80000000u) == 0;
}

// After a reset of the engine only contexts without fault are given work, and no packet of theirs
// faults that is not to: one that is to has a marker that it must not come to. That others do all
// their work is FENCE-002.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchSet<EngineId> faults;                      // PageFaultReported
  std::uint32_t reset = kNone;                      // EngineReset, the last that followed
  ScratchMap<std::uint32_t, std::uint32_t> behind;  // the reset that a packet came after
  ScratchMap<std::uint32_t, std::uint32_t> fates;   // PacketEnded
  in_order_of_calls<ev::PageFaultReported, ev::EngineReset, ev::PacketEnded, ev::MarkerRead,
                    ev::Stuck, ev::Running>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::PageFaultReported) {
      faults.insert(engine_of(trace.at<ev::PageFaultReported>(index)));
    } else if (event.kind == EventKind::EngineReset) {
      const auto done = trace.at<ev::EngineReset>(index);
      if (succeeded(done.status) && faults.contains(engine_of(done))) reset = index;
    } else if (event.kind == EventKind::Submitted) {
      const auto submitted = trace.at<ev::Submitted>(index);
      if (submitted.paging == 0 && reset != kNone) behind[submitted.packet] = reset;
    } else if (event.kind == EventKind::PacketEnded) {
      const auto ended = trace.at<ev::PacketEnded>(index);
      fates[ended.packet] = ended.fate;
    } else if (event.kind == EventKind::MarkerRead) {
      const auto marker = trace.at<ev::MarkerRead>(index);
      if (marker.reason != static_cast<std::uint32_t>(MarkerReason::AtEnd)) return;
      const auto since = behind.find(marker.packet);
      const auto fate = fates.find(marker.packet);
      if (marker.expected == 0 || since == behind.end() || fate == fates.end()) return;
      const bool faulted = fate->second == static_cast<std::uint32_t>(PacketFate::Faulted);
      const bool done =
          fate->second == static_cast<std::uint32_t>(PacketFate::Completed) && marker.runs != 0;
      if (done || faulted) judgement.reached(index);
      if (!faulted) return;
      judgement.fail(
          index,
          "packets whose addresses are mapped run after an engine has been reset for a fault",
          "packet " + std::to_string(marker.packet) +
              ", all of whose addresses are mapped, ends by a page fault",
          {since->second});
    } else {
      faults.clear();  // of the adapter: roots are not asked for any more
      reset = kNone;
      behind.clear();
    }
  });
}

// A driver that forgets the root page tables of all contexts when an engine is reset.
class ForgetsRoots final : public Interposer {
 public:
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (NT_SUCCESS(status) && create->Flags.SystemContext) system_[create->hContext] = true;
    return status;
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    roots_.erase(context);
    system_.erase(context);
    return Interposer::DestroyContext(context);
  }
  void SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* set) override {
    if (!system_.contains(set->hContext)) roots_[set->hContext] = *set;
    Interposer::SetRootPageTable(adapter, set);
  }
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    const NTSTATUS status = Interposer::ResetEngine(adapter, reset);
    for (const auto& [context, root] : roots_) {
      DXGKARG_SETROOTPAGETABLE none = root;
      none.NumEntries = 0;
      Interposer::SetRootPageTable(adapter, &none);
    }
    return status;
  }

 private:
  std::map<HANDLE, DXGKARG_SETROOTPAGETABLE> roots_;
  std::map<HANDLE, bool> system_;
};

NotApplicable engine_resets(const Platform& platform) {
  if (const NotApplicable reason = virtual_rendering(platform)) return reason;
  return needs(platform, DdiId::ResetEngine);
}

const Rule kRule{
    .id = "MMU-015",
    .title = "After a page fault the contexts of others go on as they were",
    .evidence = Evidence::Memory,
    .rule =
        "When a driver has reset an engine for a page fault, contexts of other devices than the "
        "one "
        "that faulted, be they of the same process, go on with the page tables that they had: "
        "nobody sets their roots again, and their packets run to their end.",
    .sources =
        "gpummu-model.md # access to an invalid range\n"
        "access-to-non-resident-allocation.md",
    .note =
        "Windows' half, the engine before the adapter and one device for a fault, is MMU-018. "
        "Judged "
        "are packets with a marker: one of a render that the client built.",
    .unreached = "no packet of which its marker tells ran behind the reset for a page fault",
    .applies = engine_resets,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: one process faults, another goes on, and one goes on of which a device has faulted
ops:
- create_context: {context: 1}
- create_device: {device: 1, process: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, device: 1, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- free_address: {allocation: 1}
- queue_depth: {packets: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11223344}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 4, value: 7}
- idle
# Two devices of one process, whose root is what the engine ran with when it was reset.
- create_device: {device: 2, process: 2}
- create_device: {device: 3, process: 2}
- create_context: {context: 3, device: 2, node: 1}
- create_context: {context: 4, device: 3, node: 1}
- create_allocation: {allocation: 3, place: local, device: 2}
- create_allocation: {allocation: 4, place: local, device: 3}
- make_resident: {allocation: 3}
- make_resident: {allocation: 4}
- free_address: {allocation: 3}
- render: {context: 4}
- bind: {slot: 1, allocation: 4}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x99aabbcc}
- idle
- render: {context: 3}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- render: {context: 4}
- bind: {slot: 1, allocation: 4}
- add: {slot: 1, offset: 0, value: 5}
- idle
- render: {context: 4}
- bind: {slot: 1, allocation: 4}
- add: {slot: 1, offset: 4, value: 5}
- idle
)",
    .control = R"(
about: the process that goes on faults too, by itself
ops:
- create_context: {context: 1}
- create_device: {device: 1, process: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, device: 1, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- free_address: {allocation: 1}
- free_address: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11223344}
- idle
)",
    .fault = {.about = "ResetEngine forgets the roots of all contexts",
              .interposer = [] { return std::unique_ptr<Interposer>(new ForgetsRoots); },
              .also_fires = "ROOT-004 VA-008"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mmu_015
