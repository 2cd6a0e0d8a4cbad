// From paging operations to paging buffers: BuildPagingBuffer until it has taken the whole
// operation.
//
// Operations are packed into a buffer one behind the other until the driver says that it is full,
// and each is submitted alone. A scenario may offer less of a buffer than there is: parts of it,
// each of which counts as a buffer, but for the first call, which gets all that the driver asked
// for, as by that it may know a new one. What they do to memory is predicted when the last packet
// of an operation ends.
//
// The adapter may be reset while the driver is in BuildPagingBuffer. Memory is then nobody's
// business any more, or already that of the next start: of what was built nothing is kept.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "conformance/host/boundary/scenario_choices.h"
#include "conformance/host/vidmm/job_waits.h"
#include "conformance/host/vidmm/paging/paging_buffer.h"
#include "conformance/host/vidmm/paging/paging_memories.h"
#include "conformance/host/vidmm/prediction/predicted_memory.h"

namespace wddm::host {

class PagingBuilder {
 public:
  PagingBuilder(const Adapter& adapter, const Objects& objects, PredictedMemory& memory,
                VidSchWorker& vidsch, JobWaits& waits, const Choices& choices)
      : adapter_(adapter),
        objects_(objects),
        memory_(memory),
        vidsch_(vidsch),
        waits_(waits),
        choices_(choices),
        memories_(adapter, waits) {}

  using Buffers = std::vector<std::unique_ptr<PagingBuffer>>;
  /// Calls BuildPagingBuffer as often as it takes. Empty if the driver gave up or had nothing for
  /// the GPU to do (then the operation is done already), and if the job was abandoned. `queue` gets
  /// the first buffers of an operation that takes more than there are, which is one where paging is
  /// awaited (Choices::await_paging). `finish_earlier`: what was built before is queued, as the
  /// driver asks for an allocation that is idle.
  [[nodiscard]] Buffers build(const std::shared_ptr<PagingOperation>& operation,
                              const std::function<void(Buffers)>& queue = {},
                              const std::function<void()>& finish_earlier = {});
  /// No operation: an empty packet by which an engine leaves the context that it is in. Null if
  /// there is no memory for it.
  [[nodiscard]] std::unique_ptr<PagingBuffer> context_switch(EngineId engine);
  /// The adapter starts or stops: nothing more is packed into the buffer at hand.
  void begin() {
    open_ = aside_ = {};
    memories_.begin();
  }
  /// Power is gone while nothing runs.
  void power_was_lost() {
    open_ = aside_ = {};
    memories_.power_was_lost();
  }
  /// Where buffers come from.
  [[nodiscard]] PagingMemories& memories() { return memories_; }
  /// The same by one call without a buffer: the driver does it at once, with the CPU.
  void build_without_buffer(PagingOperation& operation);

 private:
  // The buffer at hand, and what is taken of it.
  struct Open {
    std::shared_ptr<PagingMemory> memory;
    std::weak_ptr<const PagingOperation> operation;  // that it was begun for
    std::uint32_t used = 0, private_used = 0;
    std::uint32_t offer_begin = 0, offer_end = 0;  // what the next call gets the rest of
    std::uint32_t most = 0;                        // bytes of an offer
    bool private_moves = false;  // the driver told by its cursor what it took of the private data
    ContextId runs_in = kNoContext;
    EngineId engine;
  };
  [[nodiscard]] EngineId engine_of(const PagingOperation& operation) const;
  [[nodiscard]] bool has_room(const PagingOperation& operation) const;
  /// At most so many bytes of what is left of the buffer at hand, or a new one, whole. Null if
  /// there is no memory for another.
  [[nodiscard]] std::unique_ptr<PagingBuffer> next_part(
      const std::shared_ptr<PagingOperation>& operation, std::uint32_t bytes);
  /// The buffer at hand is one of the context that the operation runs in, if there is one.
  void turn_to(const PagingOperation& operation);
  /// How many bytes at most: what the scenario says.
  [[nodiscard]] std::uint32_t offered_for(const PagingOperation& operation) const;
  void begin_offer(std::uint32_t bytes);
  /// After a call that found too little room: another offer, or at last another buffer.
  void offer_more(const PagingBuffer& part);
  [[nodiscard]] std::shared_ptr<PagingMemory> new_memory();
  NTSTATUS call(PagingOperation& operation, PagingBuffer& buffer, std::uint32_t pass,
                std::uint32_t* multipass);

  const Adapter& adapter_;
  const Objects& objects_;
  PredictedMemory& memory_;
  VidSchWorker& vidsch_;
  JobWaits& waits_;
  const Choices& choices_;
  PagingMemories memories_;
  Open open_;
  Open aside_;  // that of another context, from which the one at hand was turned to
};

}  // namespace wddm::host
