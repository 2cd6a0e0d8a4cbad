// What the program does to its own process: fixed addresses, and stopping when asked to.
#pragma once

#include <atomic>

namespace wddm::runner {

/// Starts the program once more with address randomization off, if it is on and can be turned off.
/// Equal addresses make runs equal that depend on them (hash tables of a driver, say).
void without_address_randomization(char** argv);

/// From now on SIGINT and SIGTERM set the flag; a second one ends the process.
[[nodiscard]] const std::atomic<bool>& stop_on_signals();

/// "2026-11-21T09:23:23Z"
struct NowText {
  char text[32];
};
[[nodiscard]] NowText now_text();

}  // namespace wddm::runner
