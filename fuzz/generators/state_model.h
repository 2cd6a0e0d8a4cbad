// What a scenario has come to at some op: which objects exist, what is bound, what is probably
// resident and which nodes are probably busy.
//
// Generators and mutators ask it which op would matter next. It sees only ops, never a run, so its
// word on memory and engines is a guess; its word on objects holds for a driver that refuses
// nothing. Left out: contents of memory, fences, what a driver answers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "fuzz/generators/id_set.h"
#include "fuzz/generators/scenario_machine.h"
#include "reference/trace/op.h"

namespace wddm::fuzz {

inline constexpr std::uint32_t kPageBytes = 4096;
/// Semaphores that generated commands use: few, so that signals and waits meet.
inline constexpr std::uint32_t kFewSemaphores = 4;

struct AllocationGuess {
  std::uint32_t pages = 0;
  Place place = Place::Any;
  bool cpu_visible = false;
  bool resident = false;
  std::uint8_t device = 0;
  std::uint8_t first = 0;  ///< of its resource; itself, if it is the only one
  // Of its GPU virtual addresses, the newest of which commands use.
  std::uint8_t addresses = 0;
  bool freed = false;  ///< the last one: what commands use leads nowhere
  Protection protection = Protection::ReadWrite;
};

class StateModel {
 public:
  explicit StateModel(const Machine& machine);

  void apply(const Op& op);

  [[nodiscard]] const Machine& machine() const { return machine_; }
  /// False after stop, remove and unload, until start.
  [[nodiscard]] bool running() const { return running_; }
  /// Nothing has touched the adapter yet: settings still hold for its first start.
  [[nodiscard]] bool before_first_start() const { return before_first_start_; }
  /// Of a space that is_object().
  [[nodiscard]] const IdSet& objects(FieldShape space) const {
    return objects_[static_cast<std::size_t>(space)];
  }
  [[nodiscard]] const IdSet& devices() const { return objects(FieldShape::Device); }
  [[nodiscard]] const IdSet& contexts() const { return objects(FieldShape::Context); }
  [[nodiscard]] const IdSet& allocations() const { return objects(FieldShape::Allocation); }
  [[nodiscard]] const AllocationGuess& allocation(std::uint8_t id) const { return allocation_[id]; }
  [[nodiscard]] std::uint32_t node_of(std::uint8_t context) const { return context_node_[context]; }
  // Of a driver with GPU virtual addresses.
  [[nodiscard]] bool gpu_virtual() const { return machine_.gpu_virtual != 0; }
  [[nodiscard]] std::uint8_t device_of(std::uint8_t context) const {
    return context_device_[context];
  }
  [[nodiscard]] std::uint8_t process_of_device(std::uint8_t device) const {
    return device_process_[device];
  }
  [[nodiscard]] bool same_process(std::uint8_t context, std::uint8_t allocation) const {
    return device_process_[context_device_[context]] ==
           device_process_[allocation_[allocation].device];
  }
  /// A page fault has ended what the context's device may do.
  [[nodiscard]] bool in_error(std::uint8_t context) const {
    return in_error_.contains(context_device_[context]);
  }
  [[nodiscard]] bool any_context_works() const;
  /// Some allocation has an address.
  [[nodiscard]] bool any_addressed() const;
  [[nodiscard]] bool all_resident() const { return resident_ == allocations().size(); }
  /// Page tables or addresses have changed since commands last used memory.
  [[nodiscard]] bool tables_changed() const { return tables_changed_; }
  /// Some table has, and no entry has been written since.
  [[nodiscard]] bool table_moved() const { return table_moved_; }
  /// Clients are in a hurry.
  [[nodiscard]] bool hurry() const { return hurry_; }
  /// What a client in a hurry has asked for an allocation, so that its next buffer goes ahead of
  /// that.
  [[nodiscard]] std::optional<std::uint8_t> asked_in_hurry() const { return asked_in_hurry_; }
  /// The slot that was emptied last; meaningful once something was destroyed.
  [[nodiscard]] std::uint8_t last_destroyed() const { return last_destroyed_; }

  /// Pages of the memory segment at the current or next start, and those probably in use.
  [[nodiscard]] std::uint32_t local_pages() const { return local_pages_; }
  [[nodiscard]] std::uint32_t local_pages_used() const { return local_used_; }
  [[nodiscard]] std::uint32_t aperture_pages() const { return aperture_pages_; }
  /// Whether a few allocations fill the memory segment.
  [[nodiscard]] bool little_memory() const { return local_pages_ <= kLittleMemory; }
  [[nodiscard]] bool any_resident() const { return resident_ != 0; }
  [[nodiscard]] bool dpcs_held() const { return dpcs_held_; }
  /// Aperture pages that map_aperture mapped last, and whether they still are. None before that.
  [[nodiscard]] std::uint32_t mapped_page() const { return mapped_page_; }
  [[nodiscard]] std::uint32_t mapped_pages() const { return mapped_pages_; }
  [[nodiscard]] bool mapped() const { return mapped_; }

