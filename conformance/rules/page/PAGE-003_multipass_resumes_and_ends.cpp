// PAGE-003: an operation in several buffers has the effect of the whole.

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/page/aperture_faults.h"
#include "conformance/rules/page/begun_anew.h"
#include "conformance/rules/page/mapped_in_passes.h"
#include "conformance/rules/page/operation.h"
#include "conformance/rules/preempt/first_preemption.h"

namespace wddm::page_003 {
namespace {

constexpr const char* kWholeMap = "the buffers of one map together map all of its pages";

// Where a trace tells first of what would explain differences as well: of packets that were
// stopped, or of accesses that reached nothing.
std::uint32_t first_trouble(const Trace& trace) {
  const std::uint32_t preempted = preempt::first_preemption(trace);
  for (const std::uint32_t index : trace.of<ev::DeviceLogged>()) {
    if (index >= preempted) break;
    if (trace.at<ev::DeviceLogged>(index).kind == WDDM_DEVICE_FAULT) return index;
  }
  return preempted;
}

// What commands write through a map shows where it leads. It is to blame only where all is well
// that was mapped in one buffer, and nothing else has gone wrong before.
void check_maps(const Trace& trace, Judgement& judgement) {
  const auto mapped = page::mapped_in_passes(trace);
  if (mapped.empty()) return;
  const std::uint32_t trouble = first_trouble(trace);
  bool others_well = false;
  for (const std::uint32_t index : trace.of<ev::MemoryChecked>()) {
    const auto checked = trace.at<ev::MemoryChecked>(index);
    others_well |= checked.cause == static_cast<std::uint32_t>(MemoryCause::Render) &&
                   checked.differences == 0;
  }
  if (!others_well) return;
  for (const std::uint32_t index : trace.of<ev::MemoryDiffers>()) {
    const auto differs = trace.at<ev::MemoryDiffers>(index);
    if (index > trouble || !page::lies_in(differs, mapped)) return;
    const std::uint32_t map = mapped.find(differs.object)->second;
    if (differs.cause != static_cast<std::uint32_t>(MemoryCause::Render) || map > index) continue;
    judgement.fail(index, kWholeMap,
                   std::to_string(differs.length) + " bytes of it differ after commands wrote it",
                   {map});
  }
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  check_maps(trace, judgement);
  const ScratchSet<std::uint32_t> anew = page::begun_anew(trace);
  page::AperturePages pages(trace);
  page::judge_memory(trace, judgement,
                     "the buffers of one operation together do exactly the whole operation",
                     [&pages, &anew](const page::CheckedOperation& operation) {
                       const std::uint32_t kind = operation.done.operation;
                       if (page::redirects(kind) || operation.disturbed) return false;
                       if (operation.done.passes > 1 || anew.contains(operation.built)) return true;
                       if (!page::is_transfer(kind)) return false;
                       // That a map is whole shows in where a Transfer to its pages arrives.
                       pages.follow(operation.built);
                       const PagingArguments& to = operation.arguments;
                       return pages.any_in_parts(to.destination_segment, to.page, to.pages);
                     });
  page::judge_access(trace, platform, judgement, kWholeMap,
                     [](const page::ApertureFaults::Fault& fault) {
                       return fault.passes > 1 && page::maps(fault);
                     });
  // Only a buffer of the size that the driver asked for must be enough for a command.
  std::uint32_t asked = 0;
  for (const std::uint32_t index : trace.of<ev::SegmentsReported>()) {
    asked = std::max(asked, trace.at<ev::SegmentsReported>(index).paging_bytes);
  }
  std::size_t calls_seen = 0;
  const std::span<const std::uint32_t> calls = trace.of<ev::PagingBuilt>();
  for (const std::uint32_t index : trace.of<ev::PagingDone>()) {
    const auto done = trace.at<ev::PagingDone>(index);
    while (calls_seen < calls.size() && calls[calls_seen] < index) ++calls_seen;
    if (done.gave_up == 0 || calls_seen == 0) continue;
    const std::uint32_t built = calls[calls_seen - 1];
    const auto call = trace.at<ev::PagingBuilt>(built);
    if (static_cast<NTSTATUS>(call.status) != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) continue;
    if (call.given < asked) continue;
    judgement.fail(index, "each call with an empty buffer makes progress",
                   "after " + std::to_string(done.passes) + " calls it asks for more space",
                   {built});
  }
}

// A driver that adds its progress to TransferOffset as well as to MultipassOffset.
class CountsProgressTwice final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const bool resumed = build->Operation == DXGK_OPERATION_TRANSFER && build->MultipassOffset != 0;
    if (resumed) build->Transfer.TransferOffset += 4096;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    if (resumed) build->Transfer.TransferOffset -= 4096;
    return status;
  }
};

