// Inputs as engines keep them: files of bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace wddm::fuzz {

/// Empty for a file that cannot be read.
[[nodiscard]] std::vector<std::uint8_t> read_input(const std::filesystem::path& file);
/// False if the file is not there as a whole then.
bool write_input(const std::filesystem::path& file, std::span<const std::uint8_t> bytes);

/// A name that equal inputs share: 16 hexadecimal digits.
[[nodiscard]] std::string digest_of(std::span<const std::uint8_t> bytes);

/// All files below a folder but the notes that engines and people leave between inputs (AFL++'s
/// .state/ and README.txt), in an order that does not depend on the file system. What is neither
/// file nor folder (a pipe would block whoever reads it) is passed over. Where a folder cannot be
/// read, one line in `error`, and what else there is.
[[nodiscard]] std::set<std::filesystem::path> inputs_below(const std::filesystem::path& folder,
                                                           std::string& error);

}  // namespace wddm::fuzz
