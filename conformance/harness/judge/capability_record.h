// What a driver says of itself, in lines: shown by info, and kept in reproducers so that it is seen
// when one is run on another driver.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/platform.h"

namespace wddm::harness {

struct CapabilityRecord {
  std::string driver;              ///< name of its file, without the folder
  std::string digest;              ///< of the lines: 8 hexadecimal digits
  std::vector<std::string> lines;  ///< "nodes                  2"

  friend bool operator==(const CapabilityRecord&, const CapabilityRecord&) = default;
};

/// The file of the driver that is meant where none is named.
inline constexpr const char* kBuiltInDriver = "reference_kmd.so";

[[nodiscard]] std::vector<std::string> capability_lines(const Platform& platform);
[[nodiscard]] CapabilityRecord record_of(const Platform& platform, const std::string& driver_file);

/// The record as comment lines of a YAML file:
///   # driver: reference_kmd.so, record 5e1f9c04
///   #   nodes                  2
[[nodiscard]] std::string print_record(const CapabilityRecord& record);
/// The first such record among the comments of a file, if there is one.
[[nodiscard]] std::optional<CapabilityRecord> read_record(std::string_view text);

/// One line on how the driver at hand differs from the one a reproducer was found on; empty if it
/// doesn't.
[[nodiscard]] std::string difference(const CapabilityRecord& found_on,
                                     const CapabilityRecord& here);

}  // namespace wddm::harness
