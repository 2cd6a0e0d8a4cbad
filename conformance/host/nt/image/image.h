// The driver image: loading a shared library as a driver, and what can be said about it beforehand.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace wddm::nt {

/// A variable, member, parameter or function whose type is `long` itself, not a typedef, a pointer
/// to one, or to a function with one: 8 bytes here, 4 on Windows.
struct RawLong {
  std::string file;
  std::uint32_t line;
  std::string name;
  std::string type;  ///< "long int", "long unsigned int *", "function: long int result"
};
/// All of them, by file and line; needs debug information. On failure one line in `error`.
[[nodiscard]] bool list_raw_longs(const std::string& path, std::vector<RawLong>& longs,
                                  std::string& error);

/// A driver in this process. Lives until the process ends: code of it may be on any stack, and
/// coverage counters of a fuzzer point into it.
class Image {
 public:
  /// Loads the library and calls nothing of it but its static constructors. Imports that neither
  /// the host nor the compiler's run time offers are bound to stubs that report
  /// FindingKind::MissingImport and return STATUS_NOT_IMPLEMENTED; memcpy and its like are the
  /// host's own (c_library.h). On failure null, and one line that names the file in `error`.
  [[nodiscard]] static std::unique_ptr<Image> open(const std::string& path, std::string& error);
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image();

  /// Address of DriverEntry.
  [[nodiscard]] void* driver_entry() const { return driver_entry_; }
  /// Names of the imports that were bound to stubs, in the image's order.
  [[nodiscard]] const std::vector<std::string>& missing_imports() const { return missing_; }
  /// Names of all imports, in the image's order.
  [[nodiscard]] const std::vector<std::string>& imports() const { return imports_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Remembers the writable part of the image: its static variables.
  void snapshot();
  /// Copies it back, except coverage counters (__sancov_*). Needs a snapshot. What the kernel still
  /// refers to in there is a leak, and is taken out of its lists.
  void restore() const;
  /// Whether an address lies in the image's code or data.
  [[nodiscard]] bool contains(const void* address) const;

 private:
  struct Range {
    std::uint8_t* start;
    std::vector<std::uint8_t> saved;
  };
  Image() = default;
  void find_ranges();
  void bind_imports();

  std::string path_;
  void* handle_ = nullptr;
  void* driver_entry_ = nullptr;
  std::uint64_t base_ = 0;
  std::uint64_t end_ = 0;
  std::vector<std::string> imports_;
  std::vector<std::string> missing_;
  std::vector<Range> writable_;
};

}  // namespace wddm::nt
