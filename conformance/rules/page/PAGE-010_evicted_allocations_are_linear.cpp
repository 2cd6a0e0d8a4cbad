// PAGE-010: what the CPU may access and is not Swizzled, is linear in system memory; what is
// Swizzled is converted as a whole.

#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/page/operation.h"
#include "conformance/rules/scratch.h"

namespace wddm::page_010 {
namespace {

constexpr std::uint32_t kCpuVisible = 1u << 0, kSwizzled = 1u << 7;  // DXGK_ALLOCATIONINFOFLAGS

// From where the CPU sees it to the pages behind it.
bool leaves_what_the_cpu_sees(const page::CheckedOperation& operation, const Platform& platform) {
  const std::uint32_t from = operation.arguments.source_segment;
  if (operation.done.operation != DXGK_OPERATION_TRANSFER) return false;
  if (operation.arguments.destination_segment != 0 || from == 0) return false;
  if (from > platform.segments.size()) return false;
  const SegmentFlags flags = platform.segments[from - 1].flags;
  return flags.cpu_visible() && !flags.aperture();
}

// Flags of allocations by their slots, as far as a trace has come.
class FlagsSoFar {
 public:
  explicit FlagsSoFar(const Trace& trace)
      : trace_(trace),
        all_(trace.of_any<ev::AllocationCreated, ev::AllocationRenamed>()),
        next_(all_.begin()) {}
  FlagsSoFar(const FlagsSoFar&) = delete;
  FlagsSoFar& operator=(const FlagsSoFar&) = delete;
  void go_to(std::uint32_t event) {
    for (; next_ != all_.end() && *next_ <= event; ++next_) {
      if (trace_.events()[*next_].kind == EventKind::AllocationRenamed) {
        const auto renamed = trace_.at<ev::AllocationRenamed>(*next_);
        flags_[renamed.allocation] = flags_[renamed.original];
      } else {
        const auto created = trace_.at<ev::AllocationCreated>(*next_);
        flags_[created.allocation] = created.flags;
      }
    }
  }
  [[nodiscard]] bool is_linear(std::uint32_t allocation) const {
    const auto of = flags_.find(allocation);
    return of != flags_.end() && (of->second & (kCpuVisible | kSwizzled)) == kCpuVisible;
  }

 private:
  const Trace& trace_;
  KindView<2> all_;
  KindView<2>::Iterator next_;
  ScratchMap<std::uint32_t, std::uint32_t> flags_;
};

// What a conversion was to make, by event of its comparison.
class Foretold {
 public:
  explicit Foretold(const Trace& trace) : trace_(trace), all_(trace.of<ev::ConversionForetold>()) {}
  /// Null where nobody knew.
  [[nodiscard]] const char* between(std::uint32_t built, std::uint32_t compared,
                                    std::uint32_t allocation) {
    while (next_ < all_.size() && all_[next_] < compared) ++next_;
    if (next_ == 0 || all_[next_ - 1] < built) return nullptr;
    const auto foretold = trace_.at<ev::ConversionForetold>(all_[next_ - 1]);
    if (foretold.allocation != allocation) return nullptr;
    return foretold.seen != 0
               ? "in system memory each byte where the CPU saw it through the swizzling range"
               : "the bytes that it held before it was converted to and fro";
  }

 private:
  const Trace& trace_;
  std::span<const std::uint32_t> all_;
  std::size_t next_ = 0;
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  FlagsSoFar flags(trace);
  Foretold foretold(trace);
  const page::CheckedOperations& checked = trace.ledger<page::CheckedOperations>();
  for (const page::CheckedOperations::Found& found : checked.found()) {
    const page::CheckedOperation& operation = checked.of(found);
    const std::uint32_t allocation = operation.done.allocation;
    flags.go_to(operation.built);
    const char* expected = nullptr;
    if (operation.disturbed) continue;
    if (page::converts(operation)) {
      expected = foretold.between(operation.built, found.event, allocation);
    } else if (leaves_what_the_cpu_sees(operation, platform) && flags.is_linear(allocation)) {
      expected = "in system memory each byte where the CPU saw it in the segment";
    }
    if (expected == nullptr) continue;
    page::judge_found(trace, found, operation, judgement, expected,
                      page::Differences::Inside);  // elsewhere: PAGE-005
  }
}

// A driver that keeps allocations in an order of its own in system memory: the first two pages
// change places on the way out and on the way back.
class TurnsPagesRound final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const auto& transfer = build->Transfer;
    const bool asked = build->Operation == DXGK_OPERATION_TRANSFER;
    if (!asked || transfer.hAllocation == nullptr || transfer.TransferSize < 2 * kPageSize) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    MDL* mdl = transfer.Source.SegmentId == 0 ? transfer.Source.pMdl : nullptr;
    if (transfer.Destination.SegmentId == 0) mdl = transfer.Destination.pMdl;
    if (mdl == nullptr) return Interposer::BuildPagingBuffer(adapter, build);
    const auto turn = [first = MmGetMdlPfnArray(mdl) + transfer.MdlOffset] {
      std::swap(first[0], first[1]);
    };
    turn();
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    turn();
    return status;
  }
};

