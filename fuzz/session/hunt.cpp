#include "fuzz/session/hunt.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "conformance/harness/suite/configurations.h"
#include "fuzz/generators/scenario_machine.h"
#include "fuzz/session/engine_process.h"
#include "fuzz/session/removed_at_the_end.h"
#include "fuzz/session/target_environment.h"
#include "fuzz/session/work_folder.h"
#include "reference/harness_assert.h"

namespace wddm::fuzz {
namespace fs = std::filesystem;
namespace {

// libFuzzer's own.
constexpr int kTimeoutExitCode = 70, kMemoryExitCode = 71;

struct Slot {
  EngineProcess process;
  Hunt* hunt = nullptr;
  std::string folder;
};

// Settings, and the machine that they make.
void add_configuration(EngineCommand& command, const harness::Configuration& configuration) {
  command.environment.emplace_back(kSettingsVariable, configuration.name);
  Machine machine;
  for (const Op& setting : configuration.settings) apply_setting(setting, machine);
  command.environment.emplace_back(kMachineVariable, print_machine(machine));
}

void add_fault(EngineCommand& command, const Rule& rule, bool configured) {
  command.environment.emplace_back(kFaultVariable, rule.id);
  command.environment.emplace_back(kQuarryVariable, rule.id);
  if (configured) add_configuration(command, harness::configuration_of_fault(rule));
}

void add_mutant(EngineCommand& command, const Hunt& hunt) {
  command.environment.emplace_back(kMutantVariable, std::to_string(hunt.mutant));
  command.environment.emplace_back(kQuarryVariable, kAnyQuarry);
  harness::Configuration configuration;
  std::string error;
  HARNESS_ASSERT(harness::parse_configuration(hunt.settings, configuration, error));
  add_configuration(command, configuration);
}

EngineCommand command_of(const Hunt& hunt, const std::string& folder, const HuntOptions& options) {
  EngineCommand command;
  command.arguments = {options.program, fmt::format("-seed={}", hunt.seed),
                       fmt::format("-runs={}", options.budget), "-timeout=25",
                       fmt::format("-artifact_prefix={}/", folder)};
  for (const char* flag : kLibFuzzerFlags) command.arguments.emplace_back(flag);
  command.environment = options.environment;
  command.environment.emplace_back(kWorkFolderVariable, folder);
  if (hunt.rule != nullptr) {
    add_fault(command, *hunt.rule, options.configured);
  } else {
    add_mutant(command, hunt);
  }
  if (hunt.raw) command.environment.emplace_back(kRawVariable, "1");
  command.log = folder + "/log";
  return command;
}

// By a defect of ours, or by libFuzzer, which found an input too slow or too big.
bool ended_by_us(int status) {
  if (!WIFEXITED(status)) return false;
  const int code = WEXITSTATUS(status);
  return code == kHarnessExitCode || code == kTimeoutExitCode || code == kMemoryExitCode;
}

// A fault that crashes the driver is found by the crash: the target ends in the middle of an input.
void conclude(Slot& slot) {
  const int status = slot.process.status();
  const bool met = WIFEXITED(status) && WEXITSTATUS(status) == kQuarryMet;
  const MappedBoard board = WorkFolder(slot.folder).board_of(0);
  if (board == nullptr) return;
  const std::uint32_t running = std::min<std::uint32_t>(board->running, kMostInput);
  const bool crashed = running != 0 && !met && !ended_by_us(status);
  if (!met && !crashed) return;
  slot.hunt->executions = board->executions + (crashed ? 1 : 0);
  slot.hunt->input.assign(board->input.begin(), board->input.begin() + running);
}

}  // namespace

bool hunt(std::vector<Hunt>& hunts, const HuntOptions& options, const std::atomic<bool>& stop,
          std::string& error) {
  const RemovedAtTheEnd work{options.folder};
  std::vector<std::unique_ptr<Slot>> slots;
  for (unsigned i = 0; i < options.jobs; ++i) slots.push_back(std::make_unique<Slot>());
  std::size_t next = 0, open = hunts.size();
  while (open != 0 && !stop.load()) {
    for (auto& slot : slots) {
      if (slot->hunt != nullptr && slot->process.has_ended()) {
        conclude(*slot);
        slot->hunt->ended = true;
        if (options.ended) options.ended(*slot->hunt);
        slot->hunt = nullptr;
        --open;
        std::error_code code;
        fs::remove_all(slot->folder, code);
      }
      if (slot->hunt != nullptr || next == hunts.size()) continue;
      slot->folder = fmt::format("{}/{}", options.folder, next);
      if (!WorkFolder::make(slot->folder, error)) return false;
      slot->hunt = &hunts[next++];
      if (!slot->process.start(command_of(*slot->hunt, slot->folder, options))) {
        error = "the system gave us no process";
        return false;
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

std::optional<std::uint64_t> median(std::vector<std::optional<std::uint64_t>> all) {
  std::sort(all.begin(), all.end(),
            [](const auto& left, const auto& right) { return left && (!right || *left < *right); });
  return all.empty() ? std::nullopt : all[(all.size() - 1) / 2];
}

}  // namespace wddm::fuzz
