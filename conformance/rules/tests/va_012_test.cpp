// Which updates of GPU virtual addresses have to be refused, and what a refused one must not write.
#include <vector>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::va_012 {
namespace {

constexpr std::uint64_t kBase = 0x2000000, kSize = 0x10000, kPage = 4096;
constexpr std::uint32_t kProcess = 3;

class Va012 : public TraceTest {
 protected:
  Va012() {
    reserves(kBase);
    reserves(kBase + kSize);
  }
  void reserves(std::uint64_t base) {
    add(ev::AddressAnswered{.base = base,
                            .size = kSize,
                            .address = base,
                            .process = kProcess,
                            .request = static_cast<std::uint32_t>(AddressRequest::Reserve)});
  }
  void updates(std::uint64_t to, std::uint64_t pages, bool refused,
               AddressUpdate kind = AddressUpdate::Map, std::uint64_t from = 0) {
    add(ev::AddressAnswered{.base = kBase + to * kPage,
                            .size = pages * kPage,
                            .offset = kind == AddressUpdate::Copy ? kBase + from * kPage : 0,
                            .process = kProcess,
                            .request = static_cast<std::uint32_t>(AddressRequest::Update),
                            .protection = static_cast<std::uint32_t>(kind),
                            .refused = refused ? 1u : 0u});
  }
  void writes(std::uint64_t first, std::uint32_t count, std::uint32_t process = kProcess) {
    add(ev::TableUpdated{.first_va = kBase + first * kPage, .process = process, .count = count},
        std::vector<EntryRecord>(count));
  }
  bool holds() { return TraceTest::holds("VA-012"); }
  std::uint32_t reached() { return times_reached("VA-012"); }
};

TEST_F(Va012, UpToTheEndOfAReservation) {
  updates(12, 4, false);
  writes(12, 4);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Va012, OverItsEnd) {
  updates(30, 4, true);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
  updates(30, 4, false, AddressUpdate::Unmap);
  EXPECT_FALSE(holds());
}

TEST_F(Va012, IntoTheNextOne) {
  updates(14, 4, false);
  EXPECT_FALSE(holds());
}

TEST_F(Va012, WhatNobodyHasReserved) {
  updates(40, 2, false);
  EXPECT_FALSE(holds());
}

TEST_F(Va012, WhatWasMappedIsNotReserved) {
  add(ev::AddressAnswered{.size = kSize,
                          .address = kBase + 4 * kSize,
                          .process = kProcess,
                          .request = static_cast<std::uint32_t>(AddressRequest::Map)});
  updates(64, 2, false);
  EXPECT_FALSE(holds());
}

TEST_F(Va012, WhatWasFreedIsNotReservedAnyMore) {
  add(ev::AddressAnswered{.base = kBase + 8 * kPage,
                          .size = 4 * kPage,
                          .process = kProcess,
                          .request = static_cast<std::uint32_t>(AddressRequest::Free)});
  updates(0, 8, false);
  EXPECT_TRUE(holds());
  updates(4, 8, false);
  EXPECT_FALSE(holds());
}

TEST_F(Va012, ACopyFromAnotherReservation) {
  updates(0, 4, false, AddressUpdate::Copy, 20);
  EXPECT_TRUE(holds());
  updates(0, 4, false, AddressUpdate::Copy, 14);
  EXPECT_FALSE(holds());
}

TEST_F(Va012, AnotherProcessHasNotReservedIt) {
  add(ev::AddressAnswered{.base = kBase,
                          .size = kPage,
                          .process = kProcess + 1,
                          .request = static_cast<std::uint32_t>(AddressRequest::Update)});
  EXPECT_FALSE(holds());
}

TEST_F(Va012, ARefusedUpdateIsCarriedOut) {
  updates(30, 4, true);
  writes(30, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Va012, OtherEntriesMayBeWritten) {
  updates(30, 4, true);
  writes(26, 4);
  writes(34, 1);
  writes(30, 2, kProcess + 1);
  EXPECT_TRUE(holds());
}

TEST_F(Va012, OtherThreadsCarryOutWhatCameBefore) {
  updates(30, 4, true);
  thread_ = 2;
  writes(30, 2);
  EXPECT_TRUE(holds());
}

TEST_F(Va012, TheNextOpIsAnother) {
  updates(30, 4, true);
  add(ev::OpSkipped{.kind = static_cast<std::uint32_t>(OpKind::UpdateAddress)});
  writes(30, 2);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::va_012