NotApplicable without_wddm_2(const Platform& platform) {
  if (const NotApplicable reason = paging_of_memory_segments(platform)) return reason;
  return platform.wddm2() ? "WDDM 2: no allocation is Swizzled any more" : nullptr;
}

const Rule kRule{
    .id = "PAGE-010",
    .title = "Swizzle state across eviction",
    .evidence = Evidence::Memory,
    .rule =
        "An allocation that the CPU may access and that is not Swizzled is always stored linearly "
        "in system memory: evicted from a memory segment that the CPU sees, each byte stands "
        "where the CPU saw it there. A Transfer with Unswizzle or Swizzle converts all levels of "
        "an allocation that is: what goes out by the one and comes back by the other is what it "
        "was, and so is what comes in by the other and goes out by the one. Evicted while the CPU "
        "has it locked through a swizzling range, it is in system memory what the CPU saw there, "
        "whatever it has locked through other ranges. All of that holds for transfers in parts, by "
        "which pages they are cut out and in.",
    .sources =
        "ns-d3dkmddi-_dxgk_transferflags.md # Swizzle, Unswizzle\n"
        "locking-swizzled-allocations.md # introduction\n"
        "mapping-virtual-addresses-to-a-memory-segment.md\n"
        "nc-d3dkmddi-dxgkddi_acquireswizzlingrange.md # Remarks\n"
        "ns-d3dkmddi-_dxgkarg_acquireswizzlingrange.md # RangeId\n"
        "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # Transfer.TransferOffset, "
        "Transfer.TransferSize\n"
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # the note behind Special-lock transfer",
    .note =
        "The CPU sees a segment as its memory BAR shows it, and what is Swizzled by the range that "
        "AcquireSwizzlingRange gives; of primaries with an alternate address that is PAGE-017. A "
        "range that shows what is stored as it stands, as memory BARs do, is not judged: the GPU "
        "may put it in order for the CPU, which is not modelled. Where the address of a range has "
        "neither memory nor the device behind it, the CPU sees all ones. How a driver stores a "
        "Swizzled allocation, and what is linear then, is not laid down: it is judged by "
        "converting the same content again, in the same place of the segment, and only where no "
        "byte was added to the size that was asked for, so that all of them are content. That "
        "Windows converts in parts no page rules out; what each of them leaves is not judged, but "
        "all together, and the MDL of each has all pages: whether a part is one of the segment or "
        "of the linear "
        "bytes, or each call converts all, is open. What changes elsewhere is PAGE-005.",
    .applies = without_wddm_2,
    .check = check,
    .played_in = {Configured::Default, Configured::Swizzled},
    .scenario = R"(
about: the CPU writes to each page in turn, and the allocation is evicted and comes back; while it is locked it is converted, if it is Swizzled
ops:
- create_allocation: {allocation: 0, pages: 2, place: local, cpu_visible: true}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- cpu_write: {allocation: 0, offset: 8}
- cpu_write: {allocation: 0, offset: 4104, value: 0x66778899}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- cpu_write: {allocation: 0, offset: 8188}
- evict: {allocation: 0}
- create_allocation: {allocation: 1, pages: 5, place: local, cpu_visible: true}
- make_resident: {allocation: 1}
- cpu_write: {allocation: 1, offset: 4}
- cpu_write: {allocation: 1, offset: 8196, value: 0x66778899}
- evict_unswizzled: {allocation: 1}
- make_resident: {allocation: 1}
- evict_unswizzled: {allocation: 1}
- cpu_write: {allocation: 1, offset: 16388, value: 0x55443322}
- make_resident: {allocation: 1}
- evict_unswizzled: {allocation: 1}
- make_resident: {allocation: 1}
- create_allocation: {allocation: 2, pages: 5, place: local, cpu_visible: true}
- make_resident: {allocation: 2}
- cpu_write: {allocation: 2, offset: 4, value: 0x12345678}
- cpu_write: {allocation: 2, offset: 12292, value: 0x66778899}
- evict_seen: {allocation: 2, offset: 4104}
- make_resident: {allocation: 2}
- evict_seen: {allocation: 2, offset: 16380, value: 0x55443322}
- make_resident: {allocation: 2}
# In parts, and back in others, with another one locked that comes after it.
- evict: {allocation: 1}
- create_allocation: {allocation: 3, pages: 5, place: local, cpu_visible: true}
- make_resident: {allocation: 3}
- idle
- transfer_chunk: {pages: 2}
- evict_seen: {allocation: 2, offset: 8, value: 0x13579bdf}
- idle
- transfer_chunk: {pages: 3}
- make_resident: {allocation: 2}
- evict_seen: {allocation: 2, offset: 12, value: 0x2468ace0}
- idle
- transfer_chunk: {pages: 0}
- make_resident: {allocation: 2}
# Where there is no range: out as a whole, in by parts.
- evict_unswizzled: {allocation: 3}
- idle
- transfer_chunk: {pages: 2}
- make_resident: {allocation: 3}
- idle
- transfer_chunk: {pages: 0}
- evict_unswizzled: {allocation: 3}
- idle
# Beside one that may be larger than a range is, by much or by a page, and that the CPU looks at first,
# or later: where the driver has a range for it all the same, it is none that the other one needs. The
# built-in driver's ranges have 32 pages.
- evict: {allocation: 2}
- create_allocation: {allocation: 4, pages: 48, place: local, cpu_visible: true}
- make_resident: {allocation: 4}
- cpu_write: {allocation: 4, offset: 135172, value: 0x66778899}
- create_allocation: {allocation: 5, pages: 3, place: local, cpu_visible: true}
- make_resident: {allocation: 5}
- cpu_write: {allocation: 5, offset: 4100, value: 0x12345678}
- evict_seen: {allocation: 5, offset: 8}
- make_resident: {allocation: 5}
- evict_seen: {allocation: 4, offset: 135176}
- idle
- evict: {allocation: 4}
- create_allocation: {allocation: 6, pages: 33, place: local, cpu_visible: true}
- make_resident: {allocation: 6}
- cpu_write: {allocation: 6, offset: 131076, value: 0x23456789}
- evict_seen: {allocation: 5, offset: 16, value: 0x13579bdf}
- make_resident: {allocation: 5}
- idle
# Beside one that may fill a range to its end.
- evict: {allocation: 6}
- create_allocation: {allocation: 8, pages: 32, place: local, cpu_visible: true}
- make_resident: {allocation: 8}
- cpu_write: {allocation: 8, offset: 131068, value: 0x456789ab}
- evict_seen: {allocation: 5, offset: 12, value: 0x579bdf13}
- make_resident: {allocation: 5}
- evict_seen: {allocation: 5, offset: 4096, value: 0x79bdf135}
- make_resident: {allocation: 5}
# The one that may fill it, through the last range that there is.
- evict_seen: {allocation: 8, offset: 131064, value: 0x9bdf1357}
- make_resident: {allocation: 8}
- idle
# So many pages that one buffer of the size that the driver asked for may not hold them.
- evict: {allocation: 8}
- create_allocation: {allocation: 7, pages: 200, place: local, cpu_visible: true}
- make_resident: {allocation: 7}
- cpu_write: {allocation: 7, offset: 802820, value: 0x3456789a}
- evict_unswizzled: {allocation: 7}
- make_resident: {allocation: 7}
- evict_unswizzled: {allocation: 7}
- idle
)",
    .control = R"(
