// What the program does to its own process: fixed addresses, stopping when asked to, a place for
// its temporary files.
#pragma once

#include <atomic>
#include <string>

namespace wddm::runner {

/// Starts the program once more with address randomization off, if it is on and can be turned off.
/// Equal addresses make runs equal that depend on them (hash tables of a driver, say).
void without_address_randomization(char** argv);

/// From now on SIGINT and SIGTERM set the flag; a second one ends the process.
[[nodiscard]] const std::atomic<bool>& stop_on_signals();

/// Path of a folder of this process for temporary files; it is not made. False with one line in
/// `error`.
[[nodiscard]] bool temporary_folder(const std::string& about, std::string& path,
                                    std::string& error);

/// "2026-11-21T09:23:23Z"
struct NowText {
  char text[32];
};
[[nodiscard]] NowText now_text();

}  // namespace wddm::runner
