// Where processes have bytes of allocations in their address spaces, by the answers of VidMm: for
// verdicts, which say by which page memory was to be reached. Copies of mappings are left out.
#pragma once

#include <cstdint>
#include <optional>

#include "conformance/rules/scratch.h"
#include "reference/trace/trace.h"

namespace wddm::va {

/// An address that leads to a byte.
struct MappedPlace {
  std::uint32_t process = kNone;
  std::uint64_t address = 0;
  std::uint32_t choices = 0;  ///< addresses of the process that do so; commands use the newest
};

class MappedPlaces {
 public:
  /// As it was when that event came.
  MappedPlaces(const Trace& trace, std::uint32_t event);

  /// The newest address of the process.
  [[nodiscard]] std::optional<MappedPlace> in(std::uint32_t process, std::uint32_t allocation,
                                              std::uint64_t offset) const;
  /// ... of whoever has one.
  [[nodiscard]] std::optional<MappedPlace> in_any(std::uint32_t allocation,
                                                  std::uint64_t offset) const;

 private:
  struct Range {
    std::uint32_t process;
    std::uint64_t first, end;  // of addresses
    std::uint32_t allocation;
    std::uint64_t offset;  // of the first byte

    [[nodiscard]] bool leads_to(std::uint32_t of, std::uint64_t byte) const {
      return allocation == of && byte >= offset && byte - offset < end - first;
    }
  };

  void follow(const ev::AddressAnswered& one);
  void follow(const Trace& trace, std::uint32_t entered);
  void map(const Range& range);
  void take(std::uint32_t process, std::uint64_t first, std::uint64_t end);

  ScratchVector<Range> ranges_;  // the newest last
};

}  // namespace wddm::va
