// ALLOC-015: a driver writes all of its answer, and takes nothing for granted of what stood there.

#include <cstddef>
#include <string>

#include "conformance/host/interposer.h"
#include "conformance/rules/caps/query_names.h"
#include "conformance/rules/rule.h"
#include "reference/trace/op.h"

namespace wddm::alloc_015 {
namespace {

// Reserved for the system.
constexpr std::uint32_t kReserved = offsetof(DXGK_CONTEXTINFO, Reserved);

bool is_prefill(const Event& event) {
  return Trace::as<ev::OpStarted>(event).kind == static_cast<std::uint32_t>(OpKind::Prefill);
}

bool leaves_only_what_is_reserved(const ev::AnswerUnwritten& left) {
  return left.ddi == static_cast<std::uint32_t>(DdiId::CreateContext) && left.member == kReserved &&
         left.bytes == sizeof(DXGK_CONTEXTINFO::Reserved);
}

// What is answered, for a verdict.
std::string answer_of(const ev::AnswerUnwritten& left) {
  const auto ddi = static_cast<DdiId>(left.ddi);
  if (ddi == DdiId::CreateAllocation) return "DXGK_ALLOCATIONINFO";
  if (ddi == DdiId::CreateContext) return "ContextInfo";
  if (ddi == DdiId::CreateDevice) return "DXGK_DEVICEINFO";
  if (ddi == DdiId::QueryAdapterInfo) {
    return "the answer to " + caps::query_name(left.object);
  }
  return std::string("the arguments of ") + ddi_info(ddi).name;
}

// Of a call that failed no answer is read.
bool is_answered(const Trace& trace, std::uint32_t index) {
  if (trace.events()[index].kind != EventKind::ContextCreated) return true;
  return NT_SUCCESS(static_cast<NTSTATUS>(trace.at<ev::ContextCreated>(index).status));
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  bool prefilled = false;
  for (const std::uint32_t index : trace.of_any<ev::OpStarted, ev::AllocationCreated,
                                                ev::ContextCreated, ev::AnswerUnwritten>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      prefilled = prefilled || is_prefill(event);
    } else if (event.kind != EventKind::AnswerUnwritten) {
      if (prefilled && is_answered(trace, index)) judgement.reached(index);
    } else if (const auto left = Trace::as<ev::AnswerUnwritten>(event);
               !leaves_only_what_is_reserved(left)) {
      judgement.fail(index, "every member of " + answer_of(left) + " that is out",
                     std::to_string(left.bytes) + " bytes from offset " +
                         std::to_string(left.member) + " on are as they were before the call");
    }
  }
}

// A driver that leaves alone what is zero anyway.
class CountsOnZeros final : public Interposer {
 public:
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    const UINT before = create->pAllocationInfo[0].EvictionSegmentSet;
    const NTSTATUS status = Interposer::CreateAllocation(adapter, create);
    create->pAllocationInfo[0].EvictionSegmentSet = before;
    return status;
  }
};

const Rule kRule{
    .id = "ALLOC-015",
    .title = "Answers do not rest on what stood in their place",
    .level = Level::Should,
    .grade = Grade::UndocumentedReliance,
    .rule =
        "CreateAllocation writes every member of DXGK_ALLOCATIONINFO that is out, CreateContext "
        "all of ContextInfo, and CreateDevice of the DXGK_DEVICEINFO that it is given, 0 as well; "
        "OpenAllocation writes each hDeviceSpecificAllocation, CreateProcess hKmdProcess and "
        "QueryCurrentFence CurrentFence. Of a segment the queries for segments write Flags, "
        "BaseAddress, Size and, as the form has it, CommitLimit or NumInvalidMemoryRanges, and all "
        "of the paging buffer; and the query for a physical adapter its nodes, handle and flags.",
    .sources =
        "ns-d3dkmddi-_dxgk_allocationinfo.md # members ([out])\n"
        "ns-d3dkmddi-_dxgk_contextinfo.md # members ([out])\n"
        "ns-d3dkmddi-_dxgkarg_createcontext.md # ContextInfo\n"
        "ns-d3dkmddi-_dxgk_deviceinfo.md # members ([out])\n"
        "ns-d3dkmddi-_dxgk_openallocationinfo.md # hDeviceSpecificAllocation\n"
        "ns-d3dkmddi-_dxgkarg_createprocess.md # hKmdProcess\n"
        "ns-d3dkmddi-_dxgkarg_querycurrentfence.md # CurrentFence\n"
        "ns-d3dkmddi-_dxgk_segmentdescriptor.md # members ([out])\n"
        "ns-d3dkmddi-_dxgk_querysegmentout4.md # NbSegment (second time)\n"
        "ns-d3dkmddi-_dxgk_physicaladaptercaps.md # members",
    .note =
        "No page says what these hold before the call; handles of devices and contexts are that of "
        "Dxgkrnl there, and DxgkDdiCreateDevice may point to a structure of its own. Answers to "
        "queries are compared with those over zeros, which Dxgkrnl gives; CPU addresses and banks "
        "of segments count where flags say so alone, and are left out. Members that are reserved "
        "may stay, and "
        "those of WDDM 2.0 in a driver of an older interface. Private data of DMA and paging "
        "buffers are no answer: they are zero when the buffer is created, and a driver may count "
        "on it, but not where the buffer is used again.",
    .applies = paging,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::Contextless},
    .scenario = R"(
about: a pattern stands where the driver is to answer, of allocations one by one, of a resource of several, and opened by another process too; then work and paging
ops:
- prefill
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: aperture, cpu_visible: true}
- create_allocation: {allocation: 2}
- create_device: {device: 1, process: 1}
- share
- create_allocation: {allocation: 3}
- open_allocation: {allocation: 3, device: 1}
- share: {on: false}
- create_context: {context: 0}
- requery: {allocations: 2}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- idle
- query_fence: {node: 0}
)",
    .control = R"(
about: zeros stand there
ops:
- create_allocation: {allocation: 0, place: local}
- create_context: {context: 0}
)",
    .fault = {.about = "EvictionSegmentSet is written only where it is not 0",
              .interposer = [] { return std::unique_ptr<Interposer>(new CountsOnZeros); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_015
