// SUBMIT-015: a buffer that runs whole does what its commands say.

#include <cstring>

#include "conformance/host/interposer.h"
#include "conformance/rules/differing_memory.h"
#include "conformance/rules/render/render_status.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/split/split_memory.h"
#include "conformance/rules/submit/silent_engines.h"

namespace wddm::submit_015 {
namespace {

// Render ops of which one pass made all, or user mode itself. With patch lists a client of WDDM 2
// hands on what Render then makes, in as many passes as it takes.
ScratchSet<std::uint32_t> made_in_one_pass(const Trace& trace) {
  ScratchSet<std::uint32_t> renders;
  for (const std::uint32_t index : trace.of<ev::BufferBuilt>()) {
    renders.insert(trace.at<ev::BufferBuilt>(index).render);
  }
  for (const std::uint32_t index : trace.of<ev::Rendered>()) {
    const auto call = trace.at<ev::Rendered>(index);
    if (call.pass == 0 && !render::incomplete(call.status)) {
      renders.insert(call.render);
    } else {
      renders.erase(call.render);
    }
  }
  // What Present was to do PRESENT-001 judges.
  for (const std::uint32_t index : trace.of<ev::PresentAsked>()) {
    renders.erase(trace.at<ev::PresentAsked>(index).render);
  }
  // What the driver has built itself MCDM-045 judges.
  for (const std::uint32_t index : trace.of<ev::TestSubmitted>()) {
    renders.erase(trace.at<ev::TestSubmitted>(index).render);
  }
  // Such a buffer may find its pages where they were before.
  for (const std::uint32_t index : trace.of<ev::NotAwaited>()) {
    renders.erase(trace.at<ev::NotAwaited>(index).render);
  }
  // What such a buffer must not do PROC-010 and RENDER-008 judge.
  for (const std::uint32_t index : trace.of<ev::PrivilegedBuilt>()) {
    renders.erase(trace.at<ev::PrivilegedBuilt>(index).render);
  }
  // What those do that leave things out CTX-015 and CTX-014 judge.
  for (const std::uint32_t index : trace.of<ev::StateCountedOn>()) {
    renders.erase(trace.at<ev::StateCountedOn>(index).render);
  }
  return renders;
}

// What a packet leaves that was refused, or that a fault or a reset broke off, says nothing of its
// commands.
ScratchSet<std::uint32_t> completed_packets(const Trace& trace) {
  ScratchSet<std::uint32_t> packets;
  for (const std::uint32_t index : trace.of<ev::PacketEnded>()) {
    const auto ended = trace.at<ev::PacketEnded>(index);
    const bool completed = ended.fate == static_cast<std::uint32_t>(PacketFate::Completed);
    if (ended.paging == 0 && completed) packets.insert(ended.packet);
  }
  return packets;
}

// Who was cut is judged by SPLIT-005 and SPLIT-018, who was made in passes by RENDER-005.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto one_pass = made_in_one_pass(trace);
  const auto completed = completed_packets(trace);
  const auto buffers = split::submissions_of(trace);
  ScratchMap<std::uint32_t, std::uint32_t> whole;  // Submitted, by packet
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    const auto submitted = trace.at<ev::Submitted>(index);
    if (submitted.paging != 0 || buffers.find(submitted.render)->second.portions != 1) continue;
    if (!one_pass.contains(submitted.render)) continue;
    whole[submitted.packet] = index;
  }
  const auto is_render = [](std::uint32_t cause) {
    return cause == static_cast<std::uint32_t>(MemoryCause::Render);
  };
  for (const std::uint32_t index : trace.of<ev::MemoryChecked>()) {
    const auto checked = trace.at<ev::MemoryChecked>(index);
    if (!is_render(checked.cause) || !whole.contains(checked.object)) continue;
    if (submit::memory_says_nothing(trace, checked.object, index)) continue;
    if (completed.contains(checked.object)) judgement.reached(index);
  }
  for (const std::uint32_t index : trace.of<ev::MemoryDiffers>()) {
    const auto differs = trace.at<ev::MemoryDiffers>(index);
    if (!is_render(differs.cause)) continue;
    const auto packet = whole.find(differs.cause_object);
    if (packet == whole.end()) continue;
    if (submit::memory_says_nothing(trace, differs.cause_object, index)) continue;
    judgement.fail(index, "memory as the commands of the buffer leave it", difference_text(differs),
                   {packet->second});
  }
}

// What the scenario writes, and where: one of both stands in the commands of most GPUs.
constexpr UINT kPattern = 0x5eedf111;
constexpr UINT kOffset = 1508;

// A driver that mangles a value on its way into the DMA buffer.
class Mangles final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    auto* const first = static_cast<UCHAR*>(render->pDmaBuffer);
    const NTSTATUS status = Interposer::Render(context, render);
    mangle(first, static_cast<UCHAR*>(render->pDmaBuffer));
    return status;
  }

 private:
  static void mangle(UCHAR* at, const UCHAR* end) {
    for (; end - at >= 4; at += 4) {
      if (std::memcmp(at, &kPattern, 4) == 0) *at ^= 1;
      if (std::memcmp(at, &kOffset, 4) == 0) *at ^= 0x20;
    }
  }
};