about: a transfer from one place of the segment to another; then conversions in buffers that are short, if there are such
ops:
- create_allocation: {allocation: 0, pages: 2, place: local, cpu_visible: true}
- make_resident: {allocation: 0}
- cpu_write: {allocation: 0, offset: 8}
- transfer_places: {source: local, destination: local, source_page: 0, page: 4, pages: 2}
- idle
# Of the largest operation hardly more than a page fits in a buffer, if that; what stood where it is to
# be stored is something else each time.
- evict: {allocation: 0}
- create_allocation: {allocation: 1, pages: 3, place: local, cpu_visible: true}
- make_resident: {allocation: 1}
- cpu_write: {allocation: 1, offset: 4104, value: 0x66778899}
- idle
- paging_buffer: {measure: needed_minus, bytes: 40, packed: true}
- evict_seen: {allocation: 1, offset: 8200, value: 0x778899aa}
- create_allocation: {allocation: 2, pages: 3, place: local}
- make_resident: {allocation: 2}
- fill_memory: {allocation: 2, pattern: 0x99aabbcc}
- idle
- destroy_allocation: {allocation: 2}
- make_resident: {allocation: 1}
- evict_seen: {allocation: 1, offset: 12, value: 0x8899aabb}
- idle
)",
    .fault = {.about = "the first two pages change places in system memory",
              .interposer = [] { return std::unique_ptr<Interposer>(new TurnsPagesRound); },
              .also_fires = "PAGE-005 PAGE-007"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_010