// What is left out of what comes back shows where another allocation has lain meanwhile: else the
// place holds it still.
#define BACK_IN_PLACE_OF_ANOTHER(bytes)                     \
  "- paging_buffer: {measure: needed_minus, bytes: " #bytes \
  ", packed: true}\n"                                       \
  "- make_resident: {allocation: 0}\n"                      \
  "- evict: {allocation: 0}\n"                              \
  "- make_resident: {allocation: 2}\n"                      \
  "- evict: {allocation: 2}\n"                              \
  "- idle\n"

// The first buffer of several is at the engine, and the next has not been asked for.
#define RESET_IN_ITS_MIDDLE(bytes)                                 \
  "- paging_buffer: {measure: needed_minus, bytes: " #bytes        \
  ", packed: true}\n"                                              \
  "- make_resident: {allocation: 0}\n"                             \
  "- idle\n"                                                       \
  "- evict: {allocation: 0}\n"                                     \
  "- time_out: {node: 0, adapter: true}\n"                         \
  "- create_allocation: {allocation: 0, pages: 8, place: local}\n" \
  "- make_resident: {allocation: 0}\n"                             \
  "- fill_memory: {allocation: 0, pattern: 0x61" #bytes            \
  "}\n"                                                            \
  "- evict: {allocation: 0}\n"                                     \
  "- make_resident: {allocation: 0}\n"                             \
  "- fill_memory: {allocation: 0, pattern: 0x62" #bytes            \
  "}\n"                                                            \
  "- evict: {allocation: 0}\n"                                     \
  "- idle\n"

// ... that was to map pages of an aperture: the map that comes next is seen by a transfer to them.
#define RESET_IN_THE_MIDDLE_OF_A_MAP(bytes, page)                                                \
  "- paging_buffer: {measure: needed_minus, bytes: " #bytes                                      \
  ", packed: true}\n"                                                                            \
  "- map_aperture: {page: 5, pages: 12}\n"                                                       \
  "- time_out: {node: 0, adapter: true}\n"                                                       \
  "- create_allocation: {allocation: 0, pages: 8, place: local}\n"                               \
  "- make_resident: {allocation: 0}\n"                                                           \
  "- fill_memory: {allocation: 0, pattern: 0x63" #page                                           \
  "}\n"                                                                                          \
  "- idle\n"                                                                                     \
  "- paging_buffer\n"                                                                            \
  "- map_aperture: {page: " #page                                                                \
  ", pages: 12}\n"                                                                               \
  "- transfer_places: {source: local, destination: aperture, source_page: 0, page: " #page       \
  ", pages: 8}\n"                                                                                \
  "- idle\n"

// Out and in by buffers of the size asked for, of which the more may be needed the larger it is.
#define ALL_OF_SO_MANY(pages, middle, last)             \
  "- create_allocation: {allocation: 3, pages: " #pages \
  ", place: local}\n"                                   \
  "- make_resident: {allocation: 3}\n"                  \
  "- fill_memory: {allocation: 3, pattern: 0x66" #pages \
  "}\n"                                                 \
  "- cpu_write: {allocation: 3, offset: " #middle       \
  ", value: 0x50505050}\n"                              \
  "- cpu_write: {allocation: 3, offset: " #last         \
  ", value: 0x60606060}\n"                              \
  "- evict: {allocation: 3}\n"                          \
  "- make_resident: {allocation: 3}\n"                  \
  "- idle\n"                                            \
  "- destroy_allocation: {allocation: 3}\n"

