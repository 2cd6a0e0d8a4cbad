// Whether the GPU reads page tables where they are: entries that its own log says it has read, held
// against the tables of all address spaces.
//
// A walk belongs to the process of the packet in whose name it was made. An upper entry that a TLB
// has is not read, so that a walk may begin at any level; what is read must lie in a live table of
// that process and level, at the entry for the address. Left out: what the entry says, and devices
// that do not log their walks. Allocates when tables come and go only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conformance/host/adapter/bus.h"
#include "reference/gpummu/geometry.h"
#include "reference/trace/event.h"

namespace wddm::host {

/// A page table, where the GPU sees it.
struct SeenTable {
  std::uint64_t first = 0;  ///< physical address of system memory, or that of a segment
  std::uint64_t bytes = 0;
  bool system = false;
  ProcessId process{};
  std::uint32_t level = 0;
  std::uint32_t entries = 0;
  gpummu::PageTablePageSize page_size{};  ///< of a leaf
};

class WalkJudge final : public DeviceWalks {
 public:
  /// The adapter runs with page tables of this shape; no table is there.
  void begin(const gpummu::Geometry& geometry);
  void end();

  /// Addresses that the driver keeps for itself: leaf tables there are its own.
  void reserve(ProcessId process, std::span<const gpummu::VaRange> ranges);

  void appeared(const SeenTable& table);
  /// It lies there no more.
  void left(const SeenTable& table);
  /// A packet of the process is about to be submitted.
  void submitted(EngineId engine, FenceId fence, ProcessId process);

  void walked(const WddmDeviceEvent& record, std::uint32_t physical_adapter) override;
  /// Says how many walks there were since the last time, if there were any.
  void report();

  /// How many bytes an entry of tables of this level has that are not of 64 KB pages: as walks say
  /// that were rightly at another entry than the first. 0: none was.
  [[nodiscard]] std::uint32_t entry_bytes(std::uint32_t level) const {
    return level < entry_bytes_.size() ? entry_bytes_[level] : 0;
  }

 private:
  struct Submitted {
    EngineId engine{};
    FenceId fence{};
    ProcessId process{};
  };
  static constexpr std::size_t kFormer = 256;
  static constexpr std::size_t kSubmitted = 256;

  [[nodiscard]] std::optional<ProcessId> process_of(const WddmDeviceEvent& record,
                                                    std::uint32_t physical_adapter) const;
  /// What is wrong with the walk.
  [[nodiscard]] std::optional<AstrayWalk> judge(const WddmDeviceEvent& record, ProcessId process);
  /// ... by what lies where it has read.
  [[nodiscard]] std::optional<AstrayWalk> judge_by_place(const WddmDeviceEvent& record,
                                                         ProcessId process);
  [[nodiscard]] bool is_behind_root(const WddmDeviceEvent& record, ProcessId process) const;
  [[nodiscard]] bool is_reserved(ProcessId process, std::uint64_t address) const;
  [[nodiscard]] bool is_at_its_entry(const WddmDeviceEvent& record, const SeenTable& table) const;
  void learn(const WddmDeviceEvent& record, const SeenTable& table);

  std::optional<gpummu::Geometry> geometry_;
  std::vector<SeenTable> live_;  // by address
  std::vector<SeenTable> former_;
  std::vector<std::uint32_t> entry_bytes_;  // by level; 0: not known
  std::array<Submitted, kSubmitted> submitted_{};
  std::size_t submissions_ = 0;
  std::uint32_t walks_ = 0;
  std::uint32_t astray_ = 0;
  std::uint32_t reserved_walks_ = 0;
  struct Reserved {
    ProcessId process{};
    gpummu::VaRange range;
  };
  std::vector<Reserved> reserved_;
};

}  // namespace wddm::host
