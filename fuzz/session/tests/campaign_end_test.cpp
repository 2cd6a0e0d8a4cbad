// What becomes of inputs that a campaign comes to when its time is over, on a clock of the test's.
//
// The engine is a program that ends at once, and what it has found the test puts into the folder.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/session/campaign.h"
#include "reference/trace/op.h"

namespace wddm::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr double kSeconds = 60;
constexpr double kOverAt = kSeconds + 10;  // by then all that was found has to be looked at
constexpr const char* kFound = "SPLIT-001-start";

class CampaignEnd : public testing::Test {
 protected:
  CampaignEnd() : output_(testing::TempDir() + "campaign-end") { fs::remove_all(output_); }
  ~CampaignEnd() override { fs::remove_all(output_); }

  // Begins at 0. It is `now` from then on, or once the worker has ended in the middle of an input.
  void campaign_at(double now, double seconds, bool in_the_middle) {
    CampaignOptions options;
    options.program = "/bin/true";
    options.output = output_;
    options.corpus = output_ + "/corpus";
    options.seconds = seconds;
    if (in_the_middle) {
      options.clock = [this, now] {
        return fs::is_empty(fs::path(output_) / "work" / "fatal") ? 0 : now;
      };
    } else {
      options.clock = [now, begun = false]() mutable {
        return std::exchange(begun, true) ? now : 0;
      };
    }
    CampaignHooks hooks;
    hooks.left = [this](const std::string& bucket, const std::vector<std::uint8_t>& input) {
      left_.push_back(bucket);
      EXPECT_EQ(input, input_);
    };
    // The driver of this program does nothing wrong, so who looks at it sees nothing.
    hooks.unsteady = [this](const std::string& bucket, const auto&) { seen_.push_back(bucket); };
    Campaign campaign(options, hooks);
    std::string error;
    ASSERT_TRUE(campaign.prepare(error)) << error;
    const WorkFolder work(output_ + "/work");
    if (in_the_middle) {
      work.board_of(0)->begin(input_);
    } else {
      ASSERT_TRUE(work.store(kFound, input_));
    }
    EXPECT_TRUE(campaign.run(std::atomic<bool>(false), error)) << error;
  }

  const std::string output_;
  const std::vector<std::uint8_t> input_ = encode(std::vector<Op>{{.kind = OpKind::Start}});
  std::vector<std::string> left_, seen_;
};

using Names = std::vector<std::string>;

TEST_F(CampaignEnd, WhatIsFoundIsLookedAtForAWhileLonger) {
  campaign_at(kOverAt - 1, kSeconds, false);
  EXPECT_EQ(seen_, Names{kFound});
  EXPECT_EQ(left_, Names{});
}

TEST_F(CampaignEnd, WhatNobodyHasTimeForIsLeft) {
  campaign_at(kOverAt, kSeconds, false);
  EXPECT_EQ(seen_, Names{});
  EXPECT_EQ(left_, Names{kFound});
}

TEST_F(CampaignEnd, SoIsWhatEndedAWorker) {
  campaign_at(kOverAt, kSeconds, true);
  EXPECT_EQ(seen_, Names{});
  EXPECT_EQ(left_, Names{"CRASH"});
}

TEST_F(CampaignEnd, WithoutALimitNothingIsLeft) {
  campaign_at(1e6, 0, false);
  EXPECT_EQ(seen_, Names{kFound});
  EXPECT_EQ(left_, Names{});
}

}  // namespace
}  // namespace wddm::fuzz
