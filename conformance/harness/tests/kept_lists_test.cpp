// Drivers that keep where a list lies which they were given for a call, and read it when the call
// is over: entries of page tables, and ranges of entries that are copied.
#include <vector>

#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class KeptLists : public ReplayTest {};

// What an operation writes into the paging buffer it writes once more when that is submitted, from
// the lists as they are then. That the built-in driver builds nothing at that level is said
// besides.
template <DXGK_BUILDPAGINGBUFFER_OPERATION kOperation>
struct WritesWhenSubmitted final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const DXGKARG_BUILDPAGINGBUFFER asked = *build;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    const bool wrote = build->pDmaBuffer != asked.pDmaBuffer;
    if (build->Operation == kOperation && NT_SUCCESS(status) && wrote) built_.push_back(asked);
    return status;
  }
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    for (DXGKARG_BUILDPAGINGBUFFER& again : built_) {
      static_cast<void>(Interposer::BuildPagingBuffer(adapter, &again));
    }
    built_.clear();
    return Interposer::SubmitCommandVirtual(adapter, submit);
  }
  std::vector<DXGKARG_BUILDPAGINGBUFFER> built_;
};

TEST_F(KeptLists, EntriesOfPageTables) {
  using Entries = WritesWhenSubmitted<DXGK_OPERATION_UPDATE_PAGE_TABLE>;
  EXPECT_TRUE(fires<Entries>("PTE-001", Configured::FourLevels));
}

TEST_F(KeptLists, RangesThatAreCopied) {
  using Ranges = WritesWhenSubmitted<DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES>;
  EXPECT_TRUE(fires<Ranges>("PT-023", Configured::FourLevels));
}

}  // namespace
}  // namespace wddm::harness
