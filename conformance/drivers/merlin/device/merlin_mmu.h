// Memory as a Merlin GPU sees it: its own, the other one's and the system's, and the page tables.
//
// One TLB for both engines. It keeps valid leaf entries alone, by the number of their address
// space, until somebody has them forgotten.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "conformance/drivers/merlin/device/merlin_hw.h"
#include "conformance/sdk/device.h"

namespace merlin {

using Log = std::deque<WddmDeviceEvent>;

/// A record of the log; what is not said of it is 0.
inline WddmDeviceEvent record_of(std::uint32_t kind, std::uint32_t node, const MerlinJob& job,
                                 std::uint64_t address, std::uint32_t length) {
  WddmDeviceEvent record{};
  record.size = sizeof(record);
  record.kind = kind;
  record.node = node;
  record.tag = job.fence;
  record.address = address;
  record.length = length;
  return record;
}

/// Whose access it is.
struct Accessor {
  std::uint32_t node = 0;
  const MerlinJob& job;
};

enum class Access { Read, Write, Execute };

struct Fault {
  std::uint64_t va = 0;
  std::uint32_t level = 0;
  bool write = false;
  std::uint32_t code = 0;
};

class Mmu {
 public:
  Mmu(const WddmDeviceHost& host, std::uint8_t* vram, Log& log)
      : host_(host), vram_(vram), log_(log) {}

  /// By physical address, of system memory or of that of this GPU.
  bool physical(const Accessor& by, bool system, bool write, std::uint64_t address, void* data,
                std::uint32_t bytes);
  /// Page by page; false at the first that may not be accessed, of which `fault` then tells.
  bool access(const Accessor& by, Access access, std::uint64_t va, void* data, std::uint64_t bytes,
              Fault& fault);
  /// Forgets pages from `first` to `last` of the space; of ~0: of all.
  void flush(std::uint32_t space, std::uint64_t first, std::uint64_t last);
  void set_peer_low(std::uint32_t value) { peer_ = (peer_ & ~0xFFFFFFFFull) | value; }
  void set_peer_high(std::uint32_t value) {
    peer_ = (peer_ & 0xFFFFFFFFull) | std::uint64_t{value} << 32;
  }
  void reset();

 private:
  bool translate(const Accessor& by, Access access, std::uint64_t va, std::uint64_t& entry,
                 Fault& fault);
  bool walk(const Accessor& by, bool write, std::uint64_t va, std::uint64_t& leaf, Fault& fault);
  bool local(bool write, std::uint64_t address, void* data, std::uint32_t bytes);
  void tell_walk(const Accessor& by, bool write, std::uint64_t va, std::uint64_t entry, bool system,
                 std::uint32_t level);

  const WddmDeviceHost& host_;
  std::uint8_t* vram_;
  Log& log_;
  std::uint64_t peer_ = 0;                                         // bus address
  std::unordered_map<std::uint64_t, std::uint64_t> translations_;  // by space << 40 | page
};

}  // namespace merlin
