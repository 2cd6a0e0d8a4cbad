// What afl-fuzz asks of a library of custom mutators, asked as afl-fuzz does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "reference/trace/op.h"

extern "C" {
void* afl_custom_init(void* afl, unsigned seed);
void afl_custom_deinit(void* data);
std::size_t afl_custom_fuzz(void* data, std::uint8_t* input, std::size_t size,
                            std::uint8_t** output, std::uint8_t* other, std::size_t other_size,
                            std::size_t room);
int afl_custom_init_trim(void* data, std::uint8_t* input, std::size_t size);
std::size_t afl_custom_trim(void* data, std::uint8_t** output);
int afl_custom_post_trim(void* data, unsigned char success);
}

namespace wddm::fuzz {
namespace {

using Ops = std::vector<Op>;

constexpr std::size_t kMostBytes = 1 << 20;  // of an input, for afl-fuzz

class AflMutators : public ::testing::Test {
 protected:
  ~AflMutators() override { afl_custom_deinit(data_); }

  Ops mutated(const Ops& ops) {
    std::vector<std::uint8_t> input = encode(ops);
    std::uint8_t* output = nullptr;
    const std::size_t size =
        afl_custom_fuzz(data_, input.data(), input.size(), &output, nullptr, 0, kMostBytes);
    EXPECT_NE(output, nullptr);
    return decode({output, size});
  }

  // What afl-fuzz has when it is done: the shortest input that `same` took.
  Ops trimmed(const Ops& ops, const std::function<bool(const Ops&)>& same) {
    std::vector<std::uint8_t> input = encode(ops);
    Ops kept = ops;
    const int steps = afl_custom_init_trim(data_, input.data(), input.size());
    for (int step = 0; step < steps;) {
      std::uint8_t* output = nullptr;
      const std::size_t size = afl_custom_trim(data_, &output);
      EXPECT_NE(output, nullptr);
      const Ops tried = decode({output, size});
      const bool success = same(tried);
      if (success) kept = tried;
      step = afl_custom_post_trim(data_, success ? 1 : 0);
    }
    return kept;
  }

 private:
  void* data_ = afl_custom_init(nullptr, 1);
};

Ops idles(std::size_t count) {
  return Ops(count, {.kind = OpKind::Idle});
}

TEST_F(AflMutators, NeverGiveNull) {
  for (int i = 0; i < 2000; ++i) mutated(idles(2));
}

TEST_F(AflMutators, ChangeInputsThatAreTooLongForThem) {
  const Ops longest = mutated(idles(400));
  int unchanged = 0;
  for (int i = 0; i < 200; ++i) unchanged += mutated(idles(400)) == idles(128) ? 1 : 0;
  EXPECT_LE(longest.size(), 128u);
  EXPECT_EQ(unchanged, 0);
}

TEST_F(AflMutators, TrimWhateverMayGo) {
  EXPECT_EQ(trimmed(idles(16), [](const Ops&) { return true; }).size(), 1u);
}

TEST_F(AflMutators, TrimOnPastWhatMustStay) {
  Ops ops = idles(33);
  ops[5].kind = ops[20].kind = OpKind::Start;
  const auto starts = [](const Ops& some) {
    return std::count(some.begin(), some.end(), Op{.kind = OpKind::Start});
  };
  EXPECT_EQ(trimmed(ops, [&](const Ops& some) { return starts(some) == 2; }).size(), 2u);
}

TEST_F(AflMutators, TrimNothingOfTheShortestInputs) {
  for (const std::size_t count : {0, 1}) {
    EXPECT_EQ(trimmed(idles(count), [](const Ops&) { return true; }), idles(count));
  }
}

}  // namespace
}  // namespace wddm::fuzz
