// LIFE-006: there is no fixed limit on devices and contexts.

#include <string>

#include "conformance/host/interposer.h"
#include "conformance/rules/fails_on_purpose.h"
#include "conformance/rules/refused_inside.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/withheld_data.h"

namespace wddm::life_006 {
namespace {

// So many are nothing that a driver runs into by itself, and more than tables of hardware hold.
constexpr int kDevices = 80, kContexts = 160;

bool allowed(std::uint32_t answer, bool context) {
  const auto status = static_cast<NTSTATUS>(answer);
  return NT_SUCCESS(status) || status == STATUS_NO_MEMORY ||
         (context && status == STATUS_GRAPHICS_DRIVER_MISMATCH);
}

constexpr std::uint32_t kSystemContext = 1;  // DXGK_CREATECONTEXTFLAGS

// The first of each kind may be refused for what it is; then what is refused is refused for number.
// Without a client those of the system say nothing of others, which lack private data.
void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  std::uint32_t devices = 0, contexts = 0, of_system = 0;
  ScratchMap<std::uint16_t, std::uint32_t> entered;  // by thread, its last call of the driver
  for (const std::uint32_t index :
       trace.of_any<ev::OpStarted, ev::DdiEntered, ev::DeviceCreated, ev::ContextCreated>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      if (fails_on_purpose(Trace::as<ev::OpStarted>(event).kind)) return;
      continue;
    }
    if (event.kind == EventKind::DdiEntered) {
      entered[event.thread] = index;
      continue;
    }
    const bool context = event.kind == EventKind::ContextCreated;
    const auto created = context ? trace.at<ev::ContextCreated>(index) : ev::ContextCreated{};
    const bool apart = !platform.has_client && (created.flags & kSystemContext) != 0;
    std::uint32_t& made = apart ? of_system : context ? contexts : devices;
    const std::uint32_t status =
        context ? created.status : trace.at<ev::DeviceCreated>(index).status;
    if (NT_SUCCESS(static_cast<NTSTATUS>(status))) {
      if (++made > 1) judgement.reached(index);
    } else if (made > 0 && !allowed(status, context) && !(context && withholds_data(trace)) &&
               !was_refused_inside(trace, entered[event.thread], index, event.thread)) {
      judgement.fail(index,
                     std::string(context ? "a context" : "a device") + " more, or STATUS_NO_MEMORY",
                     status_name(status) + " after " + std::to_string(made) +
                         (context ? " contexts" : " devices"));
    }
  }
}

// A driver with a table.
class SixtyFour final : public Interposer {
 public:
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    if (contexts_ == 64) return STATUS_INSUFFICIENT_RESOURCES;
    const NTSTATUS status = Interposer::CreateContext(device, create);
    contexts_ += NT_SUCCESS(status) ? 1 : 0;
    return status;
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    --contexts_;
    return Interposer::DestroyContext(context);
  }

 private:
  int contexts_ = 0;
};

const std::string& many() {
  static const std::string text = [] {
    std::string ops = "about: many devices, and many contexts on one of them\nops:\n";
    for (int i = 1; i <= kDevices; ++i)
      ops += "- create_device: {device: " + std::to_string(i) + "}\n";
    for (int i = 0; i < kContexts; ++i)
      ops += "- create_context: {context: " + std::to_string(i) + "}\n";
    return ops + "- idle\n";
  }();
  return text;
}

const Rule kRule{
    .id = "LIFE-006",
    .title = "No fixed limit on devices and contexts",
    .rule =
        "CreateDevice and CreateContext fail for lack of system memory alone (STATUS_NO_MEMORY), "
        "CreateContext also where driver and user-mode driver do not match; any number of them may "
        "live at once.",
    .sources =
        "nc-d3dkmddi-dxgkddi_createcontext.md # Remarks\n"
        "nc-d3dkmddi-dxgkddi_createdevice.md # Remarks",
    .note = "Asked for are some two hundred: a limit that lies higher is not seen.",
    .applies = needs_caps,
    .check = check,
    .played_in = {Configured::Default, Configured::GpuVirtual},
    .scenario = many().c_str(),
    .control = R"(
about: two of each
ops:
- create_device: {device: 1}
- create_context: {context: 0}
- create_context: {context: 1, device: 1}
)",
    .fault = {.about = "there is room for 64 contexts",
              .interposer = [] { return std::unique_ptr<Interposer>(new SixtyFour); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::life_006
