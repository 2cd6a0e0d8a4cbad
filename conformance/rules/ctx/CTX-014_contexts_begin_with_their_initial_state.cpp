// CTX-014: a new context has what its driver lays down, and nothing of those that were before it.

#include <map>
#include <utility>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/ctx/counted_states.h"

namespace wddm::ctx_014 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  constexpr std::uint32_t kInitial = 1;
  ctx::CountedStates(trace, kInitial,
                     "memory as the commands leave it with the state that new contexts have",
                     judgement)
      .judge();
}

// A driver that keeps contexts which were destroyed, and gives them out again as they are.
class GivesThemOutAgain final : public Interposer {
 public:
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    for (auto kept = kept_.begin(); kept != kept_.end(); ++kept) {
      const Made& made = made_.at(*kept);
      if (made.device != device || made.create.NodeOrdinal != create->NodeOrdinal ||
          made.create.Flags.Value != create->Flags.Value) {
        continue;
      }
      create->hContext = *kept;
      create->ContextInfo = made.create.ContextInfo;
      kept_.erase(kept);
      return STATUS_SUCCESS;
    }
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (NT_SUCCESS(status) && create->Flags.SystemContext == 0) {
      made_[create->hContext] = {device, *create};
    }
    return status;
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    if (!made_.contains(context)) return Interposer::DestroyContext(context);
    kept_.push_back(context);
    return STATUS_SUCCESS;
  }
  NTSTATUS DestroyDevice(HANDLE device) override {
    std::erase_if(kept_, [this, device](HANDLE context) {
      if (made_.at(context).device != device) return false;
      made_.erase(context);
      (void)Interposer::DestroyContext(context);
      return true;
    });
    return Interposer::DestroyDevice(device);
  }

 private:
  struct Made {
    HANDLE device;
    DXGKARG_CREATECONTEXT create;
  };
  std::map<HANDLE, Made> made_;
  std::vector<HANDLE> kept_;
};

// As many values as may fill whatever the client keeps them in.
// clang-format off
#define SETS_MUCH(context_number, allocation_number) \
  "- render: {context: " #context_number "}\n" \
  "- bind: {slot: 1, allocation: " #allocation_number "}\n" \
  "- fill: {slot: 1, offset: 0, size: 64, value: 0x11111111}\n" \
  "- fill: {slot: 1, offset: 64, size: 64, value: 0x12121212}\n" \
  "- fill: {slot: 1, offset: 128, size: 64, value: 0x13131313}\n" \
  "- fill: {slot: 1, offset: 192, size: 64, value: 0x14141414}\n" \
  "- fill: {slot: 1, offset: 256, size: 64, value: 0x15151515}\n" \
  "- fill: {slot: 1, offset: 320, size: 64, value: 0x16161616}\n" \
  "- fill: {slot: 1, offset: 384, size: 64, value: 0x17171717}\n" \
  "- fill: {slot: 1, offset: 448, size: 64, value: 0x18181818}\n" \
  "- fill: {slot: 1, offset: 512, size: 64, value: 0x19191919}\n" \
  "- fill: {slot: 1, offset: 576, size: 64, value: 0x1a1a1a1a}\n" \
  "- fill: {slot: 1, offset: 640, size: 64, value: 0x1b1b1b1b}\n" \
  "- fill: {slot: 1, offset: 704, size: 64, value: 0x1c1c1c1c}\n" \
  "- fill: {slot: 1, offset: 768, size: 64, value: 0x1d1d1d1d}\n" \
  "- fill: {slot: 1, offset: 832, size: 64, value: 0x1e1e1e1e}\n" \
  "- fill: {slot: 1, offset: 896, size: 64, value: 0x1f1f1f1f}\n" \
  "- fill: {slot: 1, offset: 960, size: 64, value: 0x21212121}\n"
// clang-format on

const Rule kRule{
    .id = "CTX-014",
    .title = "A context begins with its initial state",
    .evidence = Evidence::Memory,
    .rule =
        "What the driver lays down for the state of a new context, and its user-mode half counts "
        "on, a new context has: also where its memory was that of another context before.",
    .sources =
        "nc-d3dkmddi-dxgkddi_createcontext.md # Remarks\n"
        "gpu-preemption.md # Driver implementation steps (7)\n"
        "ne-d3dkmddi-_dxgk_buildpagingbuffer_operation.md # DXGK_OPERATION_INIT_CONTEXT_RESOURCE",
    .note =
        "What that state is, is between the driver and its user-mode half: judged are buffers of "
        "which the client says that they count on it, by memory. Nothing is judged once memory was "
        "wrong behind other work.",
    .unreached = "no buffer of the client's counts on the state that a new context has",
    .applies = ctx::contexts_of_clients,
    .check = check,
    .played_in = ConfigurationSet{Configured::Default, Configured::GpuVirtual,
                                  Configured::FourLevels, Configured::PatchLists2,
                                  Configured::ContextAllocations, Configured::IoMmuAlone},
    .scenario = R"(
about: contexts follow one that has set much, and was destroyed by itself, with its device, or with a stop
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1}
)" SETS_MUCH(1, 1) R"(
- idle
- destroy_context: {context: 1}
- keep_state
- create_context: {context: 1}
- create_context: {context: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 512, value: 0}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 512, size: 512, value: 0}
- idle
# So it is on another engine, which a driver with one node skips.
- keep_state: {on: false}
- create_context: {context: 4, node: 1}
)" SETS_MUCH(4, 1) R"(
- idle
- destroy_context: {context: 4}
- keep_state
- create_context: {context: 4, node: 1}
- render: {context: 4}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 1024, size: 512, value: 0}
- idle
# The whole device goes, and its process.
- keep_state: {on: false}
- create_device: {device: 1, process: 1}
- create_context: {context: 3, device: 1}
- create_allocation: {allocation: 2, device: 1}
)" SETS_MUCH(3, 2) R"(
- idle
- destroy_device: {device: 1}
- keep_state
- create_device: {device: 1, process: 1}
- create_context: {context: 3, device: 1}
- create_allocation: {allocation: 2, device: 1}
- render: {context: 3}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 512, value: 0}
- idle
# The adapter is stopped, and started again.
- keep_state: {on: false}
)" SETS_MUCH(2, 1) R"(
- idle
- stop
- start
- keep_state
- create_context: {context: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 512, value: 0}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 512, size: 512, value: 0}
- idle
)",
    .control = R"(
about: a new context beside one that lives on
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- keep_state
- create_context: {context: 2}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0}
- idle
)",
    .fault = {.about = "contexts that were destroyed are given out again as they are",
              .interposer = [] { return std::unique_ptr<Interposer>(new GivesThemOutAgain); }}};

#undef SETS_MUCH

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::ctx_014
