// How a shared primary is described.
#include <d3dkmddi.h>
#include <ntddk.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::alloc_017 {
namespace {

constexpr std::uint32_t kPrimary = 1, kStaging = 3;
constexpr std::uint32_t kSizes = 1, kData = 2;

class Alloc017 : public TraceTest {
 protected:
  void asks(std::uint32_t type = kPrimary, std::uint32_t call = kData) {
    add(ev::StandardDataAnswered{.type = type, .call = call, .width = 1024, .height = 768});
  }
  static ev::AllocationDescribed right() {
    return {.allocation = kNone, .width = 1024, .height = 768, .format = D3DDDIFMT_A8R8G8B8};
  }
  static ev::AllocationDescribed refused(NTSTATUS status) {
    return {.allocation = kNone, .status = static_cast<std::uint32_t>(status)};
  }
  bool holds() { return TraceTest::holds("ALLOC-017"); }
  std::uint32_t reached() { return times_reached("ALLOC-017"); }
};

TEST_F(Alloc017, AsItWasMade) {
  asks();
  add(right());
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Alloc017, WithoutAlpha) {
  asks();
  auto said = right();
  said.format = D3DDDIFMT_X8R8G8B8;
  add(said);
  EXPECT_TRUE(holds());
}

TEST_F(Alloc017, AnotherSize) {
  asks();
  auto said = right();
  said.width = 1025;
  add(said);
  said = right();
  said.height = 1;
  add(said);
  EXPECT_EQ(failures("ALLOC-017"), 2u);
}

// Of two at once, by the data that were asked for last.
TEST_F(Alloc017, EachOfTwoIsDescribedAsItself) {
  const auto of_smaller = [] {
    auto said = right();
    said.width = 800;
    said.height = 600;
    return said;
  };
  const auto asks_for_smaller = [this] {
    add(ev::StandardDataAnswered{.type = kPrimary, .call = kData, .width = 800, .height = 600});
  };
  asks();
  asks_for_smaller();
  add(of_smaller());
  asks();
  add(right());
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
  add(of_smaller());
  EXPECT_EQ(failures("ALLOC-017"), 1u) << "the latest, whichever is asked of";
}

TEST_F(Alloc017, AnotherFormat) {
  asks();
  auto said = right();
  said.format = D3DDDIFMT_UNKNOWN;
  add(said);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc017, MoreThanIsAskedFor) {
  asks();
  auto said = right();
  said.behind = 4;
  add(said);
  said = right();
  said.altered = 1;
  add(said);
  EXPECT_EQ(failures("ALLOC-017"), 2u);
}

TEST_F(Alloc017, ItIsNotRefused) {
  asks();
  add(refused(STATUS_INVALID_HANDLE));
  EXPECT_FALSE(holds());
}

TEST_F(Alloc017, MemoryMayBeShort) {
  asks();
  add(refused(STATUS_NO_MEMORY));
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Alloc017, CallsMayBeMadeToFail) {
  op(OpKind::FailPool);
  asks();
  add(refused(STATUS_UNSUCCESSFUL));
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Alloc017, OtherAllocationsAreTheDriversBusiness) {
  asks(kStaging);
  add(refused(STATUS_INVALID_HANDLE));
  asks(kPrimary, kSizes);
  add(refused(STATUS_INVALID_HANDLE));
  asks();
  add(ev::AllocationDescribed{.allocation = 0, .width = 4096, .height = 1});
  op(OpKind::Requery);
  add(refused(STATUS_INVALID_HANDLE));
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::alloc_017
