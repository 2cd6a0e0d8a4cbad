// CTX-005: context allocations are made for contexts and devices of processes only.

#include "conformance/host/interposer.h"
#include "conformance/rules/ctx/made_context_allocations.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::ctx_005 {
namespace {

// DXGK_CREATECONTEXTFLAGS and DXGK_CREATEDEVICEFLAGS.
constexpr std::uint32_t kSystemContext = 1u << 0, kSystemDevice = 1u << 0;

template <class Arguments>
bool makes_system_object(const Trace& trace, const Event& entered, std::uint32_t flag) {
  const auto arguments = trace.blob<Arguments>(entered);
  return !arguments.empty() && (arguments.front().flags & flag) != 0;
}

// What a call makes, by how it was entered; null: nothing of the system's.
const char* system_object(const Trace& trace, std::uint32_t entered) {
  if (entered == kNone) return nullptr;
  const Event& event = trace.events()[entered];
  const auto ddi = static_cast<DdiId>(Trace::as<ev::DdiEntered>(event).ddi);
  if (ddi == DdiId::CreateContext) {
    return makes_system_object<ddi_arguments::CreateContext>(trace, event, kSystemContext)
               ? "a system context"
               : nullptr;
  }
  return makes_system_object<ddi_arguments::CreateDevice>(trace, event, kSystemDevice)
             ? "a system device"
             : nullptr;
}

// Whose an allocation is, is told by the call that it is made in: those that Dxgkrnl refuses are
// nobody's.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto creates = [](std::uint32_t ddi) {
    return ddi == static_cast<std::uint32_t>(DdiId::CreateContext) ||
           ddi == static_cast<std::uint32_t>(DdiId::CreateDevice);
  };
  ScratchMap<std::uint16_t, std::uint32_t> inside;  // DdiEntered, by thread
  for (const std::uint32_t index :
       trace.of_any<ev::DdiEntered, ev::DdiReturned, ev::ContextAllocationMade>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DdiEntered) {
      if (creates(Trace::as<ev::DdiEntered>(event).ddi)) inside[event.thread] = index;
    } else if (event.kind == EventKind::DdiReturned) {
      if (creates(Trace::as<ev::DdiReturned>(event).ddi)) inside.erase(event.thread);
    } else {
      judgement.reached(index);
      const auto call = inside.find(event.thread);
      const std::uint32_t entered = call == inside.end() ? kNone : call->second;
      const char* const object = system_object(trace, entered);
      if (object == nullptr) continue;
      judgement.fail(index, "context allocations for contexts and devices of processes alone",
                     std::string("one while ") + object + " is created", {entered});
    }
  }
}

// A driver with a save area for every context that there is.
class SavesAllContexts final : public Interposer {
 public:
  NTSTATUS StartDevice(PVOID miniport, PDXGK_START_INFO info, PDXGKRNL_INTERFACE table,
                       PULONG sources, PULONG children) override {
    table_ = *table;
    return Interposer::StartDevice(miniport, info, table, sources, children);
  }
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    if (create->Flags.SystemContext) {
      DXGKARGCB_CREATECONTEXTALLOCATION request{};
      request.hAdapter = table_.DeviceHandle;
      request.hContext = create->hContext;
      request.Size = PAGE_SIZE;
      request.SupportedSegmentSet = 1;
      static_cast<void>(table_.DxgkCbCreateContextAllocation(&request));
    }
    return Interposer::CreateContext(device, create);
  }

 private:
  DXGKRNL_INTERFACE table_{};
};

const Rule kRule{
    .id = "CTX-005",
    .title = "Context allocations are for contexts and devices that are not the system's",
    .rule =
        "DxgkCbCreateContextAllocation is not called for a context with SystemContext or a device "
        "with SystemDevice: what Dxgkrnl pages with needs no context allocation.",
    .sources =
        "nc-d3dkmddi-dxgkcb_createcontextallocation.md # GPU context allocations, Device context "
        "allocations\n"
        "gpu-preemption.md # Driver implementation steps (5)",
    .note =
        "The page of the structure says what hDevice and hContext are for system objects, as if "
        "such calls were made; the function's forbids them. Judged are calls made while a system "
        "object is created. That hContext or hDevice is right is LIFE-007.",
    .unreached = "the driver makes no context allocations",
    .applies = ctx::context_allocations,
    .check = check,
    .played_in = {Configured::ContextAllocations},
    .scenario = R"(
about: contexts of two processes beside those that Dxgkrnl pages with
ops:
- create_context: {context: 0}
- create_device: {device: 1, process: 1}
- create_context: {context: 1, device: 1}
- create_context: {context: 2, device: 1}
)",
    .control = R"(
about: one context
ops:
- create_context: {context: 0}
)",
    .fault = {.about = "there is a context allocation for each system context too",
              .interposer = [] { return std::unique_ptr<Interposer>(new SavesAllContexts); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::ctx_005
