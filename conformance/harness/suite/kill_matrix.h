// Every seeded fault against every clause: who caught what.
//
// For each fault three runs: its scenario and its control case without a fault, which must stay
// silent, and its scenario with its fault, where the clause itself must fire and what else fires
// must be what the rule file says. A clause whose fault survives is unfinished.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "conformance/harness/isolate/isolate.h"
#include "conformance/harness/judge/result.h"
#include "conformance/harness/suite/disguises.h"

namespace wddm::harness {

struct KillRow {
  const Rule* rule = nullptr;
  const Fault* fault = nullptr;      ///< of the rule: its own, or that of the device
  bool ran = false;                  ///< false: stopped before
  bool killed = false;               ///< its own clause fired
  bool in_disguise = false;          ///< so what else fires is not announced
  bool good = false;                 ///< killed, nothing unexplained, silent without the fault
  std::vector<std::string> fired;    ///< everything else that fired with the fault, sorted
  std::vector<std::string> wanted;   ///< Fault::also_fires, sorted
  std::vector<std::string> noise;    ///< fired without a fault, as "control: PAGE-001"
  std::vector<std::string> harness;  ///< defects of ours
  std::string about;                 ///< one line on what is wrong; empty if good
};

struct KillMatrixOptions {
  IsolatorOptions isolation;
  const Disguise* disguise = nullptr;  ///< of the built-in driver; null: none
  bool configured = true;  ///< the driver is the built-in one, and has the rules' configurations
  const char* device_variable = nullptr;      ///< see RunRequest; null: the device has no faults
  std::function<void(const KillRow&)> ended;  ///< in order of their ends; may be null
  const std::atomic<bool>* stop = nullptr;
};

/// A row for each fault, in the order of the rules; that of the device stands behind the other.
[[nodiscard]] std::vector<KillRow> kill_matrix(std::span<const Rule* const> rules,
                                               const KillMatrixOptions& options);

}  // namespace wddm::harness
