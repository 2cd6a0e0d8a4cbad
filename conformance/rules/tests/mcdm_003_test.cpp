// Which functions devices that only compute have, must not have and are better without.
#include <cstddef>

#include "conformance/rules/tests/compute_test.h"

namespace wddm::mcdm_003 {
namespace {

#define PLACE(name) static_cast<std::uint32_t>(offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdi##name))

const std::vector<std::uint32_t> kNeeded = {
#define NEEDED(name) PLACE(name),
#define PROHIBITED(name)
#define OLDER(name)
#include "conformance/rules/mcdm/entry_points/compute_entries.def"
#undef NEEDED
#undef PROHIBITED
#undef OLDER
};

class Mcdm003 : public ComputeTest {};

TEST_F(Mcdm003, TheMinimumAlone) {
  fills(kNeeded);
  for (const char* const id : {"MCDM-003", "MCDM-004", "MCDM-005"}) {
    EXPECT_TRUE(holds(id)) << id;
    EXPECT_EQ(times_reached(id), 1u) << id;
  }
}

TEST_F(Mcdm003, EachOfThemIsNeeded) {
  EXPECT_EQ(kNeeded.size(), 36u);
  for (std::size_t i = 0; i < kNeeded.size(); ++i) {
    std::vector<std::uint32_t> filled = kNeeded;
    filled.erase(filled.begin() + static_cast<std::ptrdiff_t>(i));
    const std::size_t before = failures("MCDM-003");
    fills(filled);
    EXPECT_EQ(failures("MCDM-003"), before + 1) << i;
  }
}

TEST_F(Mcdm003, WhatIsProhibitedAndWhatIsOlder) {
  std::vector<std::uint32_t> filled = kNeeded;
  filled.push_back(PLACE(Present));
  fills(filled);
  EXPECT_FALSE(holds("MCDM-004"));
  EXPECT_TRUE(holds("MCDM-005"));
  filled.back() = PLACE(SetPalette);
  fills(filled);
  EXPECT_EQ(failures("MCDM-004"), 1u);
  EXPECT_FALSE(holds("MCDM-005"));
}

// It stands among what must be there and among what must not.
TEST_F(Mcdm003, QueryConnectionChangeMayBeEither) {
  std::vector<std::uint32_t> filled = kNeeded;
  filled.push_back(PLACE(QueryConnectionChange));
  fills(filled);
  EXPECT_TRUE(holds("MCDM-003"));
  EXPECT_TRUE(holds("MCDM-004"));
}

}  // namespace
}  // namespace wddm::mcdm_003
