// ROOT-002: the size that GetRootPageTableSize returns is the smallest that holds the entries.

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/mmu/reported_tables.h"

namespace wddm::root_002 {
namespace {

constexpr std::uint64_t kPage = 4096, kPage64K = 65536;

// What a GPU says of its root: those of a link may differ.
class Root {
 public:
  Root(const Trace& trace, const Platform& platform, std::uint32_t physical_adapter) {
    for (const std::uint32_t index : trace.of<ev::PageTableLevelReported>()) {
      const auto said = trace.at<ev::PageTableLevelReported>(index);
      if (said.physical_adapter != physical_adapter || said.level != 1) continue;
      if (!mmu::answered(said.status)) continue;
      alignment_ = said.alignment;
      const SegmentFlags flags{flags_of(trace, platform, physical_adapter, said.segment)};
      if (flags.use_64kb_pages()) page_ = kPage64K;
      return;
    }
  }
  [[nodiscard]] std::uint64_t page() const { return page_; }
  // The least that it can have: hardware that wants it aligned to more than a page takes it in such
  // pieces.
  [[nodiscard]] std::uint64_t least() const { return std::max(page_, alignment_); }

 private:
  static std::uint32_t flags_of(const Trace& trace, const Platform& platform,
                                std::uint32_t physical_adapter, std::uint32_t segment) {
    if (segment == 0) return 0;
    if (physical_adapter == 0) {
      return segment <= platform.segments.size() ? platform.segments[segment - 1].flags.value : 0;
    }
    for (const std::uint32_t index : trace.of<ev::SegmentReported>()) {
      const auto said = trace.at<ev::SegmentReported>(index);
      if (said.physical_adapter == physical_adapter && said.segment == segment) return said.flags;
    }
    return 0;
  }

  std::uint64_t page_ = kPage, alignment_ = 0;
};

// Whether NumberOfPte came back as more than was asked for (ROOT-003).
bool tells_capacity(const ev::RootSizeReported& said) {
  return said.answered > said.asked;
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const auto answers = trace.of<ev::RootSizeReported>();
  for (const std::uint32_t index : answers) {
    const auto said = trace.at<ev::RootSizeReported>(index);
    judgement.reached(index);
    const Root root(trace, platform, said.physical_adapter);
    const std::uint64_t page = root.page(), least = root.least();
    const std::string question = "for " + std::to_string(said.asked) + " entries";
    if (said.bytes < said.asked) {
      judgement.fail(index, "room " + question + ", of a byte at least",
                     std::to_string(said.bytes) + " bytes");
      continue;
    }
    if (said.asked == 1 && said.bytes > least && !tells_capacity(said)) {
      judgement.fail(index, "at most " + std::to_string(least) + " bytes " + question,
                     std::to_string(said.bytes) + " bytes");
    }
    if (said.bytes == 0 || said.bytes % page != 0) {
      judgement.fail(index,
                     "a multiple of " + std::to_string(page) + " bytes, the page of its segment",
                     std::to_string(said.bytes) + " bytes " + question);
    }
    for (const std::uint32_t other : answers) {
      const auto less = trace.at<ev::RootSizeReported>(other);
      if (less.physical_adapter != said.physical_adapter) continue;
      if (less.asked < said.asked && less.bytes > said.bytes) {
        judgement.fail(
            index, "no fewer bytes " + question + " than for " + std::to_string(less.asked),
            std::to_string(said.bytes) + " bytes, and there " + std::to_string(less.bytes),
            {other});
      } else if (less.asked == said.asked && less.bytes != said.bytes) {
        judgement.fail(
            index, "the same size for the same number of entries",
            std::to_string(said.bytes) + " bytes, and before " + std::to_string(less.bytes),
            {other});
      } else if (tells_capacity(less) && less.bytes == said.bytes && less.answered < said.asked) {
        judgement.fail(index,
                       "more bytes " + question + " than for the " + std::to_string(less.answered) +
                           " that " + std::to_string(less.bytes) + " bytes hold",
                       std::to_string(said.bytes) + " bytes", {other});
      }
    }
  }
}

// The size of the largest root, whatever it is asked for, and not a word of what that holds.
class AlwaysTheLargest final : public Interposer {
 public:
  SIZE_T GetRootPageTableSize(HANDLE adapter, DXGKARG_GETROOTPAGETABLESIZE* size) override {
    constexpr UINT kMany = 1u << 20;
    DXGKARG_GETROOTPAGETABLESIZE largest = *size;
    largest.NumberOfPte = kMany;
    return Interposer::GetRootPageTableSize(adapter, &largest);
  }
};

const Rule kRule{
    .id = "ROOT-002",
    .title = "GetRootPageTableSize returns the smallest size that holds the entries",
    .evidence = Evidence::Boundary,
    .rule =
        "The size is a multiple of the page of the segment that the root lies in, has room "
        "for the entries asked for, and is the smallest such. It never shrinks as more are "
        "asked for, and is the same for the same number.",
    .sources =
        "gpu-virtual-address.md # Creation of page table allocations\n"
        "nc-d3dkmddi-dxgkddi_getrootpagetablesize.md",
    .note =
        "The compute-only sample returns a constant. Of one entry a page is asked, or what "
        "PageTableAlignmentInBytes of the root comes to: in which pieces hardware takes a root, no "
        "capability says. A driver whose hardware knows larger pieces only says so by NumberOfPte, "
        "which comes back as what the size holds (the function's page: it may be more than was "
        "asked for); the size is the smallest then, and ROOT-003 takes the number at its word.",
    .applies = resizable_root,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::Pages64K, Configured::PairedRoot},
    .scenario = R"(
about: the adapter starts
ops:
- start
)",
    .control = R"(
about: twice
ops:
- cycle: {count: 2}
)",
    .fault = {.about = "the size of a large root for any number of entries",
              .interposer = [] { return std::unique_ptr<Interposer>(new AlwaysTheLargest); },
              .also_fires = "ROOT-003"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::root_002
