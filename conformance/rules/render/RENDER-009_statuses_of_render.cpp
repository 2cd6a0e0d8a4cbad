// RENDER-009: what Render returns is one of the documented statuses.

#include <algorithm>
#include <string>

#include "conformance/host/interposer.h"
#include "conformance/rules/fails_on_purpose.h"
#include "conformance/rules/present/presented.h"
#include "conformance/rules/render/render_status.h"
#include "conformance/rules/rule.h"

namespace wddm::render_009 {
namespace {

constexpr NTSTATUS kDocumented[] = {STATUS_SUCCESS,
                                    STATUS_NO_MEMORY,
                                    STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER,
                                    STATUS_PRIVILEGED_INSTRUCTION,
                                    STATUS_ILLEGAL_INSTRUCTION,
                                    STATUS_INVALID_PARAMETER,
                                    STATUS_INVALID_USER_BUFFER,
                                    STATUS_INVALID_HANDLE,
                                    STATUS_GRAPHICS_DRIVER_MISMATCH,
                                    STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE};

// What a driver takes memory from may be empty while earlier buffers hold it, and where a scenario
// has made calls fail. Nothing of that is so for the first buffer that a trace asks for.
bool memory_can_be_short(const Trace& trace, std::uint32_t rendered) {
  for (const std::uint32_t index : trace.of_any<ev::OpStarted, ev::Rendered>()) {
    if (index >= rendered) return false;
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Rendered) return true;
    if (fails_on_purpose(Trace::as<ev::OpStarted>(event).kind)) return true;
  }
  return false;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto presents = present::presents_of(trace);
  for (const std::uint32_t index : trace.of<ev::Rendered>()) {
    const auto call = trace.at<ev::Rendered>(index);
    if (presents.contains(call.render)) continue;  // PRESENT-004
    judgement.reached(index);
    const auto status = static_cast<NTSTATUS>(call.status);
    if (std::find(std::begin(kDocumented), std::end(kDocumented), status) ==
        std::end(kDocumented)) {
      judgement.fail(index, "a status that the page of DxgkDdiRender names",
                     status_name(call.status));
    } else if (status == STATUS_NO_MEMORY && call.hostile == 0 &&
               !memory_can_be_short(trace, index)) {
      judgement.fail(index, "a status other than that of memory that cannot be allocated",
                     "STATUS_NO_MEMORY for the first buffer, with nothing that failed before");
    }
  }
}

// A driver that hands on what its parser or the exception handler has found.
class HandsOnTheException final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    const NTSTATUS status = Interposer::Render(context, render);
    return render::made_output(static_cast<std::uint32_t>(status)) ? status
                                                                   : STATUS_ACCESS_VIOLATION;
  }
};

// Two buffers that go away, and then words of both that change when they have been read once: to
// what no offset, size or index may be. A value that is refused when nobody races has no part in
// what Render makes (RENDER-002), wherever in an input it stands.
const std::string& lost_and_raced() {
  static const std::string text = [] {
    std::string ops = R"(
about: the patch list becomes inaccessible, and then the command buffer; then words of both change while Render reads them; then memory is short; what comes behind is as ever
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- revoke: {input: patch_list, accessible: 4}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- revoke: {input: command, accessible: 4}
- idle
)";
    // Of what was refused nothing stays: neither where it was stopped, nor what its slots named.
    const auto plain = [&ops](const char* value) {
      ops += std::string(
                 "- render: {context: 0}\n"
                 "- bind: {slot: 1, allocation: 1}\n"
                 "- fill: {slot: 1, size: 64, value: ") +
             value +
             "}\n"
             "- bind: {slot: 0, allocation: 1}\n"
             "- copy: {slot: 0, source: 1, offset: 128, size: 64}\n- idle\n";
    };
    plain("0x11111111");
    // The same of many elements, wherever a driver keeps its copy of them.
    const auto many = [&ops](int count, const std::string& before, const char* behind) {
      ops += before + "- render: {context: 0}\n";
      for (int i = 0; i < count; ++i) {
        ops += "- bind: {slot: 0, allocation: " + std::to_string(i % 2) +
               "}\n- fill: {slot: 0, size: 64}\n";
      }
      ops += std::string(behind) + "- idle\n";
    };
    many(20, "", "- revoke: {input: patch_list, accessible: 40}\n");
    many(20, "", "- revoke: {input: command, accessible: 40}\n");
    plain("0x66666666");
    const auto races = [&ops](const char* input, int words, const char* value) {
      for (int word = 0; word < words; ++word) {
        ops += std::string(
                   "- render: {context: 0}\n"
                   "- bind: {slot: 0, allocation: 0}\n"
                   "- fill: {slot: 0, size: 256}\n"
                   "- bind: {slot: 1, allocation: 0}\n"
                   "- copy: {slot: 1, source: 0, offset: 512, size: 256}\n"
                   "- race: {input: ") +
               input + ", offset: " + std::to_string(4 * word) + ", value: " + value +
               "}\n- idle\n";
      }
    };
    races("command", 24, "0xfffffff0");
    plain("0x22222222");
    // One D3DDDI_PATCHLOCATIONLIST has six words.
    races("patch_list", 12, "0xfffffff0");
    plain("0x33333333");
    // And where memory that it takes is not there.
    for (int kth = 1; kth <= 4; ++kth) {
      const std::string fails = "- fail_pool: {kth: " + std::to_string(kth) + "}\n";
      ops += fails;
      plain("0x44444444");
      many(20 + 8 * kth, fails, "");  // more than there is room for from the time before
      plain("0x77777777");
    }
    plain("0x55555555");
    return ops;
  }();
  return text;
}

const Rule kRule{
    .id = "RENDER-009",
    .title = "Malformed input maps to the documented statuses",
    .rule =
        "Render returns STATUS_SUCCESS when all of the command buffer is translated, "
        "STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER where room ends, and for what it refuses one of "
        "STATUS_NO_MEMORY, STATUS_PRIVILEGED_INSTRUCTION, STATUS_ILLEGAL_INSTRUCTION, "
        "STATUS_INVALID_PARAMETER, STATUS_INVALID_USER_BUFFER, STATUS_INVALID_HANDLE, "
        "STATUS_GRAPHICS_DRIVER_MISMATCH, STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE. STATUS_NO_MEMORY "
        "says that memory which it needs could not be allocated.",
    .sources =
        "nc-d3dkmddi-dxgkddi_render.md # returns\n"
        "nc-d3dkmddi-dxgkcb_gethandledata.md # returns",
    .note =
        "The page lets drivers take STATUS_ILLEGAL_INSTRUCTION for bad parameters and for too much "
        "or too little data, so that which of them it is is not judged. STATUS_NO_MEMORY is where "
        "no memory can be wanting: for the first buffer of a run, before anything was made to "
        "fail. That a success means all of the buffer shows in memory (SUBMIT-015).",
    .applies = render::translating,
    .check = check,
    .scenario = lost_and_raced().c_str(),
    .control = R"(
about: what the client has built
ops:
- create_allocation: {allocation: 0}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)",
    .fault = {.about = "a refusal is STATUS_ACCESS_VIOLATION, as it was raised",
              .interposer = [] { return std::unique_ptr<Interposer>(new HandsOnTheException); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::render_009