const Rule kRule{
    .id = "SUBMIT-015",
    .title = "A buffer that runs whole does what its commands say",
    .evidence = Evidence::Memory,
    .rule =
        "A buffer that one call of Render has made, or user mode for GPU virtual addresses, and "
        "that runs in one piece, however often it is stopped on the way, leaves every allocation "
        "with the bytes that its commands say.",
    .sources =
        "nc-d3dkmddi-dxgkddi_render.md # Remarks (translate)\n"
        "nc-d3dkmddi-dxgkddi_submitcommand.md # Remarks\n"
        "nc-d3dkmddi-dxgkddi_submitcommandvirtual.md",
    .note =
        "The least that a driver owes its user mode. Judged by what the client's plug-in says its "
        "commands mean; where user mode lies, nothing is predicted, and a buffer whose client has "
        "not waited for its paging is not judged. Of a buffer that a fault or a reset broke off, "
        "only what it does not use is held to be as it was.",
    .applies = running_commands,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::IoMmuAlone},
    .scenario = R"(
about: draws with patterns and places of their own
ops:
- create_allocation: {allocation: 0}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, offset: 0, size: 4, value: 0x5eedf110}
- fill: {slot: 0, offset: 1508, size: 4, value: 0x5eedf111}
- idle
# The allocation has its place now: what Render writes is all that leads there.
- prepatch: {mode: skip_patch}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 0}
- fill: {slot: 0, offset: 2048, size: 4, value: 0x5eedf112}
- copy: {slot: 1, source: 0, offset: 3004, source_offset: 2048, size: 4}
- idle
)",
    .control = R"(
about: one draw with another; then many slots are bound at once, and all of them otherwise; then allocations that a buffer lists in another order, and a copy across pages
ops:
- create_allocation: {allocation: 0}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
# The built-in driver has no more slots than these: none of them stays as it was, or is free.
- create_allocation: {allocation: 1, pages: 2}
- create_allocation: {allocation: 2, pages: 2}
- render: {context: 0}
- bind: {slot: 0, allocation: 1}
- bind: {slot: 1, allocation: 2}
- bind: {slot: 2, allocation: 1}
- bind: {slot: 3, allocation: 2}
- bind: {slot: 4, allocation: 1}
- bind: {slot: 5, allocation: 2}
- bind: {slot: 6, allocation: 1}
- bind: {slot: 7, allocation: 2}
- bind: {slot: 8, allocation: 1}
- bind: {slot: 9, allocation: 2}
- bind: {slot: 10, allocation: 1}
- bind: {slot: 11, allocation: 2}
- bind: {slot: 12, allocation: 1}
- bind: {slot: 13, allocation: 2}
- bind: {slot: 14, allocation: 1}
- bind: {slot: 15, allocation: 2}
- fill: {slot: 3, offset: 0, size: 512, value: 0x31323334}
- bind: {slot: 0, allocation: 2}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- bind: {slot: 3, allocation: 1}
- bind: {slot: 4, allocation: 2}
- bind: {slot: 5, allocation: 1}
- bind: {slot: 6, allocation: 2}
- bind: {slot: 7, allocation: 1}
- bind: {slot: 8, allocation: 2}
- bind: {slot: 9, allocation: 1}
- bind: {slot: 10, allocation: 2}
- bind: {slot: 11, allocation: 1}
- bind: {slot: 12, allocation: 2}
- bind: {slot: 13, allocation: 1}
- bind: {slot: 14, allocation: 2}
- bind: {slot: 15, allocation: 1}
- fill: {slot: 3, offset: 1024, size: 512, value: 0x41424344}
- fill: {slot: 4, offset: 2048, size: 512, value: 0x51525354}
- idle
# Clients list what they bind in that order: the same two, first in this one, then in the other, and
# one of them alone.
- render: {context: 0}
- bind: {slot: 0, allocation: 1}
- bind: {slot: 1, allocation: 2}
- copy: {slot: 0, source: 1, offset: 4096, source_offset: 2048, size: 64}
- idle
- render: {context: 0}
- bind: {slot: 1, allocation: 2}
- bind: {slot: 0, allocation: 1}
- copy: {slot: 1, source: 0, offset: 4160, source_offset: 1024, size: 64}
- idle
- render: {context: 0}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 4224, size: 64, value: 0x61626364}
- idle
# A copy from the middle of pages to that of others, where these lie anywhere in system memory, and
# of bytes that are not the same in each of them.
- create_allocation: {allocation: 3, pages: 3, place: aperture}
- create_allocation: {allocation: 4, pages: 3, place: aperture}
- render: {context: 0}
- bind: {slot: 0, allocation: 3}
- fill: {slot: 0, offset: 0, size: 2048, value: 0x71727374}
- fill: {slot: 0, offset: 2048, size: 4096, value: 0x81828384}
- fill: {slot: 0, offset: 6144, size: 6144, value: 0x91929394}
- idle
- render: {context: 0}
- bind: {slot: 0, allocation: 3}
- bind: {slot: 1, allocation: 4}
- copy: {slot: 1, source: 0, offset: 2048, source_offset: 1024, size: 6144}
- idle
- evict: {allocation: 4}
- idle
)",
    .fault = {.about = "one bit of what is written, or of where, is lost in Render",
              .interposer = [] { return std::unique_ptr<Interposer>(new Mangles); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::submit_015