  /// Units of GPU time that are probably queued on a node, by packets and paging.
  [[nodiscard]] std::uint32_t work(std::uint32_t node) const { return work_[node % kNodes]; }
  [[nodiscard]] bool busy() const;

  // The list of commands that is open, if any.
  [[nodiscard]] bool recording() const { return recording_; }
  [[nodiscard]] std::uint8_t recording_context() const { return recording_context_; }
  [[nodiscard]] const IdSet& bound_slots() const { return bound_; }
  [[nodiscard]] std::uint8_t bound_to(std::uint8_t slot) const { return binding_[slot]; }
  /// The slot that was bound last, while no command has used memory since.
  [[nodiscard]] bool binding_unused() const { return binding_unused_; }
  [[nodiscard]] std::uint8_t newest_slot() const { return newest_slot_; }
  [[nodiscard]] std::uint32_t commands() const { return commands_; }
  [[nodiscard]] std::uint32_t binds() const { return binds_; }
  /// Whether user mode has lied in it: a second lie mostly hides behind the first.
  [[nodiscard]] bool tampered() const { return tampered_; }
  /// Pages of the memory segment that the bound slots hold together, but for one slot.
  [[nodiscard]] std::uint32_t pages_bound_beside(std::uint8_t slot) const;
  [[nodiscard]] bool lives_in_local(std::uint8_t allocation) const;
  /// The highest value that a signal gave a semaphore.
  [[nodiscard]] std::uint32_t signalled(std::uint32_t semaphore) const {
    return signalled_[semaphore % kFewSemaphores];
  }

 private:
  static constexpr std::uint32_t kNodes = 64;
  static constexpr std::uint32_t kLittleMemory = 16;

  [[nodiscard]] IdSet& set_of(FieldShape space) {
    return objects_[static_cast<std::size_t>(space)];
  }
  void apply_element(const Op& op);
  void apply_setting(const Op& op);
  void apply_effects(const Op& op, const OpInfo& info);
  void apply_work(const Op& op);
  void start();
  void end_all();
  [[nodiscard]] bool may_make(const Op& op) const;
  void make(const Op& op, FieldShape space, std::uint8_t id);
  void make_together(const Op& op, std::uint8_t first);
  void end(FieldShape space, std::uint8_t id);
  void end_others_of(std::uint8_t first);
  void begin_recording(const Op& op);
  void add_work(std::uint32_t units) { add_work(recording_node_, units); }
  void add_work(std::uint32_t node, std::uint32_t units);
  void advance(std::uint32_t units);
  void rest();
  void page_in(std::uint8_t id);
  void page_out(std::uint8_t id);
  void work_on_pages(std::uint8_t id);
  void apply_to_addresses(const Op& op);
  void ask(const Op& op);
  void use(std::uint8_t slot, bool writes);

  Machine machine_;
  bool running_ = true;
  bool before_first_start_ = true;
  std::array<IdSet, kObjectSpaces> objects_;
  IdSet bound_, in_error_;
  std::array<std::uint8_t, 256> context_node_{}, context_device_{}, binding_{}, device_process_{};
  std::array<AllocationGuess, 256> allocation_{};
  std::uint8_t last_destroyed_ = 0;
  std::uint32_t local_pages_, aperture_pages_;
  std::uint32_t local_used_ = 0, resident_ = 0;
  std::array<std::uint32_t, kNodes> work_{};
  std::array<std::uint32_t, kFewSemaphores> signalled_{};
  bool dpcs_held_ = false, mapped_ = false, recording_ = false, tampered_ = false,
       binding_unused_ = false, tables_changed_ = false, table_moved_ = false, list_faults_ = false;
  bool hurry_ = false;      // clients are in one
  std::uint32_t more_ = 0;  // allocations that come with each, in the slots behind
  std::optional<std::uint8_t> asked_in_hurry_;
  std::uint32_t mapped_page_ = 0, mapped_pages_ = 0, paging_node_ = 0;
  std::uint8_t recording_context_ = 0, newest_slot_ = 0;
  std::uint32_t recording_node_ = 0, commands_ = 0, binds_ = 0;
};

}  // namespace wddm::fuzz
