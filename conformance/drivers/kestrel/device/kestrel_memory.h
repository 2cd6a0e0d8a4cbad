// The address space of the Kestrel's engines, and system memory beside it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "conformance/drivers/kestrel/device/kestrel_hw.h"
#include "conformance/sdk/device.h"

namespace kestrel {

/// An address as a command has it.
struct Place {
  std::uint64_t address = 0;
  bool system = false;
};
/// Of the two words at `word`; KST_SYSTEM means something to the privileged alone.
inline Place place_at(const std::uint32_t* word, bool privileged) {
  return {std::uint64_t{word[0] & KST_HIGH_MASK} << 32 | word[1],
          privileged && (word[0] & KST_SYSTEM) != 0};
}

class Memory {
 public:
  Memory(const WddmDeviceHost& host, std::uint8_t* visible) : host_(host), visible_(visible) {}

  /// False if some of it is no memory; what lies before that is read or written.
  bool read(Place from, void* bytes, std::uint32_t count);
  bool write(Place to, const void* bytes, std::uint32_t count);
  /// Of the memory that no BAR shows; false if not all of it is.
  bool peek(std::uint64_t address, void* bytes, std::uint32_t count) const;
  void write_gart(std::uint64_t entry, std::uint64_t value);

  std::uint64_t gart = 0;

 private:
  /// A piece that lies together. Of system memory `own` is null.
  struct Piece {
    std::uint64_t address = 0;
    std::uint8_t* own = nullptr;
    std::uint32_t count = 0;  // 0: there is no memory
    bool visible = false;
  };
  Piece piece(Place at, std::uint32_t count);
  Piece in_aperture(std::uint64_t offset, std::uint32_t count);

  const WddmDeviceHost& host_;
  std::uint8_t* visible_;
  struct Freed {
    void operator()(std::uint8_t* bytes) const { std::free(bytes); }
  };
  /// Pages of it cost nothing before somebody writes to them.
  std::unique_ptr<std::uint8_t, Freed> hidden_{
      static_cast<std::uint8_t*>(std::calloc(KST_HIDDEN_BYTES, 1))};
};

}  // namespace kestrel
