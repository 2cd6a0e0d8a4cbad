#include "conformance/host/vidsch/preempt_call.h"

#include "conformance/host/boundary/ddi_call.h"

namespace wddm::host {

void call_preempt(const Adapter& adapter, const vidsch::Preempt& decision,
                  std::uint32_t outstanding) {
  DXGKARG_PREEMPTCOMMAND args{};
  args.PreemptionFenceId = decision.fence.value;
  args.NodeOrdinal = decision.engine.node.value;
  args.EngineOrdinal = decision.engine.physical_adapter;
  const NTSTATUS status =
      call_ddi<DdiId::PreemptCommand>(args.NodeOrdinal, adapter.miniport(), &args);
  session().tap(ev::PreemptAsked{.node = args.NodeOrdinal,
                                 .engine = args.EngineOrdinal,
                                 .fence = args.PreemptionFenceId,
                                 .status = static_cast<std::uint32_t>(status),
                                 .outstanding = outstanding});
}

}  // namespace wddm::host
