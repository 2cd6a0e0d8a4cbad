#include "conformance/host/addressing/submit_command.h"

#include "conformance/host/boundary/ddi_call.h"

namespace wddm::host {

void call_submit_command(const Adapter& adapter, const Objects& objects, const Packet& packet) {
  DXGKARG_SUBMITCOMMAND args{};
  name_buffer(packet, args);
  args.NodeOrdinal = packet.engine.node.value;
  args.EngineOrdinal = packet.engine.physical_adapter;
  if (!packet.is_paging()) args.hContext = objects.context(packet.context()).driver;
  const bool again = packet.submissions > 1;
  // The flag exists from WDDM 2.0 on.
  if (Adapter::knows(InterfaceVersion::Wddm2_0)) args.Flags.Resubmission = again;
  // All that is said of it afterwards: it may be gone by then.
  ev::Submitted seen{.address = static_cast<std::uint64_t>(args.DmaBufferPhysicalAddress.QuadPart),
                     .packet = packet.ordinal.value,
                     .render = packet.render_ordinal(),
                     .node = packet.engine.node.value,
                     .fence = packet.fence.value,
                     .context = packet.context().value,
                     .start = packet.start(),
                     .end = packet.end(),
                     .paging = packet.is_paging(),
                     .again = again,
                     .engine = packet.engine.physical_adapter};
  const NTSTATUS status = call_ddi<DdiId::SubmitCommand>(packet.ordinal, adapter.miniport(), &args);
  seen.status = static_cast<std::uint32_t>(status);
  session().tap(seen);
}

}  // namespace wddm::host