const Rule kRule{
    .id = "PAGE-003",
    .title = "Paging operations in several buffers resume and end",
    .evidence = Evidence::Memory,
    .rule =
        "A driver that runs out of space finishes whole commands, keeps its progress in "
        "MultipassOffset "
        "and returns STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER; the next call, with a new buffer and "
        "the "
        "same arguments, continues there. The buffers executed in order do exactly the whole "
        "operation, and each call with an empty buffer makes progress. Where a reset of the "
        "adapter, or a removal of the device, ends an operation in its middle, the next one begins "
        "anew.",
    .sources =
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # Remarks (MultipassOffset)\n"
        "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # MultipassOffset, Transfer.TransferOffset",
    .note =
        "TransferOffset is the same in every pass of one operation. Whether a driver that makes no "
        "progress in less than it asked for has room for more than what it begins each buffer "
        "with, nobody can tell: giving up is judged in buffers of the size that it asked for. What "
        "a map in several buffers has done shows in a Transfer to its pages.",
    .applies = paging,
    .check = check,
    .played_in = kPatchListConfigurations |
                 ConfigurationSet{Configured::Swizzled, Configured::PaddedCommands},
    .scenario = R"(
about: by buffers that are a word too short for all; then what begins in the rest of a buffer; then with a reset of the adapter in between
ops:
- paging_buffer: {measure: needed_minus, bytes: 4, packed: true}
- create_allocation: {allocation: 0, pages: 8, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- cpu_write: {allocation: 0, offset: 28672}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- idle
- paging_buffer: {measure: needed_minus, bytes: 4, packed: true}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x55667788}
- map_aperture: {page: 5, pages: 12}
- map_aperture: {page: 17, pages: 12}
- map_aperture: {page: 29, pages: 12, mdl_offset: 2}
- transfer_places: {source: local, destination: aperture, source_page: 0, page: 5, pages: 8}
- transfer_places: {source: local, destination: aperture, source_page: 0, page: 17, pages: 8}
- transfer_places: {source: local, destination: aperture, source_page: 0, page: 29, pages: 8}
- fill_memory: {allocation: 0, pattern: 0x99aabbcc}
- evict: {allocation: 0}
- idle
# One that is Swizzled, if the driver has such: known in both forms, then converted in parts, by no
# more pages than above, for the largest operation says how short a buffer is.
- paging_buffer
- create_allocation: {allocation: 1, pages: 8, place: local, cpu_visible: true}
- make_resident: {allocation: 1}
- cpu_write: {allocation: 1, offset: 4, value: 0x66778899}
- cpu_write: {allocation: 1, offset: 28676, value: 0x12345678}
- evict_unswizzled: {allocation: 1}
- make_resident: {allocation: 1}
- idle
- paging_buffer: {measure: needed_minus, bytes: 4, packed: true}
- evict_unswizzled: {allocation: 1}
- make_resident: {allocation: 1}
- idle
- paging_buffer: {measure: needed_minus, bytes: 20, packed: true}
- evict_unswizzled: {allocation: 1}
- make_resident: {allocation: 1}
- idle
- paging_buffer: {measure: needed_minus, bytes: 120, packed: true}
- evict_unswizzled: {allocation: 1}
- make_resident: {allocation: 1}
- idle
# And by ever less.
- paging_buffer: {measure: needed_minus, bytes: 8, packed: true}
- make_resident: {allocation: 0}
- evict: {allocation: 0}
- idle
- paging_buffer: {measure: needed_minus, bytes: 12, packed: true}
- make_resident: {allocation: 0}
- evict: {allocation: 0}
- idle
- paging_buffer: {measure: needed_minus, bytes: 16, packed: true}
- make_resident: {allocation: 0}
- evict: {allocation: 0}
- idle
- paging_buffer: {measure: needed_minus, bytes: 20, packed: true}
- make_resident: {allocation: 0}
- evict: {allocation: 0}
- idle
- paging_buffer: {measure: needed_minus, bytes: 28, packed: true}
- make_resident: {allocation: 0}
- evict: {allocation: 0}
- idle
- paging_buffer: {measure: needed_minus, bytes: 40, packed: true}
- make_resident: {allocation: 0}
- evict: {allocation: 0}
- idle
# And in three buffers or more, with new content each time: for commands of any size from 12 to 100
# bytes a page one of these is so short.
- paging_buffer: {measure: needed_minus, bytes: 72, packed: true}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x10101010}
- evict: {allocation: 0}
- idle
- paging_buffer: {measure: needed_minus, bytes: 120, packed: true}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x20202020}
- evict: {allocation: 0}
- idle
- paging_buffer: {measure: needed_minus, bytes: 200, packed: true}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x30303030}
- evict: {allocation: 0}
- idle
- paging_buffer: {measure: needed_minus, bytes: 330, packed: true}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x40404040}
- evict: {allocation: 0}
- idle
- paging_buffer: {measure: needed_minus, bytes: 560, packed: true}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x50505050}
- evict: {allocation: 0}
- idle
- create_allocation: {allocation: 2, pages: 8, place: local}
- make_resident: {allocation: 2}
- fill_memory: {allocation: 2, pattern: 0x60606060}
- evict: {allocation: 2}
)" BACK_IN_PLACE_OF_ANOTHER(4) BACK_IN_PLACE_OF_ANOTHER(40) BACK_IN_PLACE_OF_ANOTHER(120)
        BACK_IN_PLACE_OF_ANOTHER(330) R"(
