// MCDM-040: QueryAdapterInfo and Escape do without hKmdProcessHandle.

#include "conformance/host/interposer.h"
#include "conformance/rules/mcdm/undisturbed.h"

namespace wddm::mcdm_040 {
namespace {

bool succeeds(std::uint32_t status) {
  return NT_SUCCESS(static_cast<NTSTATUS>(status));
}

// Calls of one kind in one op: with a process, and without. That a driver uses the handle all the
// same shows in a crash.
struct Pair {
  std::uint16_t op = kNoOp;
  std::uint32_t without = kNone, with = kNone;
  bool without_succeeds = false, with_succeeds = false;
};

void judge(const Pair& pair, const char* what, Judgement& judgement) {
  if (pair.without == kNone) return;
  judgement.reached(pair.without);
  if (pair.with == kNone || pair.without_succeeds || !pair.with_succeeds) return;
  judgement.fail(pair.without, std::string(what) + " succeeds without hKmdProcessHandle as with it",
                 "it succeeds with a process alone", {pair.with});
}

// What was answered at another time was another question.
void note(Pair& pair, const Trace& trace, std::uint32_t index, bool process, std::uint32_t status,
          const char* what, Judgement& judgement) {
  const std::uint16_t op = trace.events()[index].op;
  if (pair.op != op) {
    judge(pair, what, judgement);
    pair = {.op = op};
  }
  (process ? pair.with : pair.without) = index;
  (process ? pair.with_succeeds : pair.without_succeeds) = succeeds(status);
}

constexpr const char* kUserData = "DXGKQAITYPE_UMDRIVERPRIVATE";
constexpr const char* kCaps = "DXGKQAITYPE_DRIVERCAPS";

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  if (!undisturbed(trace)) return;
  Pair user_data, caps;
  for (const std::uint32_t index : trace.of<ev::InfoAnswered>()) {
    const auto answered = trace.at<ev::InfoAnswered>(index);
    const auto how = static_cast<InfoQuestion>(answered.how);
    if (how != InfoQuestion::Plain && how != InfoQuestion::OfProcess) continue;
    const bool process = how == InfoQuestion::OfProcess;
    if (answered.type == DXGKQAITYPE_UMDRIVERPRIVATE) {
      note(user_data, trace, index, process, answered.status, kUserData, judgement);
    } else if (answered.type == DXGKQAITYPE_DRIVERCAPS) {
      note(caps, trace, index, process, answered.status, kCaps, judgement);
    }
  }
  judge(user_data, kUserData, judgement);
  judge(caps, kCaps, judgement);
  // What an escape is about its driver says: it may be about the process.
  for (const std::uint32_t index : trace.of<ev::EscapeAnswered>()) {
    if (trace.at<ev::EscapeAnswered>(index).process == 0) judgement.reached(index);
  }
}

// A driver that keeps what it answers with its process.
class AnswersProcesses final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    if (query->Type == DXGKQAITYPE_UMDRIVERPRIVATE && query->hKmdProcessHandle == nullptr) {
      return STATUS_INVALID_HANDLE;
    }
    return Interposer::QueryAdapterInfo(adapter, query);
  }
};

NotApplicable with_processes(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::CreateProcess)) return reason;
  return needs(platform, DdiId::QueryAdapterInfo);
}

const Rule kRule{
    .id = "MCDM-040",
    .title = "A NULL process handle is tolerated",
    .rule =
        "hKmdProcessHandle of QueryAdapterInfo and of Escape may be NULL in every call: what "
        "QueryAdapterInfo answers with the handle of a process it answers without it too, and "
        "neither uses the handle.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_queryadapterinfo.md # hKmdProcessHandle\n"
        "ns-d3dkmddi-_dxgkarg_escape.md # hKmdProcessHandle\n"
        "gpu-paravirtualization.md # DxgkDdiQueryAdapterInfo updates, DxgkDdiEscape updates",
    .note =
        "The pages ask drivers to check for NULL. That what succeeds with a process does so "
        "without "
        "is derived, as no query is said to need one; what is answered may differ. An Escape holds "
        "private data here that no user mode of the driver's has made.",
    .applies = with_processes,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::ComputeOnly, Configured::IoMmu},
    .scenario = R"(
about: asked while a process has a context and an allocation, and while a second one has
ops:
- create_context: {context: 0}
- create_allocation: {allocation: 0}
- requery
- create_device: {device: 1, process: 1}
- create_context: {context: 1, device: 1}
- requery
)",
    .control = R"(
about: asked before anybody has done anything
ops:
- requery
)",
    .fault = {.about = "UMDRIVERPRIVATE fails without a process",
              .interposer = [] { return std::unique_ptr<Interposer>(new AnswersProcesses); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_040
