// Scenarios that belong to no clause and are judged by all: what generators and fuzzers came to and
// no clause's own scenarios do. They lie in files, so that a driver can be judged by others too.
//
//   FOLDER/index.tsv   a line for each, in the order in which they are played: its file,
//   addressing,
//                      settings of the built-in driver it was found in, and what it is there for
//
// Ops are abstract: any driver can be played them, if it names memory in the same way.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/harness/judge/result.h"

namespace wddm::harness {

struct CorpusScenario {
  std::shared_ptr<const Scenario> scenario;  ///< its name is that of its file
  bool gpu_virtual = false;                  ///< for drivers with GPU virtual addresses
  std::string settings;                      ///< configuration of the built-in driver
};

/// The first line of an index.
inline constexpr const char* kCorpusColumns =
    "file\taddressing\tsettings\tfamily\tseed\tevents\twhat it adds";
inline constexpr const char* kPatchLists = "patch_lists";
inline constexpr const char* kGpuVirtual = "gpu_virtual";

/// Reads an index and its files. False with "FILE:LINE: what" in `error`.
[[nodiscard]] bool read_corpus(const std::string& folder, std::vector<CorpusScenario>& corpus,
                               std::string& error);

/// What is played of it. The built-in driver plays each in the settings it was found in, where they
/// are one of the configurations. Everywhere else addressing alone decides: `gpu_virtual` says of
/// each configuration whether the driver has GPU virtual addresses in it, or nothing if it does not
/// run in it.
[[nodiscard]] std::vector<RunSpec> plan_of_corpus(std::span<const CorpusScenario> corpus,
                                                  std::span<const Configuration> configurations,
                                                  std::span<const std::optional<bool>> gpu_virtual,
                                                  bool built_in);

/// What the records of each configuration say of its addressing.
[[nodiscard]] std::vector<std::optional<bool>> addressing_seen(std::span<const RunRecord> records,
                                                               std::size_t configurations);

}  // namespace wddm::harness
