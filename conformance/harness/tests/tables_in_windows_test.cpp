// Page tables that the CPU sees through a host aperture, of processes whose space is given up
// before it is complete.
#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

class TablesInWindows : public ReplayTest {
 protected:
  /// Pages of apertures that are mapped at the end.
  std::uint32_t left_mapped() const {
    std::uint32_t mapped = 0;
    for (const ev::HostAperturePages& call : seen<ev::HostAperturePages>()) {
      mapped += call.mapped != 0 ? call.count : -call.count;
    }
    return mapped;
  }
};

/// Tables of all processes lie in the segment of the aperture.
struct TablesInThird final : Interposer {
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_PAGETABLELEVELDESC && NT_SUCCESS(status)) {
      static_cast<DXGK_PAGE_TABLE_LEVEL_DESC*>(query->pOutputData)->PageTableSegmentId = 3;
    }
    return status;
  }
};

// The root has its place when the adapter is reset, and nothing is written into it.
TEST_F(TablesInWindows, GoWithASpaceThatIsGivenUpWhileItIsMade) {
  const Fault tables_in_third = fault_of<TablesInThird>();
  const Judged& judged = run(with_settings(scenario_of(R"(
ops:
- create_allocation: {place: local}
- make_resident
- time_out: {adapter: true}
- create_allocation: {place: local}
- make_resident
- create_context
- idle
)"),
                                           settings_of(Configured::HostAperture)),
                             &tables_in_third);
  EXPECT_TRUE(judged.failures.empty());
  EXPECT_EQ(count<ev::AdapterReset>(), 2u);
  EXPECT_EQ(left_mapped(), 0u);
}

}  // namespace
}  // namespace wddm::harness
