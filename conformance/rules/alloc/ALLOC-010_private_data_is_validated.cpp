// ALLOC-010: private data of allocations come from user mode, and are looked at before they are
// used.

#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "reference/trace/op.h"

namespace wddm::alloc_010 {
namespace {

std::string with_data(const ev::HostileDataTried& tried) {
  return ", with " + std::to_string(tried.given) + " of " + std::to_string(tried.whole) +
         " bytes of private data";
}

const char* impossible(std::uint32_t what) {
  constexpr std::uint32_t kUnknownSegment = 1, kNoSegment = 2, kNoBytes = 4;
  return (what & kUnknownSegment) != 0 ? "a segment that is not there"
         : (what & kNoSegment) != 0    ? "no segment"
         : (what & kNoBytes) != 0      ? "Size 0"
                                       : "a GPU that is not there";
}

// With a neighbour in the driver pool changes for other reasons too.
void judge_call(const ev::HostileDataTried& tried, std::uint32_t index, bool alone,
                Judgement& judgement) {
  if (tried.data == static_cast<std::uint32_t>(DataOf::Context)) return;  // CTX-013
  judgement.reached(index);
  if (tried.damaged != 0) {
    judgement.fail(index, "nothing is written behind the private data",
                   std::to_string(tried.damaged) + " bytes are" + with_data(tried));
  } else if (alone && !NT_SUCCESS(static_cast<NTSTATUS>(tried.status)) && tried.left_blocks > 0) {
    judgement.fail(index, "what is refused leaves nothing",
                   std::to_string(tried.left_blocks) + " blocks of pool" + with_data(tried));
  } else if (tried.impossible != 0) {
    judgement.fail(index, "an error, or an allocation that VidMm can find a place for",
                   std::string("success, and DXGK_ALLOCATIONINFO names ") +
                       impossible(tried.impossible) + with_data(tried));
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  bool trying = false, alone = true;
  // The first call of each kind in an op is one with untouched data.
  bool created = false, opened = false;
  std::uint32_t called = kNone;  // a later one that has not returned
  for (const std::uint32_t index : trace.of_any<ev::OpStarted, ev::DdiEntered, ev::DdiReturned,
                                                ev::HostileDataTried, ev::Hung>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      const auto op = static_cast<OpKind>(Trace::as<ev::OpStarted>(event).kind);
      trying = op == OpKind::HostileData;
      alone = alone && op != OpKind::Neighbour;
      created = opened = false;
    } else if (event.kind == EventKind::DdiEntered) {
      const auto ddi = static_cast<DdiId>(Trace::as<ev::DdiEntered>(event).ddi);
      if (!trying) continue;
      if (ddi == DdiId::CreateAllocation && std::exchange(created, true)) called = index;
      if (ddi == DdiId::OpenAllocation && std::exchange(opened, true)) called = index;
    } else if (event.kind == EventKind::HostileDataTried) {
      judge_call(Trace::as<ev::HostileDataTried>(event), index, alone, judgement);
    } else {
      called = kNone;  // it returned, or waits: waiting is no fault
    }
  }
  // A crash ends the process, and the trace with it.
  if (called == kNone || trace.truncated()) return;
  judgement.reached(called);
  judgement.fail(called, "the call refuses private data that it cannot use", "it did not return");
}

NotApplicable making(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::CreateAllocation)) return reason;
  return needs(platform, DdiId::OpenAllocation);
}

// A driver that takes it for granted that its own structure was passed.
class TrustsTheSize final : public Interposer {
 public:
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    for (UINT i = 0; i < create->NumAllocations; ++i) {
      const DXGK_ALLOCATIONINFO& info = create->pAllocationInfo[i];
      known_ = std::max(known_, info.PrivateDriverDataSize);
      const auto* const last = static_cast<const volatile UCHAR*>(info.pPrivateDriverData);
      if (known_ != 0) static_cast<void>(last[known_ - 1]);
    }
    return Interposer::CreateAllocation(adapter, create);
  }

 private:
  UINT known_ = 0;
};

const Rule kRule{
    .id = "ALLOC-010",
    .title = "Untrusted private driver data is validated",
    .level = Level::Should,
    .grade = Grade::Robustness,
    .rule =
        "Private data of an allocation or of its resource come from user mode: a size or a value "
        "that the driver cannot use makes CreateAllocation or OpenAllocation return an error. "
        "Nothing is read or written behind them, and nothing stays behind what was refused. What "
        "is "
        "taken is described as an allocation can be: by segments and a GPU that are there.",
    .sources =
        "nc-d3dkmddi-dxgkddi_createallocation.md # Return value, Remarks\n"
        "nc-d3dkmddi-dxgkddi_openallocationinfo.md # Return value\n"
        "ns-d3dkmddi-_dxgk_allocationinfo.md # Size, SupportedWriteSegmentSet, "
        "PhysicalAdapterIndex",
    .note =
        "The pages list the statuses and lay down no duty to look, hence should. A driver that "
        "does not need what is missing may succeed; which error it returns is not judged. The end "
        "of the data is as exact as the alignment of pool, 16 bytes. When a call has returned its "
        "data are gone: who looks at them later shows by what comes of it.",
    .applies = making,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::MemoryAlone},
    .scenario = R"(
