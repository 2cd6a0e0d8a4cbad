// A host in miniature: carries decisions of an AddressSpace out on tables in memory, one after the
// other, and says where their order or content breaks a clause.
//
// What it looks at: a table is initialized before anything leads to it (PT-003), and nothing leads
// to one that goes (PT-006, PT-007); entries are legal (check_entry); what a GPU may have cached is
// flushed by the end of the step and before memory is freed (PT-005, VPAGE-004); roots change and
// tables move while contexts are suspended (PT-006, ROOT-012); with explicit invalidation no valid
// entry is in a table that goes (PT-015).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "reference/gpummu/address_space.h"
#include "reference/gpummu/table_memory.h"
#include "reference/gpummu/tests/worlds.h"
#include "reference/gpummu/tlb_model.h"

namespace wddm::gpummu::testing {

class SmallHost {
 public:
  /// Opens the space with a root of `root_entries` (of two levels), and adds context 0.
  explicit SmallHost(const Geometry& geometry, std::uint32_t physical_adapters = 1,
                     std::uint32_t root_entries = 4, Owner owner = Owner::Client);

  /// The decisions, carried out. What is wrong with them goes to errors().
  std::vector<Decision> ask(const Input& input);
  [[nodiscard]] const std::string& errors() const { return errors_; }
  [[nodiscard]] AddressSpace& space() { return space_; }

  /// The walk in memory, from the root that a context has.
  [[nodiscard]] Translation access(GpuVirtualAddress va, Access access = Access::Read,
                                   std::uint16_t gpu = 0, ContextId context = {}) const;
  [[nodiscard]] const TableMemory& memory() const { return memory_; }
  [[nodiscard]] PhysicalAddress place(TableId table, std::uint16_t gpu = 0) const;
  [[nodiscard]] std::size_t tables() const { return places_.size(); }
  [[nodiscard]] bool suspended() const { return suspended_; }

 private:
  struct Root {
    TableId table{};
    std::uint32_t entries = 0;
  };

  void carry_out(const SuspendContexts&) { suspended_ = true; }
  void carry_out(const ResumeContexts&);
  void carry_out(const CreateTable& decision);
  void carry_out(const UpdateEntries& decision);
  void carry_out(const CopyEntries& decision);
  void carry_out(const SetRoot& decision);
  void carry_out(const FlushTlb& decision);
  void carry_out(const RelocateTable& decision);
  void carry_out(const ReleaseTable& decision);
  void carry_out(const CommitTable& decision);
  void carry_out(const DestroyTable& decision);
  void carry_out(const Refused&) {}

  void expect(bool condition, const std::string& what);
  void expect_unreachable(TableId table);
  void expect_coherent(const std::string& when);
  [[nodiscard]] TableMemory::View view(std::uint16_t gpu, const Root& root) const;
  [[nodiscard]] bool is_walked(const UpdateEntries& update) const;
  [[nodiscard]] Entry in_memory(const UpdateEntries& update, const Written& written);
  [[nodiscard]] Entry second_in_memory(const UpdateEntries& update, const Written& written);
  void expect_ready(TableId table, std::uint16_t gpu);
  void remember(const UpdateEntries& update, std::uint32_t index, const Entry& now,
                const Entry& second);
  void new_place(TableId table);

  AddressSpace space_;
  std::uint16_t gpus_;
  TableMemory memory_;
  std::map<TableId, PhysicalAddress> places_;
  std::map<TableId, CreateTable> created_;
  std::set<std::pair<TableId, std::uint16_t>> ready_;  // initialized on that GPU
  std::map<ContextId, Root> roots_;
  std::vector<Tlb> tlbs_;  // by GPU
  std::vector<std::pair<PhysicalAddress, PhysicalAddress>> old_places_;
  std::uint64_t next_place_ = kPageSize;
  bool suspended_ = false;
  bool adding_context_ = false;
  std::string errors_;
};

/// What is mapped, page by page: the obvious thing.
class FlatMap {
 public:
  struct Page {
    bool zero = false;
    bool read_only = false;
    PhysicalAddress place{};
  };
  void map(const Map& input, std::uint16_t gpus);
  void zero(const MapZero& input, std::uint16_t gpus);
  void unmap(const Unmap& input, std::uint16_t gpus);
  /// Whether an access gives what is mapped there.
  [[nodiscard]] bool agrees(GpuVirtualAddress va, Access access, std::uint16_t gpu,
                            const Translation& got) const;
  [[nodiscard]] std::size_t pages() const { return pages_.size(); }

 private:
  std::map<std::pair<std::uint16_t, std::uint64_t>, Page> pages_;
};

}  // namespace wddm::gpummu::testing
