// What the author of a driver that we have never seen is told, with the real program.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "conformance/runner/tests/program.h"

namespace wddm::runner {
namespace {

const std::string kFolder = WDDM_BINARIES;

Ended wddmcheck(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), kFolder + "/wddmcheck");
  return Program(arguments).wait();
}

std::string fresh_folder() {
  const auto folder = std::filesystem::path(testing::TempDir()) /
                      testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::remove_all(folder);
  return folder;
}

// The example of a vendor's first client: what it can do is judged, and what it cannot is said.
TEST(ForeignDriver, AFirstClientIsOfUseAndToldWhatIsNext) {
  const std::string output = fresh_folder();
  const Ended ended =
      wddmcheck({"run", kFolder + "/reference_kmd.so", "--device", kFolder + "/reference_device.so",
                 "--client", kFolder + "/first_client.so", "--depth", "quick", "--output", output});

  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  const auto results = nlohmann::json::parse(contents(output + "/results.json"), nullptr, false);
  std::size_t judged = 0;
  for (const auto& clause : results["results"]) {
    for (const char* id : {"RENDER-001", "LIFE-010", "FENCE-001"}) {
      if (clause["id"] != id) continue;
      EXPECT_EQ(clause["result"], "pass") << clause["reason"];
      ++judged;
    }
  }
  EXPECT_EQ(judged, 3u);
  EXPECT_NE(ended.out.find("\nWould let more be judged:\n"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("in the client's build(): "), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("decode() in the client"), std::string::npos) << ended.out;
  EXPECT_FALSE(results["reach"].empty());
}

TEST(ForeignDriver, ListSaysWhatItsModelDoesNotNeed) {
  const Ended all = wddmcheck({"list"});
  const Ended without_client = wddmcheck(
      {"list", kFolder + "/reference_kmd.so", "--device", kFolder + "/reference_device.so"});

  EXPECT_EQ(all.out.find("not applicable"), std::string::npos);
  EXPECT_EQ(without_client.code, 0) << without_client.err;
  EXPECT_NE(without_client.out.find("(not applicable: no client: nothing can be rendered)"),
            std::string::npos);
}

std::vector<std::string> of_reference(const char* command, std::vector<std::string> further) {
  std::vector<std::string> arguments{command,    kFolder + "/reference_kmd.so",
                                     "--device", kFolder + "/reference_device.so",
                                     "--client", kFolder + "/reference_client.so"};
  arguments.insert(arguments.end(), further.begin(), further.end());
  return arguments;
}

TEST(ForeignDriver, WhatItsModelDoesNotNeedGoesByItsSettings) {
  const auto line_of = [](const Ended& ended) {
    const std::size_t at = ended.out.find("Mmu.MMU_004 ");
    return at == std::string::npos ? ended.err
                                   : ended.out.substr(at, ended.out.find('\n', at) - at);
  };
  const Ended plain = wddmcheck(of_reference("list", {}));
  const Ended with_tables = wddmcheck(of_reference("list", {"--config", "Addressing=1"}));

  EXPECT_NE(line_of(plain).find("(not applicable: no GPU virtual addresses"), std::string::npos)
      << line_of(plain);
  EXPECT_NE(line_of(with_tables).find("Mmu.MMU_004"), std::string::npos) << line_of(with_tables);
  EXPECT_EQ(line_of(with_tables).find("not applicable"), std::string::npos) << line_of(with_tables);
}

TEST(ForeignDriver, InfoSaysWhatOfItsModelIsPlayed) {
  const Ended plain = wddmcheck(of_reference("info", {}));
  const Ended with_tables = wddmcheck(
      of_reference("info", {"--settings", "Addressing=1,PageSize64K=1,PageTableUpdateMode=2"}));

  EXPECT_NE(plain.out.find("\n  host plays             patch lists\n"), std::string::npos)
      << plain.out;
  EXPECT_EQ(plain.out.find("page sizes"), std::string::npos) << plain.out;
  EXPECT_NE(with_tables.out.find("\n  page sizes             4 KB, 64 KB in leaf tables of their "
                                 "own\n  host plays             GPU virtual addresses with page "
                                 "tables\n"),
            std::string::npos)
      << with_tables.out;
}

TEST(ForeignDriver, GetsAnyValueOfItsServiceKeyAndTheWindowsAskedFor) {
  const auto status = [](const std::string& config) {
    const Ended ended = wddmcheck({"run", kFolder + "/wddm_reads_settings.so", "--filter",
                                   "CAPS-001", "--config", config, "--output", fresh_folder()});
    EXPECT_EQ(ended.code, 3) << ended.out << ended.err;
    const std::size_t at = ended.out.find("DriverEntry returned ");
    return at == std::string::npos
               ? ended.out
               : ended.out.substr(at, ended.out.find_first_of(" \n", at + 22) - at);
  };

  EXPECT_EQ(status("Mode=fast,Level=3,RtlGetVersion=10.0.22621"),
            "DriverEntry returned STATUS_CANCELLED");
  EXPECT_EQ(status("Mode=fast,Level=3"), "DriverEntry returned STATUS_REVISION_MISMATCH");
  EXPECT_EQ(status("Mode=slow,Level=3"), "DriverEntry returned STATUS_NOT_FOUND");
}

TEST(ForeignDriver, OfTheBuiltInDriverOnlyItsOwnSettingsAreKnown) {
  const Ended ended = wddmcheck({"run", "--config", "Mode=fast"});

  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.err.find("no setting is called 'Mode'"), std::string::npos) << ended.err;
}

TEST(ForeignDriver, AnInfThatIsNoneIsBadInput) {
  const std::string inf = testing::TempDir() + "/bad.inf";
  const std::string scenario = testing::TempDir() + "/start.yaml";
  std::ofstream(scenario) << "ops:\n- start\n";
  std::ofstream(inf) << "[Version]\nClass = Display\n[Strings\n";
  for (const char* command : {"run", "repro", "fuzz"}) {
    std::vector<std::string> arguments{command, "--inf", inf};
    if (std::string(command) == "repro") {
      arguments.push_back(scenario);
    } else {
      arguments.insert(arguments.end(), {"--output", fresh_folder()});
    }
    const Ended ended = wddmcheck(arguments);

    EXPECT_EQ(ended.code, 2) << ended.out << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_NE(ended.err.find("bad.inf:3: "), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find("expected "), std::string::npos) << ended.err;
  }
}

}  // namespace
}  // namespace wddm::runner
