// Queries that devices which only compute answer, and those that they refuse.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_021 {
namespace {

constexpr std::uint32_t kNotSupported = 0xC00000BB;

class Mcdm021 : public TraceTest {
 protected:
  void asked(std::uint32_t type, InfoQuestion how, std::uint32_t status, std::uint32_t changed = 0,
             std::uint32_t unlike = 0) {
    add(ev::InfoAnswered{.type = type,
                         .how = static_cast<std::uint32_t>(how),
                         .status = status,
                         .changed = changed,
                         .unlike = unlike});
  }
  void segments(std::uint32_t version, std::uint32_t count, std::uint32_t call = 1) {
    add(ev::SegmentsReported{.version = version, .call = call, .count = count});
  }
};

TEST_F(Mcdm021, EachIsAnswered) {
  asked(DXGKQAITYPE_NUMPOWERCOMPONENTS, InfoQuestion::Plain, 0);
  asked(DXGKQAITYPE_NUMPOWERCOMPONENTS, InfoQuestion::Again, 0);
  segments(4, 1);
  EXPECT_TRUE(holds("MCDM-021"));
  EXPECT_EQ(times_reached("MCDM-021"), 3u);
}

TEST_F(Mcdm021, OneIsRefused) {
  asked(DXGKQAITYPE_HISTORYBUFFERPRECISION, InfoQuestion::Plain, kNotSupported);
  EXPECT_FALSE(holds("MCDM-021"));
}

TEST_F(Mcdm021, OneHasAnotherAnswerTheNextTime) {
  asked(DXGKQAITYPE_NUMPOWERCOMPONENTS, InfoQuestion::Again, 0, 4, 4);
  EXPECT_FALSE(holds("MCDM-021"));
}

TEST_F(Mcdm021, AQuestionThatIsWrongMayBeRefused) {
  asked(DXGKQAITYPE_NUMPOWERCOMPONENTS, InfoQuestion::Short, kNotSupported);
  EXPECT_TRUE(holds("MCDM-021"));
  EXPECT_EQ(times_reached("MCDM-021"), 0u);
}

TEST_F(Mcdm021, NoSegment) {
  segments(4, 0);
  EXPECT_FALSE(holds("MCDM-021"));
}

TEST_F(Mcdm021, AnOlderFormIsOfAnOlderInterface) {
  segments(3, 0);
  EXPECT_TRUE(holds("MCDM-021"));
  EXPECT_EQ(times_reached("MCDM-021"), 0u);
}

class Mcdm023 : public Mcdm021 {};

TEST_F(Mcdm023, Refused) {
  asked(DXGKQAITYPE_QUERYSEGMENT3, InfoQuestion::Plain, kNotSupported);
  EXPECT_TRUE(holds("MCDM-023"));
  EXPECT_EQ(times_reached("MCDM-023"), 1u);
}

TEST_F(Mcdm023, Answered) {
  asked(DXGKQAITYPE_QUERYSEGMENT3, InfoQuestion::Plain, 0);
  EXPECT_FALSE(holds("MCDM-023"));
}

// A driver may clear every output before it looks at the type.
TEST_F(Mcdm023, WhoRefusesMayHaveWritten) {
  asked(DXGKQAITYPE_QUERYSEGMENT3, InfoQuestion::Plain, kNotSupported, 64);
  EXPECT_TRUE(holds("MCDM-023"));
}

TEST_F(Mcdm023, WhatIsOnNoListMaySucceed) {
  asked(DXGKQAITYPE_WDDMDEVICECAPS, InfoQuestion::Plain, 0);
  EXPECT_TRUE(holds("MCDM-023"));
  EXPECT_EQ(times_reached("MCDM-023"), 0u);
}

}  // namespace
}  // namespace wddm::mcdm_021
