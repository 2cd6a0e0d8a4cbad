// Files that a failure is repeated from: a scenario as text or as bytes, and when we wrote it, the
// verdict and the record of the driver it was found on as comments.
#pragma once

#include <optional>
#include <string>

#include "conformance/harness/judge/capability_record.h"
#include "reference/trace/op.h"

namespace wddm::harness {

enum class ScenarioForm : std::uint8_t { Yaml, Bytes };

struct Reproducer {
  Scenario scenario;
  ScenarioForm form = ScenarioForm::Yaml;
  std::optional<CapabilityRecord> record;
};

/// YAML if it is text in which a key `ops` appears; bytes otherwise.
[[nodiscard]] ScenarioForm form_of(std::string_view contents);
/// Reads a file of either form, whatever it holds; one named .yaml or .yml must be YAML. False with
/// one line in `error`.
[[nodiscard]] bool read_reproducer(const std::string& path, Reproducer& out, std::string& error);

/// The YAML form with `verdict` (any text) and the record above it.
[[nodiscard]] std::string print_reproducer(const Scenario& scenario, const std::string& verdict,
                                           const CapabilityRecord& record);

}  // namespace wddm::harness
