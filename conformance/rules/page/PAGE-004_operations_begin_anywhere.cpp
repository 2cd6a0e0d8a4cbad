// PAGE-004: an operation that begins in the middle of a paging buffer does what it is to do.

#include <cstring>

#include "conformance/host/interposer.h"
#include "conformance/rules/page/operation.h"

namespace wddm::page_004 {
namespace {

constexpr std::uint32_t kAlignedTo = 4096;  // a paging buffer, as the first call gets it

// What differs behind a map or an unmap is what others have written.
bool is_judged(const page::CheckedOperation& operation) {
  return operation.done.packet != kNone && !page::redirects(operation.done.operation) &&
         !operation.disturbed;
}

bool is_packed(const page::CheckedOperation& operation) {
  return operation.arguments.start % kAlignedTo != 0;
}

// Operations that the driver gets right where they begin a buffer, in the same trace: what it gets
// wrong there too is of the clauses on what they do.
ScratchSet<std::uint32_t> right_at_the_start(const Trace& trace) {
  const page::CheckedOperations& checked = trace.ledger<page::CheckedOperations>();
  ScratchSet<std::uint32_t> right, wrong;
  for (const page::CheckedOperations::Found& found : checked.found()) {
    const page::CheckedOperation& operation = checked.of(found);
    if (!is_judged(operation) || is_packed(operation)) continue;
    const bool compared = trace.events()[found.event].kind == EventKind::MemoryChecked;
    (compared ? right : wrong).insert(operation.done.operation);
  }
  for (const std::uint32_t operation : wrong) right.erase(operation);
  return right;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const ScratchSet<std::uint32_t> right = right_at_the_start(trace);
  page::judge_memory(trace, judgement,
                     "what is written behind other operations runs by itself, with the padding "
                     "that the GPU needs",
                     [&right](const page::CheckedOperation& operation) {
                       return is_judged(operation) && is_packed(operation) &&
                              right.contains(operation.done.operation);
                     });
}

// A driver that takes the page of pDmaBuffer for the buffer that it has filled.
class TakesTheWholePage final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    auto* const first = static_cast<UCHAR*>(build->pDmaBuffer);
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    const ULONG_PTR inside = reinterpret_cast<ULONG_PTR>(first) % kAlignedTo;
    const auto used = static_cast<ULONG_PTR>(static_cast<UCHAR*>(build->pDmaBuffer) - first);
    if (used != 0 && used <= inside) std::memcpy(first, first - inside, used);
    return status;
  }
};

const Rule kRule{
    .id = "PAGE-004",
    .title = "Operations may begin anywhere in a paging buffer",
    .evidence = Evidence::Memory,
    .rule =
        "A new paging buffer is aligned on 4 KB. Further operations begin at the byte where the "
        "one before has ended, and each is submitted alone: a driver whose GPU wants more pads "
        "what it writes, so that every range from the old to the new pDmaBuffer can be executed.",
    .sources = "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # pDmaBuffer",
    .note =
        "Which alignment a GPU wants only its driver knows: judged is what an operation does whose "
        "like does what it should at the start of a buffer. Where the CPU does all paging, nothing "
        "is judged.",
    .applies = paging,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::FourLevels},
    .scenario = R"(
about: fills, and what takes other space than they do, one behind the other
ops:
# First each begins a buffer of its own.
- paging_buffer: {packed: false}
- create_allocation: {allocation: 0, pages: 1, place: local}
- create_allocation: {allocation: 1, pages: 1, place: local}
- create_allocation: {allocation: 2, pages: 3, place: local}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- idle
- fill_memory: {allocation: 2, pattern: 0x12345678}
- idle
- evict: {allocation: 2}
- idle
- make_resident: {allocation: 2}
- idle
- fill_memory: {allocation: 0, pattern: 0x0f0f0f0f}
- idle
- paging_buffer: {packed: true}
- fill_memory: {allocation: 0, pattern: 0x11111111}
- fill_memory: {allocation: 1, pattern: 0x22222222}
- fill_memory: {allocation: 2, pattern: 0x33333333}
- evict: {allocation: 2}
- discard: {allocation: 1}
- make_resident: {allocation: 2}
- fill_memory: {allocation: 0, pattern: 0x44444444}
- fill_memory: {allocation: 1, pattern: 0x55555555}
- map_aperture: {page: 7, pages: 1}
- fill_memory: {allocation: 2, pattern: 0x66666666}
- unmap_aperture: {page: 7}
- fill_memory: {allocation: 0, pattern: 0x77777777}
- idle
)",
    .control = R"(
about: each operation begins a buffer
ops:
- paging_buffer: {packed: false}
- create_allocation: {allocation: 0, pages: 1, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11111111}
- fill_memory: {allocation: 0, pattern: 0x22222222}
- idle
)",
    .fault = {.about = "behind another operation the first of the buffer is written once more",
              .interposer = [] { return std::unique_ptr<Interposer>(new TakesTheWholePage); },
              .also_fires = "FENCE-001 PAGE-012 SUBMIT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_004
