// Updates that come after their packet was reported.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::va_008 {
namespace {

class Va008 : public TraceTest {
 protected:
  Va008() { platform_.has_entry_decoder = true; }
  void updated(std::uint32_t ordinal, std::uint32_t wrong, std::uint32_t outside = 0,
               std::uint32_t decoded = 3) {
    add(ev::TableUpdated{.place = 0x6000, .segment = 1, .mode = update_mode::kGpuPhysical});
    add(ev::TableCompared{.update = ordinal,
                          .packet = ordinal,
                          .decoded = decoded,
                          .wrong = wrong,
                          .outside = outside});
  }
};

TEST_F(Va008, EntriesThatComeLater) {
  updated(0, 3);
  updated(1, 0, 24);
  EXPECT_FALSE(holds("VA-008"));
}

TEST_F(Va008, OfALinkEachGpuHasItsOwnTable) {
  updated(0, 3);
  add(ev::TableUpdated{
      .place = 0x6000, .segment = 1, .mode = update_mode::kGpuPhysical, .physical_adapter = 1});
  add(ev::TableCompared{.update = 1, .packet = 1, .decoded = 3, .physical_adapter = 1});
  EXPECT_TRUE(holds("VA-008"));
  updated(2, 0, 24);
  EXPECT_FALSE(holds("VA-008"));
}

TEST_F(Va008, EntriesThatNeverCome) {
  updated(0, 3);
  updated(1, 0);
  EXPECT_TRUE(holds("VA-008"));
}

TEST_F(Va008, EntriesThatAreWrong) {
  updated(0, 1);
  updated(1, 0, 24);
  EXPECT_TRUE(holds("VA-008"));
}

TEST_F(Va008, ThatOtherBytesChangeIsNotLate) {
  updated(0, 0);
  updated(1, 0, 24);
  EXPECT_TRUE(holds("VA-008"));
  EXPECT_EQ(times_reached("VA-008"), 2u);
}

class Va008Access : public Va008 {
 protected:
  void missing() {
    add(ev::TableUpdated{.place = 0x6000, .segment = 1, .mode = update_mode::kGpuPhysical});
    add(ev::TableCompared{.update = 0, .packet = 0, .decoded = 3, .wrong = 3});
  }
  void draws() {
    add(ev::RootSet{.context = 1});
    add(ev::Submitted{.packet = 9, .context = 1});
  }
  void differs() { add(ev::MemoryDiffers{.cause_object = 9}); }
};

TEST_F(Va008Access, FindsWhatWasMappedBefore) {
  missing();
  draws();
  differs();
  EXPECT_EQ(failures("VA-008"), 1u);
}

TEST_F(Va008Access, WasSubmittedBefore) {
  draws();
  missing();
  differs();
  EXPECT_TRUE(holds("VA-008"));
}

TEST_F(Va008Access, FindsWrongMemoryThoughAllIsThere) {
  updated(0, 0);
  draws();
  differs();
  EXPECT_TRUE(holds("VA-008"));
}

TEST_F(Va008Access, FaultsThoughItsUpdatesLookRight) {
  draws();
  add(ev::AccessFaulted{.address = 0x10000, .packet = 9});
  add(ev::MarkerRead{.packet = 9});
  EXPECT_EQ(failures("VA-008"), 1u);
}

class Va008Hurried : public Va008Access {
 protected:
  void draws_without_a_wait() {
    add(ev::RootSet{.context = 1});
    add(ev::NotAwaited{.render = 4, .context = 1, .requests = 1});
    add(ev::Submitted{.packet = 9, .render = 4, .context = 1});
  }
};

TEST_F(Va008Hurried, MayFault) {
  platform_.has_entry_decoder = false;
  draws_without_a_wait();
  add(ev::AccessFaulted{.address = 0x10000});
  add(ev::MarkerRead{.packet = 9});
  EXPECT_TRUE(holds("VA-008"));
  EXPECT_EQ(times_reached("VA-008"), 1u);
}

TEST_F(Va008Hurried, ReachesNoMemoryOfOthers) {
  draws_without_a_wait();
  differs();
  EXPECT_EQ(failures("VA-008"), 1u);
}

TEST_F(Va008Hurried, IsNotWhoMissesWhatWasToBeThere) {
  missing();
  draws_without_a_wait();
  add(ev::AccessFaulted{.address = 0});
  add(ev::MarkerRead{.packet = 9});
  EXPECT_TRUE(holds("VA-008"));
}

}  // namespace
}  // namespace wddm::va_008
