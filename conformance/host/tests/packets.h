// Buffers and packets as Render and BuildPagingBuffer leave them, for tests of what happens next.
#pragma once

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "conformance/host/vidsch/vidsch_worker.h"

namespace wddm::host {

struct Use {
  AllocationId allocation;
  bool write;
};

/// A buffer of `context`, without memory of its own, whose list has these entries.
inline std::shared_ptr<RenderBuffer> listed(ContextId context,
                                            std::initializer_list<Use> uses = {}) {
  auto buffer = std::make_shared<RenderBuffer>();
  buffer->stream = std::make_shared<CommandStream>();
  buffer->context = context;
  for (const Use& use : uses) {
    DXGK_ALLOCATIONLIST entry{};
    entry.WriteOperation = use.write;
    buffer->allocation_list.push_back(entry);
    buffer->allocations.push_back(use.allocation);
  }
  return buffer;
}

/// A buffer of 64 used bytes for the GPU.
inline std::unique_ptr<RenderBuffer> dma_buffer(std::uint32_t render, ContextId context = {}) {
  auto buffer = std::make_unique<RenderBuffer>();
  buffer->stream = std::make_shared<CommandStream>();
  buffer->render = render;
  buffer->context = context;
  buffer->dma = memory::GuardedBuffer(256, true, memory::FrameOwner::DmaBuffer);
  buffer->private_data = memory::GuardedBuffer(16, false, memory::FrameOwner::Driver);
  std::memset(buffer->dma.data(), 0xC9, buffer->dma.size());
  std::memset(buffer->private_data.data(), 0, buffer->private_data.size());
  buffer->dma_used = 64;
  buffer->private_used = 8;
  return buffer;
}

/// A paging buffer of 32 used bytes, the last of `operation`.
inline std::unique_ptr<PagingBuffer> paging_buffer(std::shared_ptr<PagingOperation> operation) {
  auto buffer = std::make_unique<PagingBuffer>();
  buffer->memory = std::make_shared<PagingMemory>();
  memory::GuardedBuffer& dma = buffer->memory->dma;
  memory::GuardedBuffer& private_data = buffer->memory->private_data;
  dma = memory::GuardedBuffer(256, true, memory::FrameOwner::PagingBuffer);
  private_data = memory::GuardedBuffer(16, false, memory::FrameOwner::Driver);
  std::memset(dma.data(), 0xC9, dma.size());
  std::memset(private_data.data(), 0, private_data.size());
  buffer->used = 32;
  buffer->private_used = 4;
  buffer->operation = std::move(operation);
  buffer->passes = 1;
  buffer->last = true;
  return buffer;
}

/// Paging of an allocation, or of none. It does nothing to memory.
inline std::shared_ptr<PagingOperation> paging_of(AllocationId allocation) {
  auto operation = std::make_shared<PagingOperation>();
  operation->args.Operation = DXGK_OPERATION_FILL;
  operation->allocation = allocation;
  return operation;
}

inline Packet packet_of(std::shared_ptr<RenderBuffer> buffer) {
  Packet packet;
  packet.work.emplace<RenderWork>().buffer = std::move(buffer);
  return packet;
}

/// Of an operation without a buffer for the GPU.
inline Packet packet_of(std::shared_ptr<PagingOperation> operation) {
  Packet packet;
  auto buffer = std::make_unique<PagingBuffer>();
  buffer->operation = std::move(operation);
  packet.work = PagingWork{.buffer = std::move(buffer)};
  return packet;
}

}  // namespace wddm::host
