#include "conformance/drivers/reference/client/command_writer.h"

namespace wddm::reference_client {

void CommandWriter::clear(const Constants& kept) {
  words_.clear();
  constants_ = kept;
  loaded_here_.fill(false);
  may_count_on_kept_ = true;
  counts_on_kept_ = false;
}

void CommandWriter::load(std::uint32_t index, std::uint32_t value) {
  constants_.values[index] = value;
  loaded_here_[index] = true;
  words_.push_back(HW_COMMAND(HW_OP_LOAD_CONSTANT, HW_WORDS_LOAD_CONSTANT, index, 0));
  words_.push_back(value);
}

std::uint32_t CommandWriter::find(std::uint32_t value) const {
  for (std::uint32_t i = 0; i < constants_.loaded; ++i) {
    if (constants_.values[i] == value && (loaded_here_[i] || may_count_on_kept_)) return i;
  }
  // The last register is the last to be loaded.
  const bool has_zero = constants_.others_are_zero != 0 && constants_.loaded < HW_CONSTANT_COUNT &&
                        may_count_on_kept_;
  return value == 0 && has_zero ? HW_CONSTANT_COUNT - 1 : HW_CONSTANT_COUNT;
}

void CommandWriter::preload(std::uint32_t value) {
  if (find(value) == HW_CONSTANT_COUNT && constants_.loaded < HW_CONSTANT_COUNT) {
    load(constants_.loaded++, value);
  }
}

std::uint32_t CommandWriter::new_register() {
  if (constants_.loaded < HW_CONSTANT_COUNT) return constants_.loaded++;
  const std::uint32_t index = constants_.victim;
  constants_.victim = (constants_.victim + 1) % HW_CONSTANT_COUNT;
  return index;
}

std::uint32_t CommandWriter::constant(std::uint32_t value) {
  std::uint32_t index = find(value);
  if (index == HW_CONSTANT_COUNT) {
    index = new_register();
    load(index, value);
  }
  counts_on_kept_ |= !loaded_here_[index];
  return index;
}

std::uint32_t CommandWriter::bind(std::uint32_t slot, std::uint32_t list_index,
                                  std::uint32_t start) {
  const std::uint32_t offset = here();
  words_.push_back(HW_COMMAND(HW_OP_USER_BIND, HW_WORDS_USER_BIND, slot, 0));
  words_.push_back(list_index);
  words_.push_back(start);
  return offset;
}

std::uint32_t CommandWriter::unbind(std::uint32_t slot) {
  const std::uint32_t offset = here();
  words_.push_back(HW_COMMAND(HW_OP_USER_UNBIND, HW_WORDS_USER_UNBIND, slot, 0));
  return offset;
}

void CommandWriter::set_base(std::uint32_t slot, std::uint64_t address) {
  words_.push_back(HW_COMMAND(HW_OP_SET_BASE, HW_WORDS_SET_BASE, slot, 0));
  words_.push_back(0);
  words_.push_back(static_cast<std::uint32_t>(address));
  words_.push_back(static_cast<std::uint32_t>(address >> 32));
}

void CommandWriter::clear_base(std::uint32_t slot) {
  words_.push_back(HW_COMMAND(HW_OP_CLEAR_BASE, HW_WORDS_CLEAR_BASE, slot, 0));
  words_.insert(words_.end(), HW_WORDS_CLEAR_BASE - 1, 0);
}

void CommandWriter::fill(std::uint32_t slot, std::uint32_t offset, std::uint32_t size,
                         std::uint32_t value) {
  const std::uint32_t index = constant(value);
  words_.push_back(HW_COMMAND(HW_OP_FILL, HW_WORDS_FILL, slot, index));
  words_.push_back(offset);
  words_.push_back(size);
}

void CommandWriter::copy(std::uint32_t slot, std::uint32_t offset, std::uint32_t source_slot,
                         std::uint32_t source_offset, std::uint32_t size) {
  words_.push_back(HW_COMMAND(HW_OP_COPY, HW_WORDS_COPY, slot, source_slot));
  words_.push_back(offset);
  words_.push_back(source_offset);
  words_.push_back(size);
}

void CommandWriter::add(std::uint32_t slot, std::uint32_t offset, std::uint32_t value) {
  const std::uint32_t index = constant(value);
  words_.push_back(HW_COMMAND(HW_OP_ADD, HW_WORDS_ADD, slot, index));
  words_.push_back(offset);
}

void CommandWriter::signal(std::uint32_t semaphore, std::uint32_t value) {
  const std::uint32_t index = constant(value);
  words_.push_back(HW_COMMAND(HW_OP_SEM_SIGNAL, HW_WORDS_SEMAPHORE, semaphore, index));
}

void CommandWriter::wait(std::uint32_t semaphore, std::uint32_t value) {
  const std::uint32_t index = constant(value);
  words_.push_back(HW_COMMAND(HW_OP_SEM_WAIT, HW_WORDS_SEMAPHORE, semaphore, index));
}

void CommandWriter::spin(std::uint32_t units) {
  words_.push_back(HW_COMMAND(HW_OP_SPIN, HW_WORDS_SPIN, 0, 0));
  words_.push_back(units);
}

bool CommandWriter::privileged(std::uint32_t way, bool system_memory, std::uint64_t address,
                               std::uint32_t size, std::uint32_t value) {
  const std::uint32_t space = system_memory ? HW_SPACE_SYSTEM : HW_SPACE_GPU;
  const auto put_address = [this, address] {
    words_.push_back(static_cast<std::uint32_t>(address));
    words_.push_back(static_cast<std::uint32_t>(address >> 32));
  };
  if (way == 0) {
    words_.push_back(HW_COMMAND(HW_OP_PAGING_FILL, HW_WORDS_PAGING_FILL, 0, space));
    words_.insert(words_.end(), {size, value});
    put_address();
  } else if (way == 1) {
    words_.push_back(HW_COMMAND(HW_OP_REPEAT_ENTRY, HW_WORDS_REPEAT_ENTRY, space, 0));
    words_.push_back(size / 8);
    put_address();
    words_.insert(words_.end(), {value, value});
  }
  return way <= 1;
}

}  // namespace wddm::reference_client
