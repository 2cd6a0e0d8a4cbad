// Brings the driver under test into this process, carefully: its static constructors run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "conformance/harness/judge/capability_record.h"
#include "conformance/harness/judge/result.h"
#include "conformance/host/execute.h"
#include "reports/report.h"

namespace wddm::runner {

/// Paths for the host, absolute. False with one line in `error` if a file cannot be read, or the
/// INF is none.
[[nodiscard]] bool locate(const reports::Subject& subject, host::DriverUnderTest& driver,
                          std::string& error);
/// The built-in driver and device whose methods can be made faulty, for selftest.
[[nodiscard]] host::DriverUnderTest faulty_reference_driver();
/// The client plug-in that plays with the built-in driver in this disguise, which there is.
[[nodiscard]] std::string client_of_disguise(const std::string& name);
/// The file of the driver, which for the built-in one has no name of the user's.
[[nodiscard]] std::string file_of(const host::DriverUnderTest& driver);

/// What tells a fuzz target its driver.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> environment_of(
    const host::DriverUnderTest& driver);

/// A file in the folder of this program.
[[nodiscard]] std::string beside_us(const std::string& name);

/// A fuzz target in the folder of this program. False with one line in `error` if it was not built.
[[nodiscard]] bool find_target(const std::string& name, std::string& path, std::string& error);

/// Loads it in a child first, so that an image that crashes or hangs while it is loaded ends with
/// one line in `error` and not with us. It has some seconds, whatever `timeout_seconds` is.
[[nodiscard]] bool load_carefully(const host::DriverUnderTest& driver, double timeout_seconds,
                                  std::string& error);

/// What the last of `settings` says, for this driver: of the built-in one names that scenarios
/// know, of any other any value. False with one line in `error`.
[[nodiscard]] bool read_configuration(const reports::Subject& subject,
                                      const std::vector<std::string>& settings,
                                      harness::Configuration& configuration, std::string& error);

/// Starts the driver that is loaded and creates a context, to see what it says of itself
/// in this configuration.
[[nodiscard]] harness::RunOutcome bring_up(double timeout_seconds,
                                           const harness::Configuration& configuration = {});
/// The record of the driver that is loaded.
[[nodiscard]] harness::CapabilityRecord record_of_loaded(const host::DriverUnderTest& driver,
                                                         double timeout_seconds);

}  // namespace wddm::runner
