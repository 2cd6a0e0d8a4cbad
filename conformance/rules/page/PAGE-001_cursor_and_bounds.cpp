// PAGE-001: what BuildPagingBuffer writes lies between the old and the new cursor.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::page_001 {
namespace {

// A command may end in bytes that look like the pattern of an untouched buffer.
constexpr std::int64_t kMostAmbiguous = 8;

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::PagingBuilt>()) {
    const auto call = trace.at<ev::PagingBuilt>(index);
    const auto arguments = trace.blob<PagingArguments>(trace.events()[index]);
    judgement.reached(index);
    if (call.used < 0 || static_cast<std::uint32_t>(call.used) > call.given) {
      judgement.fail(index, "pDmaBuffer stays within the buffer",
                     "it moved by " + std::to_string(call.used) + " of " +
                         std::to_string(call.given) + " bytes");
      continue;
    }
    if (call.private_used < 0 ||
        static_cast<std::uint32_t>(call.private_used) > call.private_given) {
      judgement.fail(index, "pDmaBufferPrivateData stays within its area",
                     "it moved by " + std::to_string(call.private_used) + " of " +
                         std::to_string(call.private_given) + " bytes");
    }
    if (call.status != STATUS_SUCCESS || arguments.empty()) continue;
    const std::int64_t written = arguments.front().written;
    // What Patch is to write, a driver may have reserved.
    const bool complete = platform.has_virtual_addresses();
    if (written > call.used || (complete && call.used - written > kMostAmbiguous)) {
      judgement.fail(
          index, "pDmaBuffer has advanced by exactly the bytes written",
          std::to_string(written) + " bytes are written, it moved by " + std::to_string(call.used));
    }
  }
  for (const std::uint32_t index : trace.of<ev::GuardDamaged>()) {
    const auto damaged = trace.at<ev::GuardDamaged>(index);
    const auto area = static_cast<GuardArea>(damaged.area);
    if (area != GuardArea::PagingBuffer && area != GuardArea::PagingPrivateData) continue;
    judgement.fail(index, "nothing is written outside of the two areas",
                   std::to_string(damaged.bytes) + " bytes from " + std::to_string(damaged.first) +
                       " on are changed");
  }
}

// A driver that has begun another command and forgets to count it.
class WritesBehindCursor final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    auto* const first = static_cast<unsigned char*>(build->pDmaBuffer);
    auto* const end = first + build->DmaSize;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    auto* const next = static_cast<unsigned char*>(build->pDmaBuffer);
    if (status == STATUS_SUCCESS && next > first && next < end) *next = 0;
    return status;
  }
};

const Rule kRule{
    .id = "PAGE-001",
    .title = "Paging buffer cursor and bounds",
    .rule =
        "On STATUS_SUCCESS pDmaBuffer has advanced by exactly the bytes written; 0 is allowed "
        "where the "
        "CPU has done the work. On every return nothing is written outside of DmaSize bytes from "
        "pDmaBuffer on, nor outside of the private data.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # pDmaBuffer, DmaSize, pDmaBufferPrivateData\n"
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # Remarks",
    .note =
        "DmaSize is marked in and out, but the remarks ask for pDmaBuffer only: what was used "
        "follows from "
        "pDmaBuffer, and DmaSize is ignored after the call. Bytes that the cursor passes may be "
        "left to Patch, which one page calls for paging buffers too, and another lets write the "
        "fence. Whether up to eight bytes at the end "
        "were "
        "written cannot be told from the pattern of an untouched buffer.",
    .applies = paging,
    .check = check,
    .played_in =
        kBothAddressings | ConfigurationSet{Configured::FourLevels, Configured::PaddedCommands},
    .scenario = R"(
about: operations one behind the other, in a buffer of the size asked for and in others that end soon
ops:
- create_allocation: {allocation: 0, pages: 1, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x04030201}
- idle
- paging_buffer: {measure: needed_plus, bytes: 4, packed: true}
- fill_memory: {allocation: 0, pattern: 0x14131211}
- fill_memory: {allocation: 0, pattern: 0x24232221}
- fill_memory: {allocation: 0, pattern: 0x34333231}
- map_aperture: {page: 5, pages: 2}
- unmap_aperture: {page: 5}
- map_aperture: {page: 9, pages: 2}
- unmap_aperture: {page: 9}
- map_aperture: {page: 13, pages: 2}
- unmap_aperture: {page: 13}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- discard: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x44434241}
- idle
- paging_buffer: {measure: needed_plus, bytes: 12, packed: true}
- fill_memory: {allocation: 0, pattern: 0x14131211}
- fill_memory: {allocation: 0, pattern: 0x24232221}
- fill_memory: {allocation: 0, pattern: 0x34333231}
- map_aperture: {page: 5, pages: 2}
- unmap_aperture: {page: 5}
- map_aperture: {page: 9, pages: 2}
- unmap_aperture: {page: 9}
- map_aperture: {page: 13, pages: 2}
- unmap_aperture: {page: 13}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- discard: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x44434241}
- idle
)",
    .control = R"(
about: a Discard may need no command at all
ops:
- create_allocation: {allocation: 0, pages: 1, place: local}
- make_resident: {allocation: 0}
- discard: {allocation: 0}
- idle
)",
    .fault = {.about = "a byte is written behind the returned pDmaBuffer",
              .interposer = [] { return std::unique_ptr<Interposer>(new WritesBehindCursor); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_001
