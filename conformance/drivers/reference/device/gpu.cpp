#include "conformance/drivers/reference/device/gpu.h"

#include <algorithm>

namespace wddm::reference_device {
namespace {

constexpr std::uint32_t kNodeBlock = HW_REG_NODE(1, 0) - HW_REG_NODE(0, 0);

bool is_index_bits(std::uint32_t offset) {
  return offset >= HW_REG_MMU_INDEX_BITS(0) && offset < HW_REG_MMU_INDEX_BITS(HW_MMU_MAX_LEVELS);
}

bool is_host_aperture(std::uint32_t offset) {
  return offset >= HW_REG_HOST_APERTURE(0) && offset < HW_REG_HOST_APERTURE(HW_HOST_APERTURE_PAGES);
}

bool in_node_block(std::uint32_t offset, std::uint32_t* node, std::uint32_t* reg) {
  if (offset < HW_REG_NODE(0, 0) || offset >= HW_REG_NODE(HW_NODE_COUNT, 0)) return false;
  *node = (offset - HW_REG_NODE(0, 0)) / kNodeBlock;
  *reg = (offset - HW_REG_NODE(0, 0)) % kNodeBlock;
  return true;
}

}  // namespace

Gpu::Gpu(const WddmDeviceHost& host, std::uint8_t* local_memory)
    : host_(host),
      memory_(host_, local_memory, hidden_),
      mmus_(memory_, log_),
      engines_{Engine{HW_NODE_RENDER, memory_, mmus_, semaphores_, log_},
               Engine{HW_NODE_COPY, memory_, mmus_, semaphores_, log_}} {}

std::uint64_t Gpu::read(std::uint64_t offset, std::uint32_t bytes) const {
  if (offset + bytes > HW_REGISTER_BAR_SIZE) return ~0ull;
  const auto aligned = static_cast<std::uint32_t>(offset & ~3ull);
  if (bytes == 8) return read32(aligned) | std::uint64_t{read32(aligned + 4)} << 32;
  const std::uint64_t word = read32(aligned) >> (offset & 3) * 8;
  return bytes == 4 ? word : word & ((1ull << bytes * 8) - 1);
}

void Gpu::write(std::uint64_t offset, std::uint32_t bytes, std::uint64_t value) {
  if ((bytes != 4 && bytes != 8) || offset % 4 != 0 || offset + bytes > HW_REGISTER_BAR_SIZE) {
    return;
  }
  write32(static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(value));
  if (bytes == 8) {
    write32(static_cast<std::uint32_t>(offset) + 4, static_cast<std::uint32_t>(value >> 32));
  }
  update_line();
}

std::optional<std::uint64_t> Gpu::local_behind(std::uint64_t offset) const {
  if (offset / HW_PAGE_SIZE >= HW_HOST_APERTURE_PAGES) return std::nullopt;
  const std::uint32_t shown = hidden_.page(static_cast<std::uint32_t>(offset / HW_PAGE_SIZE));
  const std::uint32_t page = shown & ~HW_WINDOW_LOCAL;
  if ((shown & HW_WINDOW_LOCAL) == 0 || page >= HW_LOCAL_PAGES) return std::nullopt;
  return HW_LOCAL_BASE + std::uint64_t{page} * HW_PAGE_SIZE + offset % HW_PAGE_SIZE;
}

std::uint64_t Gpu::read_window(std::uint64_t offset, std::uint32_t bytes) {
  const std::optional<std::uint64_t> local = local_behind(offset);
  if (!local) return hidden_.read(offset, bytes);
  std::uint64_t value = 0, bad = 0;
  return memory_.read(Space::Gpu, *local, &value, bytes, &bad) ? value : ~0ull;
}

void Gpu::write_window(std::uint64_t offset, std::uint32_t bytes, std::uint64_t value) {
  const std::optional<std::uint64_t> local = local_behind(offset);
  if (!local) return hidden_.write(offset, bytes, value);
  std::uint64_t bad = 0;
  static_cast<void>(memory_.write(Space::Gpu, *local, &value, bytes, &bad));
}

std::uint32_t Gpu::read32(std::uint32_t offset) const {
  std::uint32_t node = 0;
  std::uint32_t reg = 0;
  if (in_node_block(offset, &node, &reg)) return engines_[node].read(reg);
  if (offset >= HW_REG_APERTURE(0) && offset < HW_REG_APERTURE(HW_APERTURE_PAGES)) {
    const std::uint64_t entry = memory_.aperture_entry((offset - HW_REG_APERTURE(0)) / 8);
    return static_cast<std::uint32_t>(offset & 4 ? entry >> 32 : entry);
  }
  if (offset >= HW_REG_SEMAPHORE(0) && offset < HW_REG_SEMAPHORE(HW_SEMAPHORE_COUNT)) {
    return semaphores_[(offset - HW_REG_SEMAPHORE(0)) / 4];
  }
  if (is_index_bits(offset)) {
    return mmus_.geometry().index_bits((offset - HW_REG_MMU_INDEX_BITS(0)) / 4);
  }
  if (is_host_aperture(offset)) return hidden_.page((offset - HW_REG_HOST_APERTURE(0)) / 4);
  switch (offset) {
    case HW_REG_ID:
      return HW_ID_VALUE;
    case HW_REG_LOCAL_PAGES:
      return HW_LOCAL_PAGES;
    case HW_REG_APERTURE_PAGES:
      return HW_APERTURE_PAGES;
    case HW_REG_INT_STATUS:
      return pending();
    case HW_REG_INT_ENABLE:
      return interrupt_enable_;
    case HW_REG_MMU_LEVELS:
      return mmus_.geometry().levels();
    case HW_REG_PEER_BASE:
      return static_cast<std::uint32_t>(mmus_.geometry().peer_base());
    case HW_REG_PEER_BASE + 4:
      return static_cast<std::uint32_t>(mmus_.geometry().peer_base() >> 32);
    case HW_REG_MMU_FLAGS:
      return mmus_.geometry().flags();
    default:
      return 0;
  }
}

void Gpu::write32(std::uint32_t offset, std::uint32_t value) {
  std::uint32_t node = 0;
  std::uint32_t reg = 0;
  if (in_node_block(offset, &node, &reg)) {
    engines_[node].write(reg, value);
    return;
  }
  if (offset >= HW_REG_SEMAPHORE(0) && offset < HW_REG_SEMAPHORE(HW_SEMAPHORE_COUNT)) {
    semaphores_[(offset - HW_REG_SEMAPHORE(0)) / 4] = value;
    return;
  }
  if (is_index_bits(offset)) {
    mmus_.geometry().set_index_bits((offset - HW_REG_MMU_INDEX_BITS(0)) / 4, value);
    return;
  }
  if (is_host_aperture(offset)) {
    hidden_.show((offset - HW_REG_HOST_APERTURE(0)) / 4, value);
    return;
  }
  switch (offset) {
    case HW_REG_RESET:
      if (value & 1) reset();
      break;
    case HW_REG_INT_ENABLE:
      interrupt_enable_ = value;
      break;
    case HW_REG_INT_ACK:
      if (value & HW_INT_RESET_DONE) reset_done_ = false;
      if (value & HW_INT_RETRACE) retrace_ = false;
      break;
    case HW_REG_TLB_FLUSH:
      mmus_.flush(value, 0, ~0ull);
      break;
    case HW_REG_MMU_LEVELS:
      mmus_.geometry().set_levels(value);
      break;
    case HW_REG_PEER_BASE:
    case HW_REG_PEER_BASE + 4:
      mmus_.geometry().set_peer_base_half(offset != HW_REG_PEER_BASE, value);
      break;
    case HW_REG_MMU_FLAGS:
      mmus_.geometry().set_flags(value);
      break;
    case HW_REG_APERTURE_INIT:
      aperture_init_low_ = value;
      break;
    case HW_REG_APERTURE_INIT + 4:  // the upper half carries the write out
      memory_.set_all_aperture_entries(std::uint64_t{value} << 32 | aperture_init_low_);
      break;
    default:
      break;
  }
}

std::uint32_t Gpu::uneventful_units() const {
  std::uint32_t units = reset_in_progress_ ? 0 : Engine::kForever;
  for (const Engine& engine : engines_) units = std::min(units, engine.uneventful_units());
  return units;
}

std::uint32_t Gpu::advance(std::uint32_t units) {
  std::uint32_t used = 0;
  while (used < units) {
    if (const std::uint32_t uneventful = uneventful_units(); uneventful != 0) {
      if (uneventful == Engine::kForever) break;
      const std::uint32_t passed = std::min(uneventful, units - used);
      for (Engine& engine : engines_) engine.pass(passed);
      used += passed;
      continue;
    }
    bool worked = false;
    if (reset_in_progress_) {
      reset_in_progress_ = false;
      reset_done_ = true;
      worked = true;
    }
    for (Engine& engine : engines_) {
      if (engine.step()) worked = true;
    }
    if (!worked) break;
    ++used;
    update_line();  // last: the host may run the driver's ISR from here
  }
  return used;
}

void Gpu::scramble(std::uint32_t node, std::uint32_t seed) {
  if (node < engines_.size()) engines_[node].scramble(seed);
}

std::uint32_t Gpu::pending() const {
  std::uint32_t causes = reset_done_ ? HW_INT_RESET_DONE : 0;
  if (retrace_) causes |= HW_INT_RETRACE;
  return (causes | causes_of_nodes()) & interrupt_enable_;
}

std::uint32_t Gpu::causes_of_nodes() const {
  std::uint32_t causes = 0;
  for (std::uint32_t node = 0; node < engines_.size(); ++node) {
    if (engines_[node].has_cause()) causes |= 1u << node;
  }
  return causes;
}

void Gpu::reset() {
  for (Engine& engine : engines_) engine.reset();
  memory_.set_all_aperture_entries(HW_APERTURE_INVALID);
  mmus_.flush_all();
  semaphores_.fill(0);
  retrace_ = false;
  reset_done_ = false;
  reset_in_progress_ = true;
}

void Gpu::lose_power() {
  reset();
  reset_in_progress_ = false;
  interrupt_enable_ = aperture_init_low_ = 0;
  mmus_.geometry().forget();
  update_line();
}

void Gpu::update_line() {
  const std::uint32_t before = node_causes_;
  node_causes_ = causes_of_nodes();
  if ((interrupt_enable_ & HW_INT_RETRACE) == 0) {
    retrace_ = false;
  } else if ((node_causes_ & ~before) != 0) {
    retrace_ = true;
  }
  const bool level = pending() != 0;
  if (level == line_) return;
  line_ = level;
  host_.set_interrupt_line(host_.host, level ? 1 : 0);
}

}  // namespace wddm::reference_device
