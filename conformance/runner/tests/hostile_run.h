// A run of the real program on a hostile driver, and what it came to.
#pragma once

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "conformance/runner/tests/program.h"

namespace wddm::runner {

namespace fs = std::filesystem;

// What needs no preemption is judged whatever PreemptCommand does.
inline constexpr const char* kFewClauses = "CAPS-001:PREEMPT-008:LIFE-001";

class Hostile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) /
        ("hostile-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    // What a run leaves behind becomes ours, so that it can be found.
    ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  }

  // Runs the driver; whatever it is, these hold. `settings`: of its service key.
  void run(const std::string& name, const std::string& filter = kFewClauses,
           const std::string& timeout = "60", const std::string& settings = {}) {
    std::vector<std::string> run{"run",       driver(name),
                                 "--device",  beside("reference_device.so"),
                                 "--client",  beside("reference_client.so"),
                                 "--filter",  filter,
                                 "--timeout", timeout};
    if (!settings.empty()) run = with(run, {"--config", settings});
    ended_ = wddmcheck(with(run, {"--output", folder_}));
    EXPECT_EQ((ended_.out + ended_.err).find("HARNESS"), std::string::npos) << all();
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a process is left";
    EXPECT_EQ(errno, ECHILD);
    const std::string text = contents(folder_ / "results.json");
    results_ = text.empty() ? nlohmann::json() : nlohmann::json::parse(text, nullptr, false);
    EXPECT_FALSE(results_.is_discarded()) << "results.json is not well-formed";
    if (ended_.code == 1) expect_excused(run);
  }
  // What made a run red, as a baseline, makes the next one green.
  void expect_excused(const std::vector<std::string>& run) {
    const Ended again = wddmcheck(
        with(run, {"--baseline", folder_ / "failures.csv", "--output", folder_ / "again"}));
    EXPECT_EQ(again.code, 0) << again.out << again.err << contents(folder_ / "failures.csv");
  }
  static std::vector<std::string> with(std::vector<std::string> arguments,
                                       const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  static Ended wddmcheck(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), WDDMCHECK);
    return Program(arguments).wait();
  }
  static std::string driver(const std::string& name) {
    return fs::path(HOSTILE_FOLDER) / (name + ".so");
  }
  static std::string beside(const char* name) { return fs::path(WDDMCHECK).parent_path() / name; }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  [[nodiscard]] std::string all() const { return ended_.out + ended_.err; }
  [[nodiscard]] const nlohmann::json* clause(const std::string& id) const {
    for (const char* list : {"results", "host"}) {
      for (const auto& each : results_[list]) {
        if (each["id"] == id) return &each;
      }
    }
    return nullptr;
  }
  [[nodiscard]] std::string result(const std::string& id) const {
    const nlohmann::json* const found = clause(id);
    return found == nullptr ? "none" : (*found)["result"].get<std::string>();
  }
  [[nodiscard]] std::string reason(const std::string& id) const {
    const nlohmann::json* const found = clause(id);
    return found == nullptr || (*found)["reason"].is_null() ? ""
                                                            : (*found)["reason"].get<std::string>();
  }
  [[nodiscard]] std::string trace(const std::string& test) const {
    return contents(folder_ / "failures" / (test + ".trace.txt"));
  }

  // Its deed is done in PreemptCommand, and everything else is as it was.
  void expect_only_preemption(const char* kind, const std::string& words) {
    EXPECT_EQ(ended_.code, 1) << all();
    EXPECT_EQ(result("PREEMPT-008"), kind);
    EXPECT_NE(reason("PREEMPT-008").find(words), std::string::npos) << reason("PREEMPT-008");
    EXPECT_EQ(result("CAPS-001"), "pass");
    EXPECT_EQ(result("LIFE-001"), "pass");
  }
  // Something fired and nothing ended badly.
  void expect_judged_to_the_end() {
    EXPECT_EQ(ended_.code, 1) << all();
    for (const char* kind : {"crash", "hang", "timeout", "flake", "not-run"}) {
      EXPECT_EQ(results_["summary"][kind], 0) << kind << '\n' << all();
    }
    EXPECT_GT(results_["summary"]["fail"], 0);
    EXPECT_GT(results_["summary"]["pass"], 0);
  }

  fs::path folder_;
  Ended ended_;
  nlohmann::json results_;
};

}  // namespace wddm::runner
