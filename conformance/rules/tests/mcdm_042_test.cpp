// Imports of a driver that can be isolated, and the balance of what Dxgkrnl gave it.
#include <string_view>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_042 {
namespace {

class Mcdm042 : public TraceTest {
 protected:
  void imports(std::string_view names) {
    add(ev::MemoryImports{}, std::vector<char>(names.begin(), names.end()));
  }
  bool holds() { return TraceTest::holds("MCDM-042"); }
};

TEST_F(Mcdm042, NoneOfTheList) {
  imports("MmGetPhysicalAddress\nMmMapIoSpace\n");
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-042"), 1u);
}

TEST_F(Mcdm042, NoImports) {
  imports("");
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm042, EachOfTheList) {
  for (const char* name :
       {"MmAllocateContiguousMemory", "MmAllocateContiguousMemorySpecifyCache",
        "MmFreeContiguousMemory", "MmAllocatePagesForMdl", "MmAllocatePagesForMdlEx",
        "MmFreePagesFromMdl", "MmProbeAndLockPages"}) {
    const std::size_t before = failures("MCDM-042");
    imports(std::string("MmGetPhysicalAddress\n") + name + "\n");
    EXPECT_EQ(failures("MCDM-042"), before + 1) << name;
  }
}

TEST_F(Mcdm042, LongerNamesAreOthers) {
  imports("MmAllocateContiguousMemoryEx\nMmProbeAndLockPagesOfMine\nMmAllocate\n");
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm042, TheDeviceAccessesWhatIsNotMappedForIt) {
  imports("MmAllocateContiguousNodeMemory\n");
  EXPECT_TRUE(holds());
  add(ev::UnmappedAccess{.address = 0x5000});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm042, AllIsGivenBack) {
  add(ev::IsolatedMemoryBalance{.blocks = 3, .blocks_freed = 3, .mdls = 1, .mdls_freed = 1});
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm042, ABlockIsKept) {
  add(ev::IsolatedMemoryBalance{.blocks = 3, .blocks_freed = 2});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm042, AnMdlIsKept) {
  add(ev::IsolatedMemoryBalance{.mdls = 1});
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::mcdm_042