about: private data that are altered, short, or not there at all, when allocations come and when they are opened
ops:
- hostile_data: {data: allocation, change: true}
- hostile_data: {data: allocation, change: true, offset: 4}
- hostile_data: {data: allocation, change: true, offset: 8}
- hostile_data: {data: allocation, change: true, offset: 16}
# Numbers of something, or far beyond any.
- hostile_data: {data: allocation, change: true, offset: 12}
- hostile_data: {data: allocation, change: true, offset: 20}
- hostile_data: {data: allocation, change: true, offset: 24}
- hostile_data: {data: allocation, change: true, offset: 28}
- hostile_data: {data: allocation, change: true, offset: 32}
- hostile_data: {data: allocation, change: true, offset: 36}
- hostile_data: {data: allocation, change: true, offset: 16, value: 1}
- hostile_data: {data: allocation, change: true, offset: 20, value: 1}
- hostile_data: {data: allocation, change: true, offset: 24, value: 1}
- hostile_data: {data: allocation, change: true, offset: 28, value: 1}
- hostile_data: {data: allocation, change: true, offset: 32, value: 1}
- hostile_data: {data: allocation, change: true, offset: 36, value: 1}
- hostile_data: {data: allocation, change: true, offset: 16, value: 4}
- hostile_data: {data: allocation, change: true, offset: 36, value: 4}
- hostile_data: {data: opened, change: true}
- hostile_data: {data: opened, cut: 16}
- hostile_data: {data: opened, cut: 65536}
- hostile_data: {data: resource, change: true}
- hostile_data: {data: resource, cut: 16}
- hostile_data: {data: resource, cut: 65536}
- hostile_data: {data: allocation, cut: 1}
- hostile_data: {data: allocation, cut: 16}
- hostile_data: {data: allocation, cut: 65536}
)",
    .control = R"(
about: private data as the client made them; then each word of those that an allocation is opened with, and of those of its resource, is another, by much and by one bit
ops:
- hostile_data: {data: allocation}
- hostile_data: {data: opened}
- hostile_data: {data: opened, change: true, flip: true, value: 0x00000001}
- hostile_data: {data: opened, change: true, offset: 4}
- hostile_data: {data: opened, change: true, flip: true, offset: 4, value: 0x00000001}
- hostile_data: {data: opened, change: true, offset: 8}
- hostile_data: {data: opened, change: true, flip: true, offset: 8, value: 0x00000001}
- hostile_data: {data: opened, change: true, offset: 12}
- hostile_data: {data: opened, change: true, flip: true, offset: 12, value: 0x00000001}
- hostile_data: {data: opened, change: true, offset: 16}
- hostile_data: {data: opened, change: true, flip: true, offset: 16, value: 0x00000001}
- hostile_data: {data: opened, change: true, offset: 20}
- hostile_data: {data: opened, change: true, flip: true, offset: 20, value: 0x00000001}
- hostile_data: {data: opened, change: true, offset: 24}
- hostile_data: {data: opened, change: true, flip: true, offset: 24, value: 0x00000001}
- hostile_data: {data: opened, change: true, offset: 28}
- hostile_data: {data: opened, change: true, flip: true, offset: 28, value: 0x00000001}
- hostile_data: {data: opened, change: true, offset: 32}
- hostile_data: {data: opened, change: true, flip: true, offset: 32, value: 0x00000001}
- hostile_data: {data: opened, change: true, offset: 36}
- hostile_data: {data: opened, change: true, flip: true, offset: 36, value: 0x00000001}
- hostile_data: {data: resource, change: true, flip: true, value: 0x00000001}
- hostile_data: {data: resource, change: true, offset: 4}
- hostile_data: {data: resource, change: true, flip: true, offset: 4, value: 0x00000001}
- hostile_data: {data: resource, change: true, offset: 8}
- hostile_data: {data: resource, change: true, flip: true, offset: 8, value: 0x00000001}
- hostile_data: {data: resource, change: true, offset: 12}
- hostile_data: {data: resource, change: true, flip: true, offset: 12, value: 0x00000001}
- hostile_data: {data: resource, change: true, offset: 16}
- hostile_data: {data: resource, change: true, flip: true, offset: 16, value: 0x00000001}
- hostile_data: {data: resource, change: true, offset: 20}
- hostile_data: {data: resource, change: true, flip: true, offset: 20, value: 0x00000001}
- hostile_data: {data: opened, cut: 1}
- hostile_data: {data: resource, cut: 1}
- hostile_data: {data: opened}
)",
    .fault = {.about = "CreateAllocation reads as many bytes as it was ever given",
              .interposer = [] { return std::unique_ptr<Interposer>(new TrustsTheSize); },
              .also_fires = "CRASH"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_010
