#include "conformance/host/gpuva/companion_updates.h"

#include <algorithm>

#include "conformance/host/gpuva/tables/paging_layout.h"
#include "conformance/host/gpuva/virtual_memory.h"

namespace wddm::host {

void CompanionUpdates::begin() {
  decided_.clear();
  pools_.clear();
  companion_.reset();
  spaces_.use(nullptr);
  gpus_.clear();
  asked_gpus_.clear();
}

CompanionUpdates::Decided CompanionUpdates::decide(AllocationId allocation,
                                                   const TileRequest& request,
                                                   std::optional<std::uint32_t> gpu) {
  if (const char* const why = memory_.unsupported(protection_of(request))) return {{}, why};
  std::vector<AllocationId> displaced = addresses_.mapped_in(allocation, request);
  const AllocationAddresses::Answer answer = addresses_.update(allocation, request);
  if (answer.refused != nullptr) return {{}, answer.refused};
  addresses_.commands_follow(allocation, request);
  for (const Part& part : answer.parts) asked_gpus_.set(part.process, part.range, gpu);
  decided_.push_back(answer.parts);
  return {answer.parts, nullptr, std::move(displaced)};
}

CompanionUpdates::Decided CompanionUpdates::answered(const AllocationAddresses::Answer& answer) {
  if (!answer.mapping) return {{}, answer.refused};
  for (const Part& part : answer.parts) {
    asked_gpus_.set(part.process, part.range, std::nullopt);
  }
  decided_.push_back(answer.parts);
  return {answer.parts};
}

bool CompanionUpdates::is_pending(const Part& part) const {
  return std::any_of(decided_.begin(), decided_.end(), [&part](const Parts& parts) {
    return std::any_of(parts.begin(), parts.end(), [&part](const Part& other) {
      return other.process == part.process && other.range.first.value < part.range.end() &&
             part.range.first.value < other.range.end();
    });
  });
}

// Buffers that companions run lie where they lie in the space of the paging process.
const char* CompanionUpdates::open(ProcessId space, const PageRuns& paging_buffers) {
  if (const char* const why = spaces_.open(space)) return why;
  addresses_.keep(space, kWindows);
  std::uint64_t bytes = 0;
  for (const gpummu::PageRun& run : paging_buffers) bytes += run.bytes;
  const bool mapped =
      bytes != 0 && spaces_.step(space, gpummu::Map{.range = {kPagingBuffers.first, bytes},
                                                    .pages = paging_buffers,
                                                    .protection = {}});
  return mapped ? nullptr : "there is no memory for the page tables of its privileged space";
}

void CompanionUpdates::forget(AllocationId allocation) {
  std::erase_if(pools_, [allocation](const auto& pool) { return pool.second == allocation; });
}

void CompanionUpdates::are_of_all(const Parts& parts) {
  for (const Part& part : parts) {
    gpus_.set(part.process, part.range, std::nullopt);
    asked_gpus_.set(part.process, part.range, std::nullopt);
  }
}

void CompanionUpdates::forget(ProcessId space) {
  gpus_.forget(space);
  asked_gpus_.forget(space);
  std::erase_if(pools_, [space](const auto& pool) { return pool.first == space; });
}

const char* CompanionUpdates::show_pool(AllocationId allocation, ProcessId space) {
  if (pools_.contains({space, allocation})) return nullptr;
  if (!addresses_.need(allocation, space)) return "there are no addresses left";
  for (const Part& part : addresses_.parts_of(allocation)) {
    if (part.process != space) continue;
    if (const char* const why = memory_.map(part, memory_.pages_of(allocation))) return why;
  }
  pools_.insert({space, allocation});
  return nullptr;
}

void CompanionUpdates::at(const Part& part) {
  if (!companion_) return;
  companion_->to_pool.clear();
  companion_->to_source = part.to_source;
}

// An address of a turn, moved by this, is that of the same page in the privileged space.
void CompanionUpdates::at(std::span<const Turn> turns, AllocationId allocation) {
  if (!companion_) return;
  const ProcessId space = privileged_space_of(companion_->process);
  companion_->to_pool.clear();
  const AllocationAddresses::Mapping* const pool = addresses_.newest(allocation, space);
  if (pool == nullptr) return;
  for (const Turn& turn : turns) {
    companion_->to_pool.push_back(
        {turn.range, pool->address.value + turn.offset - turn.range.first.value});
  }
}

bool CompanionUpdates::copies(AllocationId allocation) const {
  return companion_ &&
         addresses_.newest(allocation, privileged_space_of(companion_->process)) != nullptr;
}

// What another GPU's tables say there goes first: it would lead to what has moved since.
const char* CompanionUpdates::carry_out(const Parts& parts, ContextId companion,
                                        std::optional<std::uint32_t> gpu) {
  if (!decided_.empty()) decided_.pop_front();
  if (parts.empty()) return nullptr;
  const ProcessId process = parts.front().process;
  if (const char* const why = tables_.bring_back(process)) return why;
  for (const Part& part : parts) {
    for (const GpuOfRange::Piece& piece : pieces(process, part.range)) {
      if (!gpu) break;
      const gpummu::AdapterSet others = piece.adapters & ~(gpummu::AdapterSet{1} << *gpu);
      if (others == 0) continue;
      spaces_.step(process, gpummu::Unmap{.range = piece.range, .adapters = others});
    }
    gpus_.set(process, part.range, gpu);
  }
  if (companion == kNoContext) return memory_.write(parts);
  const ProcessId space = privileged_space_of(process);
  if (const char* const why = tables_.bring_back(space)) return why;
  for (const Part& part : parts) {
    if (part.state.kind == gpuva::PageKind::Invalid) continue;
    if (const char* const why = tables_.cover(process, part.range)) return why;
    const bool mapped = part.state.kind == gpuva::PageKind::Mapped;
    if (!mapped || memory_.pages_of(part.state.allocation).empty()) continue;
    if (const char* const why = show_pool(part.state.allocation, space)) return why;
  }
  companion_ = AddressSpaces::Companion{
      .context = companion, .process = process, .physical_adapter = gpu.value_or(0)};
  spaces_.use(&*companion_);
  const char* const why = memory_.write(parts);
  spaces_.use(nullptr);
  companion_.reset();
  return why;
}

}  // namespace wddm::host
