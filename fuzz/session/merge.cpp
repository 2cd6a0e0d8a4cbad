#include "fuzz/session/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "fuzz/session/engine_process.h"
#include "fuzz/session/input_file.h"
#include "fuzz/session/removed_at_the_end.h"
#include "fuzz/session/target_environment.h"
#include "fuzz/session/work_folder.h"

namespace wddm::fuzz {
namespace fs = std::filesystem;
namespace {

using Input = std::vector<std::uint8_t>;

constexpr auto kTurn = std::chrono::milliseconds(20);

std::string control_of(const MergeOptions& options) {
  const Input bytes = read_input(options.folder + "/control");
  return {bytes.begin(), bytes.end()};
}

bool write_inputs(std::span<const Input> inputs, const std::string& folder, std::string& error) {
  std::error_code code;
  fs::create_directories(folder, code);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string file = fmt::format("{}/{}", folder, i);
    if (write_input(file, inputs[i])) continue;
    error = file + ": cannot be written";
    return false;
  }
  return true;
}

bool make_empty(const std::string& folder, std::string& error) {
  std::error_code code;
  fs::remove_all(folder, code);
  fs::create_directories(folder, code);
  if (code) error = fmt::format("{}: cannot be created: {}", folder, code.message());
  return !code;
}

EngineCommand command_of(const MergeOptions& options, std::size_t longest) {
  const std::string& folder = options.folder;
  EngineCommand command;
  command.arguments = {options.program,
                       "-set_cover_merge=1",
                       fmt::format("-merge_control_file={}/control", folder),
                       fmt::format("-max_len={}", std::max<std::size_t>(longest, 1)),
                       fmt::format("-timeout={:.0f}", std::ceil(options.timeout_seconds)),
                       fmt::format("-artifact_prefix={}/", folder),
                       "-detect_leaks=0",
                       "-rss_limit_mb=4096",
                       folder + "/out",
                       folder + "/in"};
  command.environment = options.environment;
  command.environment.emplace_back(kWorkFolderVariable, folder);
  command.log = folder + "/log";
  return command;
}

// libFuzzer copies what it keeps under names of its own.
bool read_kept(std::span<const Input> inputs, const std::string& folder,
               std::vector<std::size_t>& kept, std::string& error) {
  const auto text_of = [](const Input& input) { return std::string(input.begin(), input.end()); };
  std::set<std::string> contents;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    contents.insert(text_of(read_input(entry.path())));
  }
  if (code) {
    error = fmt::format("{}: {}", folder, code.message());
    return false;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    // Of equal inputs the first stands for all.
    if (contents.erase(text_of(inputs[i])) != 0) kept.push_back(i);
  }
  return true;
}

unsigned clauses_of(const WorkerBoard& board) {
  unsigned clauses = 0;
  for (const auto& word : board.reached)
    clauses += static_cast<unsigned>(std::popcount(word.load()));
  return clauses;
}

bool run(const MergeOptions& options, std::size_t longest, const std::atomic<bool>& stop,
         std::string& error) {
  EngineProcess engine;
  if (!engine.start(command_of(options, longest))) {
    error = "the system gave us no process";
    return false;
  }
  while (!engine.has_ended()) {
    if (stop.load()) {
      error = "stopped; nothing is merged";
      return false;
    }
    std::this_thread::sleep_for(kTurn);
  }
  return true;
}

bool merge_in(std::span<const Input> inputs, const MergeOptions& options,
              const std::atomic<bool>& stop, Merged& merged, std::string& error) {
  const WorkFolder work(options.folder);
  const MappedBoard board = work.board_of(0);
  if (board == nullptr) {
    error = options.folder + ": no room for boards";
    return false;
  }
  std::size_t longest = 0, present = 0;
  for (const Input& input : inputs) {
    longest = std::max(longest, input.size());
    // libFuzzer passes over files of no bytes.
    present += input.empty() ? 0 : 1;
  }
  if (present == 0) {
    error = "no input has an op";
    return false;
  }
  if (!write_inputs(inputs, options.folder + "/in", error)) return false;
  MergeLog log;
  // The engine goes on behind an input that ends it, unless that looks like an end of its own.
  for (bool moved = true; moved && log.begun < present;) {
    if (!make_empty(options.folder + "/out", error)) return false;
    if (!run(options, longest, stop, error)) return false;
    const std::size_t before = std::exchange(log, read_merge_log(control_of(options))).begun;
    moved = log.begun > before;
  }
  if (log.begun < present) {
    error = fmt::format("{} ended after {} of {} inputs", options.program, log.begun, present);
    return false;
  }
  if (!read_kept(inputs, options.folder + "/out", merged.kept, error)) return false;
  merged.fatal = log.fatal;
  const std::vector<std::string> buckets = work.buckets();
  merged.buckets = {buckets.begin(), buckets.end()};
  merged.clauses = clauses_of(*board);
  return true;
}

}  // namespace

MergeLog read_merge_log(const std::string& control) {
  std::istringstream lines(control);
  std::string line;
  std::size_t files = 0, own = 0;
  lines >> files >> own;
  std::getline(lines, line);
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < files && std::getline(lines, line); ++i) {
    numbers.push_back(std::strtoul(line.c_str() + line.rfind('/') + 1, nullptr, 10));
  }
  std::map<std::size_t, bool> ended;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string what;
    std::size_t index = 0;
    if (!(words >> what >> index) || index >= numbers.size()) continue;
    if (what == "STARTED") ended.try_emplace(numbers[index], false);
    if (what == "FT") ended[numbers[index]] = true;
  }
  MergeLog log;
  log.begun = ended.size();
  for (const auto& [number, good] : ended) {
    if (!good) log.fatal.push_back(number);
  }
  return log;
}

bool merge(std::span<const Input> inputs, const MergeOptions& options,
           const std::atomic<bool>& stop, Merged& merged, std::string& error) {
  if (!WorkFolder::make(options.folder, error)) return false;
  const RemovedAtTheEnd work{options.folder};
  return merge_in(inputs, options, stop, merged, error);
}

}  // namespace wddm::fuzz
