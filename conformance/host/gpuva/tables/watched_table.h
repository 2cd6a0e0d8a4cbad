// A page table as it lies in memory, for clauses: what its entries say, and which of its bytes
// changed since the last look.
//
// Entries are read by the client's decoder; without one only bytes are counted. A table that nobody
// can read (no BAR shows it, nor does the device) is not looked at.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/gpuva/tables/table_view.h"
#include "reference/gpummu/address_space.h"
#include "reference/trace/event.h"

namespace wddm::host {

/// Entries of a table, one behind the other.
struct EntryRange {
  std::uint32_t first = 0, count = 0;
  [[nodiscard]] bool has(std::uint32_t index) const { return index - first < count; }
};

/// An entry as it is to be; of a pair the second is the pointer to the table of 64 KB pages.
struct WantedEntry {
  EntryRecord entry;
  std::optional<EntryRecord> second;
  bool doubtful = false;  ///< no document says that there are such entries: nobody is to blame
};

class WatchedTable {
 public:
  /// The table as it lies on that GPU of the link.
  WatchedTable(const Objects& objects, const gpummu::Geometry& geometry,
               const gpummu::CreateTable& table, std::shared_ptr<TableView> view,
               std::uint32_t physical_adapter = 0);

  /// These entries are the driver's own from here on: what they say is its affair.
  void leave_to_driver(EntryRange entries) { drivers_own_.push_back(entries); }
  /// The memory is no more the table's.
  void gone() {
    view_ = nullptr;
    bytes_ = {};
  }
  /// Where a driver writes it with the CPU; null: it cannot.
  [[nodiscard]] std::uint8_t* for_the_cpu() { return view_ ? view_->for_the_cpu() : nullptr; }
  /// The driver has written there.
  void written() {
    if (view_) view_->written();
  }
  [[nodiscard]] bool visible() const { return !bytes_.empty(); }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint32_t entries() const { return entries_; }
  /// As the decoder says; 0: there is none for them.
  [[nodiscard]] std::uint32_t entry_bytes() const { return entry_bytes_; }
  /// Whether the decoder reads its entries: they fit their table.
  [[nodiscard]] bool readable() const { return has_entries_of(entry_bytes_); }

  /// The bytes of the first entry that led somewhere at the last look; empty: none did, or none can
  /// be read. Of a pair one half is enough.
  [[nodiscard]] std::span<const std::uint8_t> valid_entry() const;
  /// All of the table becomes this entry again and again, by the CPU, which has to see it; looks.
  void fill_with(std::span<const std::uint8_t> entry);

  /// Bytes that differ from those at the last look.
  [[nodiscard]] std::uint32_t changed_bytes();
  void look();
  /// The same, but for entries that updates may write by now.
  [[nodiscard]] std::uint32_t stray_bytes();

  /// Whether the doubtful entries of all updates until now are as they were to be.
  [[nodiscard]] bool takes_doubtful() const { return takes_doubtful_; }

  /// An update has been built and not yet carried out; it may write these entries from now on.
  void pending(std::uint32_t update, EntryRange entries);
  [[nodiscard]] bool any_pending() const { return !pending_.empty(); }

  struct Comparison {
    std::uint32_t decoded = 0, wrong = 0, outside = 0, first_outside = 0, unequal = 0;
    std::vector<EntryDifference> differences;  ///< the first few
  };
  struct Copied {
    std::uint32_t read = 0, unlike = 0, outside = 0;
  };
  struct Likeness {
    std::uint32_t read = 0, unlike = 0;
  };
  /// This table and what it is on another GPU of the link: entries that no update may be writing.
  [[nodiscard]] Likeness beside(WatchedTable& other);
  /// The GPU has copied entries of another table of its level here: compares, and looks. `named`:
  /// what may have changed here, these entries among them. `walked`: bytes of an entry, as the GPU
  /// reads them, for tables that no decoder reads; 0: not known.
  [[nodiscard]] Copied copied(WatchedTable& from, std::uint32_t from_first, EntryRange entries,
                              std::span<const EntryRange> named, std::uint32_t walked = 0);
  /// Bytes that have changed since the last look, but for those of these entries; looks. `walked`:
  /// as for copied().
  [[nodiscard]] std::uint32_t changed_beside(std::span<const EntryRange> named,
                                             std::uint32_t walked);
  /// How many of them have become those of the other table since the last look; nothing if that
  /// cannot be read.
  [[nodiscard]] std::optional<std::uint32_t> become(WatchedTable& from, std::uint32_t from_first,
                                                    EntryRange entries);
  /// The update has been carried out: compares, and looks. Entries that a later update may have
  /// written are left out. `wanted`: one for each entry, or one for all. `of`: whose pages they
  /// are, if they are one allocation's: what an entry showed of a DriverProtection for it, it shows
  /// again.
  [[nodiscard]] Comparison carried_out(std::uint32_t update, EntryRange entries,
                                       std::span<const WantedEntry> wanted,
                                       AllocationId of = kNoAllocation);

 private:
  struct Pending {
    std::uint32_t update;
    EntryRange entries;
  };
  struct Protected {
    AllocationId of = kNoAllocation;
    EntryRecord wanted;
    std::uint64_t shown = 0;
  };
  /// Reads memory anew.
  void refresh();
  /// Whether it is seen, and has room for all entries.
  [[nodiscard]] bool has_entries_of(std::uint32_t bytes) const {
    return visible() && bytes != 0 && std::uint64_t{bytes} * entries_ <= size_;
  }
  [[nodiscard]] bool is_pending(std::uint32_t index) const;
  [[nodiscard]] bool is_drivers_own(std::uint32_t index) const;
  [[nodiscard]] bool differs(const EntryRecord& wanted, const EntryRecord& seen) const;
  [[nodiscard]] std::optional<WantedEntry> read(std::uint32_t index) const;
  void compare_entry(std::uint32_t index, const WantedEntry& wanted, AllocationId of,
                     Comparison& result);
  /// Whether bits of DriverProtection are missing that the entry had when the same was asked for.
  [[nodiscard]] bool loses_protection(std::uint32_t index, const EntryRecord& wanted,
                                      const EntryRecord& seen, AllocationId of);
  [[nodiscard]] bool is_as_seen(std::size_t at, std::size_t bytes) const;
  void compare_rest(std::uint32_t entry_bytes, Comparison& result) const;
  /// Bytes of the table as it was read last.
  [[nodiscard]] std::uint32_t rest_of(std::span<const EntryRange> named, std::uint32_t entry_bytes);
  static void note(std::uint32_t index, const EntryRecord& wanted, const EntryRecord& seen,
                   bool second, Comparison& result);

  const Objects& objects_;
  WddmPageTable format_{};
  gpummu::GpuMmuCaps caps_;
  std::shared_ptr<TableView> view_;
  std::span<const std::uint8_t> bytes_;  // of it, when it was read last
  std::uint32_t size_, entries_;
  std::uint32_t entry_bytes_ = 0;
  std::vector<std::uint8_t> seen_;  // at the last look
  std::vector<Pending> pending_;
  bool takes_doubtful_ = true;
  std::vector<EntryRange> drivers_own_;
  std::map<std::uint32_t, Protected> protected_;  // entries that had a DriverProtection, the latest
};

}  // namespace wddm::host
