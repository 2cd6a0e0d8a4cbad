// Drivers that answer as far as one system, or one device, looks at it: a clause says so.
#include <vector>

#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

class AnswerFaults : public ReplayTest {};

// It knows that Dxgkrnl zeroes what it answers in, and leaves out what is 0.
struct LeavesOutZeros final : Interposer {
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    if (query->Type == DXGKQAITYPE_QUERYSEGMENT3) {
      return answer<DXGK_QUERYSEGMENTOUT3>(adapter, query);
    }
    if (query->Type == DXGKQAITYPE_QUERYSEGMENT4) {
      return answer<DXGK_QUERYSEGMENTOUT4>(adapter, query);
    }
    return Interposer::QueryAdapterInfo(adapter, query);
  }

 private:
  template <class Out>
  NTSTATUS answer(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) {
    UINT& bytes = static_cast<Out*>(query->pOutputData)->PagingBufferPrivateDataSize;
    const UINT before = bytes;
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (bytes == 0) bytes = before;
    return status;
  }
};

TEST_F(AnswerFaults, ZerosAreAnswersToo) {
  EXPECT_FALSE(fires<Interposer>("ALLOC-015"));
  EXPECT_TRUE(fires<LeavesOutZeros>("ALLOC-015"));
  EXPECT_TRUE(fires<LeavesOutZeros>("ALLOC-015", Configured::GpuVirtual));
}

// Of what is opened for another device than that which made it, it knows the first element alone.
struct OpensTheFirstElsewhere final : Interposer {
  NTSTATUS OpenAllocation(HANDLE device, const DXGKARG_OPENALLOCATION* open) override {
    const NTSTATUS status = Interposer::OpenAllocation(device, open);
    if (open->Flags.Create || !NT_SUCCESS(status) || open->NumAllocations < 2) return status;
    elsewhere_.clear();
    for (UINT i = 0; i < open->NumAllocations; ++i) {
      elsewhere_.push_back(open->pOpenAllocation[i].hDeviceSpecificAllocation);
      open->pOpenAllocation[i].hDeviceSpecificAllocation = elsewhere_.front();
    }
    return status;
  }
  NTSTATUS CloseAllocation(HANDLE device, const DXGKARG_CLOSEALLOCATION* close) override {
    DXGKARG_CLOSEALLOCATION meant = *close;
    const bool is_it = !elsewhere_.empty() && close->pOpenHandleList[0] == elsewhere_.front();
    if (is_it) meant.pOpenHandleList = elsewhere_.data();
    const NTSTATUS status = Interposer::CloseAllocation(device, &meant);
    if (is_it) elsewhere_.clear();
    return status;
  }

 private:
  std::vector<HANDLE> elsewhere_;  // by their handles on that device
};

TEST_F(AnswerFaults, EachElementIsOpenedForAnotherDeviceToo) {
  EXPECT_FALSE(fires_in_that_of<Interposer>("DESTROY-006", "ALLOC-009"));
  EXPECT_TRUE(fires_in_that_of<OpensTheFirstElsewhere>("DESTROY-006", "ALLOC-009"));
}

}  // namespace
}  // namespace wddm::harness
