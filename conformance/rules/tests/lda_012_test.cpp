// Queries that name a GPU behind those of the link.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::lda_012 {
namespace {

constexpr std::uint32_t kRefused = 0xC000000D, kUnsuccessful = 0xC0000001;

class Lda012 : public TraceTest {
 protected:
  Lda012() { platform_.linked_adapters = 2; }
  void answers(InfoQuestion how, std::uint32_t status) {
    add(ev::InfoAnswered{.how = static_cast<std::uint32_t>(how), .status = status});
  }
  std::size_t failures() { return TraceTest::failures("LDA-012"); }
};

TEST_F(Lda012, AnyFailureWillDo) {
  answers(InfoQuestion::WrongIndex, kRefused);
  answers(InfoQuestion::WrongIndex, kUnsuccessful);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("LDA-012"), 2u);
}

TEST_F(Lda012, SuccessIsAnAnswer) {
  answers(InfoQuestion::WrongIndex, 0);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda012, OtherQuestionsAreOfGpusThatAreThere) {
  answers(InfoQuestion::Plain, 0);
  answers(InfoQuestion::Unknown, 0);
  answers(InfoQuestion::Short, 0);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("LDA-012"), 0u);
}

}  // namespace
}  // namespace wddm::lda_012