# One that a reset of the adapter ends in its middle is over: the next, behind it, begins anew.
- await_paging
)" RESET_IN_ITS_MIDDLE(40) RESET_IN_ITS_MIDDLE(120) RESET_IN_ITS_MIDDLE(200)
            RESET_IN_ITS_MIDDLE(330) RESET_IN_THE_MIDDLE_OF_A_MAP(4, 41)
                RESET_IN_THE_MIDDLE_OF_A_MAP(100, 53),
    .control = R"(
about: 200 pages by buffers of the size asked for, eight in one buffer each, 80 from place to place, and as many as there are
ops:
- create_allocation: {allocation: 1, pages: 200, place: local}
- make_resident: {allocation: 1}
- evict: {allocation: 1}
- idle
- create_allocation: {allocation: 0, pages: 8, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- idle
# From place to place, where one command may be for no more than so many bytes.
- create_allocation: {allocation: 2, pages: 80, place: local}
- make_resident: {allocation: 2}
- fill_memory: {allocation: 2, pattern: 0x55667788}
- cpu_write: {allocation: 2, offset: 65536, value: 0x10101010}
- cpu_write: {allocation: 2, offset: 131076, value: 0x20202020}
- cpu_write: {allocation: 2, offset: 262152, value: 0x30303030}
- cpu_write: {allocation: 2, offset: 327676, value: 0x40404040}
- move: {allocation: 2, direct: true}
- idle
- destroy_allocation: {allocation: 1}
- destroy_allocation: {allocation: 0}
- destroy_allocation: {allocation: 2}
# A MB, more than one, and 16 MB. What is larger than the driver's memory is not made.
)" ALL_OF_SO_MANY(256, 524288, 1048572) ALL_OF_SO_MANY(300, 1048576, 1228796)
        ALL_OF_SO_MANY(4096, 1048576, 16777212),
    .fault = {.about = "a continued Transfer starts one page too far",
              .interposer = [] { return std::unique_ptr<Interposer>(new CountsProgressTwice); },
              .also_fires = "PAGE-004 PAGE-005 PAGE-007 PAGE-008"}};

#undef BACK_IN_PLACE_OF_ANOTHER
#undef RESET_IN_ITS_MIDDLE
#undef RESET_IN_THE_MIDDLE_OF_A_MAP
#undef ALL_OF_SO_MANY

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_003
