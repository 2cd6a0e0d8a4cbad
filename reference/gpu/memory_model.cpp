#include "reference/gpu/memory_model.h"

#include <algorithm>

#include "reference/harness_assert.h"

namespace wddm::gpu {

MemoryModel::MemoryModel(std::size_t allocations)
    : contents_(allocations), sizes_(allocations, 0) {}

void MemoryModel::create(AllocationId allocation, std::uint64_t size_bytes) {
  HARNESS_ASSERT(allocation.value < sizes_.size() && !exists(allocation) && size_bytes != 0);
  contents_[allocation.value].reset(size_bytes);
  sizes_[allocation.value] = size_bytes;
}

void MemoryModel::destroy(AllocationId allocation) {
  HARNESS_ASSERT(exists(allocation));
  sizes_[allocation.value] = 0;
}

void MemoryModel::clear() {
  std::fill(sizes_.begin(), sizes_.end(), 0);
  semaphores_.fill(0);
}

bool MemoryModel::exists(AllocationId allocation) const {
  return size(allocation) != 0;
}

std::uint64_t MemoryModel::size(AllocationId allocation) const {
  return allocation.value < sizes_.size() ? sizes_[allocation.value] : 0;
}

Content& MemoryModel::content(AllocationId allocation) {
  HARNESS_ASSERT(exists(allocation));
  return contents_[allocation.value];
}

const Content& MemoryModel::content(AllocationId allocation) const {
  HARNESS_ASSERT(exists(allocation));
  return contents_[allocation.value];
}

Progress MemoryModel::execute(Bindings& bindings, std::span<const Command> commands) {
  Progress progress;
  for (const Command& command : commands) {
    if (!carry_out(bindings, command, progress)) {
      progress.waiting = true;
      break;
    }
    ++progress.executed;
  }
  return progress;
}

bool MemoryModel::carry_out(Bindings& bindings, const Command& command, Progress& progress) {
  switch (command.kind) {
    case CommandKind::Bind:
    case CommandKind::Unbind:
      bindings.apply(command);
      return true;
    case CommandKind::Signal:
      if (command.slot < kSemaphores) semaphores_[command.slot] = command.value;
      return true;
    case CommandKind::Wait:
      return command.slot >= kSemaphores || semaphores_[command.slot] >= command.value;
    case CommandKind::Spin: {
      const std::uint64_t room = UINT64_MAX - progress.spin_units;
      progress.spin_units += std::min(room, command.value);
      return true;
    }
    default:
      break;
  }
  const Effect effect = effect_of(command, bindings, sizes_);
  if (effect.count == 0) return true;
  const Access& to = effect.accesses[0];
  Content& target = content(to.allocation);
  // The tail of an allocation whose size isn't a multiple of 4 is beyond prediction, and effects
  // are whole dwords, so every access that passed lies inside the content.
  if (command.kind == CommandKind::Fill) target.fill(to.offset, to.size, command.pattern());
  if (command.kind == CommandKind::Add) target.add(to.offset, command.addend());
  if (command.kind == CommandKind::Copy) {
    const Access& from = effect.accesses[1];
    target.copy(to.offset, content(from.allocation), from.offset, to.size);
  }
  return true;
}

void MemoryModel::write(AllocationId allocation, std::uint64_t offset,
                        std::span<const std::byte> bytes) {
  HARNESS_ASSERT(offset <= size(allocation) && bytes.size() <= size(allocation) - offset);
  Content& target = content(allocation);
  if (offset >= target.size()) return;
  target.write(offset, bytes.first(std::min<std::uint64_t>(bytes.size(), target.size() - offset)));
}

void MemoryModel::forget(AllocationId allocation, std::uint64_t offset, std::uint64_t size_bytes) {
  HARNESS_ASSERT(offset <= size(allocation) && size_bytes <= size(allocation) - offset);
  Content& target = content(allocation);
  if (offset >= target.size()) return;
  target.forget(offset, std::min(size_bytes, target.size() - offset));
}

std::optional<std::uint32_t> MemoryModel::dword(AllocationId allocation,
                                                std::uint64_t offset) const {
  return content(allocation).dword(offset);
}

Comparison MemoryModel::compare(AllocationId allocation, std::uint64_t offset,
                                std::span<const std::byte> actual,
                                std::span<Difference> out) const {
  const Content& predicted = content(allocation);
  Comparison comparison;
  std::uint64_t from = offset;
  while (const auto run = predicted.find_difference(from, offset, actual)) {
    if (comparison.ranges < out.size())
      out[comparison.ranges] = {allocation, run->offset, run->length, run->expected, run->seen};
    ++comparison.ranges;
    comparison.bytes += run->length;
    from = run->offset + run->length;
  }
  return comparison;
}

void MemoryModel::validate() const {
  HARNESS_ASSERT(contents_.size() == sizes_.size());
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    if (sizes_[i] == 0) continue;
    contents_[i].validate();
    HARNESS_ASSERT(contents_[i].size() == sizes_[i] / 4 * 4);
  }
}

}  // namespace wddm::gpu
