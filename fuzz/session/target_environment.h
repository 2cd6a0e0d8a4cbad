// How whoever starts a fuzz target tells it what to do: environment variables, since its arguments
// are the engine's.
#pragma once

namespace wddm::fuzz {

/// Folder of the campaign (work_folder.h). Without one a finding ends the process.
inline constexpr const char* kWorkFolderVariable = "WDDM_FUZZ_WORK";
/// Which of its workers the target is.
inline constexpr const char* kWorkerVariable = "WDDM_FUZZ_WORKER";
/// Executions after which the worker leaves, those before a restart included.
inline constexpr const char* kRunsVariable = "WDDM_FUZZ_RUNS";

/// What every scenario runs with: settings as --config takes them, and the clause whose seeded
/// fault is in place.
inline constexpr const char* kSettingsVariable = "WDDM_FUZZ_SETTINGS";
inline constexpr const char* kFaultVariable = "WDDM_FUZZ_FAULT";

/// Number of the mutant that plays, of the driver's images.
inline constexpr const char* kMutantVariable = "WDDM_FUZZ_MUTANT";

/// What scenarios are made for (fuzz/generators/scenario_machine.h), of the mutators of AFL++ too.
inline constexpr const char* kMachineVariable = "WDDM_FUZZ_MACHINE";

/// The target leaves with kQuarryMet when this clause fails, and cares for nothing else. The input
/// stays on its board.
inline constexpr const char* kQuarryVariable = "WDDM_FUZZ_UNTIL";
/// Instead of a clause: whatever tells a mutant from the original.
inline constexpr const char* kAnyQuarry = "*";
inline constexpr int kQuarryMet = 42;
/// Set to 1: the engine's own byte mutators instead of ours.
inline constexpr const char* kRawVariable = "WDDM_FUZZ_RAW";

}  // namespace wddm::fuzz
