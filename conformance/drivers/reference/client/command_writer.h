// Writes a command buffer in the user-mode format of the reference GPU, or, with GPU virtual
// addresses, as the hardware takes it.
//
// Models umd.h. Values of commands live in constant registers: the first 16 distinct ones are
// loaded at the head of the buffer, as a user-mode driver uploads its constants, later ones when
// they are needed. So what follows relies on state that only the context keeps. What an earlier
// buffer of the context has left in the registers is not loaded again where that is known.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "conformance/drivers/reference/device/hw.h"

namespace wddm::reference_client {

/// What the constant registers of a context hold, as far as it is known.
struct Constants {
  std::array<std::uint32_t, HW_CONSTANT_COUNT> values{};
  std::uint32_t loaded = 0;           // values[0..loaded) are valid
  std::uint32_t victim = 0;           // register that the next value beyond the 16th replaces
  std::uint32_t others_are_zero = 0;  // 1: those from `loaded` on hold 0, as in a new context
};

class CommandWriter {
 public:
  /// Starts over, with what the context has; keeps the memory.
  void clear(const Constants& kept = {});
  /// From here on, only what this buffer has loaded itself counts; or all again.
  void count_on_kept(bool may) { may_count_on_kept_ = may; }
  /// Whether a command uses what the buffer has not loaded.
  [[nodiscard]] bool counts_on_kept() const { return counts_on_kept_; }
  [[nodiscard]] const Constants& constants() const { return constants_; }
  /// Loads `value` if it is new and a register is left. Call for all values before any command.
  void preload(std::uint32_t value);

  /// Each returns the offset of the command in bytes.
  std::uint32_t bind(std::uint32_t slot, std::uint32_t list_index, std::uint32_t start);
  std::uint32_t unbind(std::uint32_t slot);
  // The same with GPU virtual addresses.
  void set_base(std::uint32_t slot, std::uint64_t address);
  void clear_base(std::uint32_t slot);
  void fill(std::uint32_t slot, std::uint32_t offset, std::uint32_t size, std::uint32_t value);
  void copy(std::uint32_t slot, std::uint32_t offset, std::uint32_t source_slot,
            std::uint32_t source_offset, std::uint32_t size);
  void add(std::uint32_t slot, std::uint32_t offset, std::uint32_t value);
  void signal(std::uint32_t semaphore, std::uint32_t value);
  void wait(std::uint32_t semaphore, std::uint32_t value);
  void spin(std::uint32_t units);
  /// What is for kernel mode alone, by physical address; false if there is no such way.
  [[nodiscard]] bool privileged(std::uint32_t way, bool system_memory, std::uint64_t address,
                                std::uint32_t size, std::uint32_t value);

  [[nodiscard]] const std::vector<std::uint32_t>& words() const { return words_; }

 private:
  [[nodiscard]] std::uint32_t constant(std::uint32_t value);
  void load(std::uint32_t index, std::uint32_t value);
  /// The register that holds the value, and may be used; HW_CONSTANT_COUNT if there is none.
  [[nodiscard]] std::uint32_t find(std::uint32_t value) const;
  [[nodiscard]] std::uint32_t new_register();
  [[nodiscard]] std::uint32_t here() const { return static_cast<std::uint32_t>(words_.size() * 4); }

  std::vector<std::uint32_t> words_;
  Constants constants_;
  std::array<bool, HW_CONSTANT_COUNT> loaded_here_{};  // by this buffer
  bool may_count_on_kept_ = true;
  bool counts_on_kept_ = false;
};

}  // namespace wddm::reference_client
