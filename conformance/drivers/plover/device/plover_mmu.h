// Memory as the Plover sees it, through page tables in system memory.
//
// One TLB for all nodes. It keeps valid leaf entries alone, with the number of the address space
// and the root that they were found from, until somebody has them forgotten.
#pragma once

#include <cstdint>
#include <deque>

#include "conformance/drivers/plover/device/plover_hw.h"
#include "conformance/sdk/device.h"

namespace plover {

using Log = std::deque<WddmDeviceEvent>;

/// A record of the log; what is not said of it is 0.
inline WddmDeviceEvent record_of(std::uint32_t kind, std::uint32_t node, std::uint32_t fence,
                                 std::uint64_t address, std::uint32_t length) {
  WddmDeviceEvent record{};
  record.kind = kind;
  record.node = node;
  record.tag = fence;
  record.address = address;
  record.length = length;
  return record;
}

/// Whose access it is.
struct Accessor {
  std::uint32_t node = 0;
  const PloverPacket& packet;
};

struct Fault {
  std::uint64_t va = 0;
  std::uint32_t level = 0;
  bool write = false;
};

class Mmu {
 public:
  Mmu(const WddmDeviceHost& host, std::uint8_t* memory, Log& log)
      : host_(host), memory_(memory), log_(log) {}

  /// Page by page; false at the first that may not be accessed, of which `fault` then tells.
  bool read(const Accessor& by, std::uint64_t va, void* bytes, std::uint64_t count, Fault& fault);
  bool write(const Accessor& by, std::uint64_t va, const void* bytes, std::uint64_t count,
             Fault& fault);
  /// Of space ~0: of all.
  void flush(std::uint32_t space, std::uint64_t first, std::uint64_t last);

 private:
  struct Translation {
    std::uint32_t space = 0;
    std::uint64_t root = 0;
    std::uint64_t page = 0;
    std::uint64_t entry = 0;  // 0: none
  };

  bool translate(const Accessor& by, std::uint64_t va, bool write, std::uint64_t& entry,
                 Fault& fault);
  bool walk(const Accessor& by, std::uint64_t va, bool write, std::uint64_t& entry, Fault& fault);
  [[nodiscard]] std::uint8_t* inside(const Accessor& by, std::uint64_t address,
                                     std::uint32_t count);
  [[nodiscard]] Translation& kept(const PloverPacket& packet, std::uint64_t page) {
    return translations_[(page ^ packet.space * 5 ^ packet.root >> 12) % kTranslations];
  }

  static constexpr std::uint32_t kTranslations = 64;
  const WddmDeviceHost& host_;
  std::uint8_t* memory_;
  Log& log_;
  Translation translations_[kTranslations];
};

}  // namespace plover
