// Inputs as engines keep them: files of bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace wddm::fuzz {

/// Empty for a file that cannot be read.
[[nodiscard]] std::vector<std::uint8_t> read_input(const std::filesystem::path& file);
/// False if the file is not there as a whole then.
bool write_input(const std::filesystem::path& file, std::span<const std::uint8_t> bytes);

}  // namespace wddm::fuzz
