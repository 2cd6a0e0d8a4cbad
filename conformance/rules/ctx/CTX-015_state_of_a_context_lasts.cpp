// CTX-015: what commands of a context have set, later packets of it find.

#include <map>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/ctx/counted_states.h"

namespace wddm::ctx_015 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  constexpr std::uint32_t kKept = 2;
  ctx::CountedStates(trace, kKept,
                     "memory as the commands leave it with what earlier ones of the context set",
                     judgement)
      .judge();
}

// A driver that has one state for all contexts of a device on a node. Until a preemption: what that
// takes along is another matter.
class OneStateForAll final : public Interposer {
 public:
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (NT_SUCCESS(status) && create->Flags.SystemContext == 0) {
      const auto [first, is_new] =
          first_.try_emplace(std::pair(device, create->NodeOrdinal), create->hContext);
      stands_for_[create->hContext] = first->second;
    }
    return status;
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    std::erase_if(first_, [context](const auto& entry) { return entry.second == context; });
    std::erase_if(stands_for_, [context](const auto& entry) {
      return entry.first == context || entry.second == context;
    });
    return Interposer::DestroyContext(context);
  }
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    DXGKARG_SUBMITCOMMAND altered = *submit;
    altered.hContext = in_place_of(submit->hContext);
    return Interposer::SubmitCommand(adapter, &altered);
  }
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    DXGKARG_SUBMITCOMMANDVIRTUAL altered = *submit;
    altered.hContext = in_place_of(submit->hContext);
    return Interposer::SubmitCommandVirtual(adapter, &altered);
  }
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    stands_for_.clear();
    return Interposer::PreemptCommand(adapter, preempt);
  }

 private:
  HANDLE in_place_of(HANDLE context) const {
    const auto found = stands_for_.find(context);
    return found == stands_for_.end() ? context : found->second;
  }
  std::map<std::pair<HANDLE, UINT>, HANDLE> first_;
  std::map<HANDLE, HANDLE> stands_for_;
};

const Rule kRule{
    .id = "CTX-015",
    .title = "The state of a context lasts",
    .evidence = Evidence::Memory,
    .rule =
        "What commands of a context have set (constants, state) holds for its later packets as "
        "well, whatever ran on the engine in between: the driver or the GPU saves and restores it "
        "with other contexts, with preemptions, when memory of the context moves, when another "
        "engine is reset, and when power is gone for a while.",
    .sources =
        "gpu-preemption.md # Driver implementation steps (7)\n"
        "nc-d3dkmddi-dxgkddi_createcontext.md # Remarks\n"
        "nc-d3dkmddi-dxgkcb_createcontextallocation.md # Remarks\n"
        "nc-dispmprt-dxgkddi_set_power_state.md # Remarks",
    .note =
        "What of its state a driver keeps is between it and its user-mode half: judged are buffers "
        "of which the client says that they count on it, by memory. How such buffers are executed "
        "beyond that no other clause judges, but where they were cut or preempted. Nothing is "
        "judged once memory was wrong behind other work.",
    .unreached = "no buffer of the client's counts on the state that an earlier one has left",
    .applies = ctx::contexts_of_clients,
    .check = check,
    .played_in =
        ConfigurationSet{Configured::Default, Configured::NotPreemptionAware,
                         Configured::GpuVirtual, Configured::FourLevels, Configured::PatchLists2,
                         Configured::ContextAllocations, Configured::IoMmuAlone},
    .scenario = R"(
about: another context sets other values, and a packet of the first runs nothing; so it does while a packet is stopped; another engine is reset; memory of the context moves
ops:
- create_context: {context: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1}
- create_allocation: {allocation: 2}
- keep_state
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x11111111}
- fill: {slot: 1, offset: 64, size: 64, value: 0x22222222}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 64, value: 0x33333333}
- fill: {slot: 1, offset: 64, size: 64, value: 0x44444444}
- idle
# Of a packet between nothing runs.
- null_rendering
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 1024, size: 64, value: 0x99999999}
- idle
- null_rendering: {on: false}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 128, size: 64, value: 0x11111111}
- fill: {slot: 1, offset: 192, size: 64, value: 0x22222222}
- idle
# All is set anew, and a packet that counts on it is stopped.
- keep_state: {on: false}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55555555}
- fill: {slot: 1, offset: 64, size: 64, value: 0x66666666}
- idle
- keep_state
- keep_stopped
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 256, size: 64, value: 0x55555555}
- spin: {units: 400}
- fill: {slot: 1, offset: 320, size: 64, value: 0x66666666}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- preempt: {node: 0}
- advance: {units: 20}
- keep_state: {on: false}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 64, value: 0x77777777}
- fill: {slot: 1, offset: 64, size: 64, value: 0x88888888}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- keep_stopped: {on: false}
- idle
- keep_state
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 384, size: 64, value: 0x55555555}
- fill: {slot: 1, offset: 448, size: 64, value: 0x66666666}
- idle
# An engine that it has nothing to do with is reset in the middle of a packet.
- create_device: {device: 1, process: 1}
- create_context: {context: 3, device: 1, node: 1}
- render: {context: 3}
- idle
- render: {context: 3}
- spin: {units: 1000}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- time_out: {node: 1}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 512, size: 64, value: 0x55555555}
- fill: {slot: 1, offset: 576, size: 64, value: 0x66666666}
- idle
# Where its memory is the video memory manager's affair, it moves, and is evicted.
- move_context: {context: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 640, size: 64, value: 0x55555555}
- fill: {slot: 1, offset: 704, size: 64, value: 0x66666666}
- idle
- move_context: {context: 1, evict: true}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 768, size: 64, value: 0x55555555}
- fill: {slot: 1, offset: 832, size: 64, value: 0x66666666}
- idle
# The root of its process moves.
- move_table: {allocation: 1, level: 5}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 896, size: 64, value: 0x55555555}
- fill: {slot: 1, offset: 960, size: 64, value: 0x66666666}
- idle
)",
    .control = R"(
about: a context goes on alone
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1}
- keep_state
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x11111111}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 64, size: 64, value: 0x11111111}
- idle
)",
    .fault = {.about = "contexts of a device have one state",
              .interposer = [] { return std::unique_ptr<Interposer>(new OneStateForAll); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::ctx_015
