#include "conformance/host/addressing/submit_command.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "conformance/host/boundary/ddi_call.h"

namespace wddm::host {
namespace {

// What lies beside the private data of a submission, in their buffer and next to it, is not the
// driver's to touch while it submits. It stays as the driver left it: Windows never touches private
// data between two calls (ns-d3dkmddi-_dxgk_contextinfo.md # DmaBufferPrivateDataSize).
class PrivateDataWatch {
 public:
  PrivateDataWatch(const Packet& packet, std::uint32_t given, bool tell_always)
      : buffer_(packet.private_data()),
        owner_(owner_of(packet)),
        tells_always_(tell_always),
        damaged_(buffer_.damaged(nullptr)),
        seen_{.packet = packet.ordinal.value,
              .paging = packet.is_paging(),
              .size = given,
              .start = packet.private_start(),
              .end = packet.private_end()} {
    // Behind the last operation of a paging buffer the next may be in the making.
    const std::uint32_t watched = packet.is_paging() ? std::min(given, seen_.end) : given;
    before_.assign(buffer_.data(), buffer_.data() + watched);
  }
  /// The packet may have gone meanwhile.
  void look() {
    std::int64_t first = 0;
    const std::uint64_t damaged = buffer_.damaged(&first);
    seen_.first = kNone;
    for_each_beside([this](std::uint32_t at) {
      if (buffer_.data()[at] != before_[at] && seen_.outside++ == 0) seen_.first = at;
    });
    if (damaged != damaged_) {
      if (seen_.outside == 0) seen_.first = static_cast<std::uint32_t>(first);
      seen_.outside += static_cast<std::uint32_t>(damaged - damaged_);
    }
    if (seen_.size != 0 || seen_.outside != 0 || tells_always_) session().tap(seen_);
  }

 private:
  template <class Visit>
  void for_each_beside(Visit&& visit) {
    const auto size = static_cast<std::uint32_t>(before_.size());
    for (std::uint32_t at = 0; at < std::min(seen_.start, size); ++at) visit(at);
    for (std::uint32_t at = std::min(seen_.end, size); at < size; ++at) visit(at);
  }

  [[nodiscard]] static std::shared_ptr<const void> owner_of(const Packet& packet) {
    if (packet.is_paging()) return packet.paging()->buffer->memory;
    return packet.render()->buffer;
  }

  const memory::GuardedBuffer& buffer_;
  std::shared_ptr<const void> owner_;  // of the buffer
  bool tells_always_;
  std::uint64_t damaged_;
  ev::PrivateDataKept seen_;
  std::vector<std::uint8_t> before_;
};

}  // namespace

void call_submit_command(const Adapter& adapter, const Objects& objects, const Packet& packet,
                         bool tell_always) {
  DXGKARG_SUBMITCOMMAND args{};
  name_buffer(packet, args);
  args.NodeOrdinal = packet.engine.node.value;
  args.EngineOrdinal = packet.engine.physical_adapter;
  // hContext is NULL for paging alone: a switch away from a context is that context's.
  const ContextId context = packet.switches() ? packet.leaves() : packet.context();
  if (context != kNoContext) {
    args.hContext = objects.context(context).driver;
    objects.contexts().tell_handle(DdiId::SubmitCommand, context, args.hContext);
  }
  args.Flags.ContextSwitch = packet.switches();
  const bool again = packet.submissions > 1;
  // The flag exists from WDDM 2.0 on.
  if (Adapter::knows(InterfaceVersion::Wddm2_0)) {
    args.Flags.Resubmission = again && decisions().tells_resubmission();
  }
  // All that is said of it afterwards: it may be gone by then.
  ev::Submitted seen{.address = static_cast<std::uint64_t>(args.DmaBufferPhysicalAddress.QuadPart),
                     .packet = packet.ordinal.value,
                     .render = packet.render_ordinal(),
                     .node = packet.engine.node.value,
                     .fence = args.SubmissionFenceId,
                     .context = packet.context().value,
                     .start = packet.start(),
                     .end = packet.end(),
                     .paging = packet.is_paging(),
                     .again = again,
                     .engine = packet.engine.physical_adapter,
                     .switches = packet.switches()};
  PrivateDataWatch watch(packet, args.DmaBufferPrivateDataSize, tell_always);
  const NTSTATUS status = call_ddi<DdiId::SubmitCommand>(packet.ordinal, adapter.miniport(), &args);
  watch.look();
  seen.status = static_cast<std::uint32_t>(status);
  session().tap(seen);
}

}  // namespace wddm::host
