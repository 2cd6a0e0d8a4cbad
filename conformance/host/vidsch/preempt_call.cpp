#include "conformance/host/vidsch/preempt_call.h"

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/decision_seat.h"

namespace wddm::host {
void call_preempt(const Adapter& adapter, const vidsch::Preempt& decision,
                  std::uint32_t outstanding) {
  DXGKARG_PREEMPTCOMMAND args{};
  args.PreemptionFenceId = decision.fence.value;
  args.NodeOrdinal = decision.engine.node.value;
  args.EngineOrdinal = decision.engine.physical_adapter;
  const bool low = adapter.caps().SchedulingCaps.LowIrqlPreemptCommand != 0 &&
                   Adapter::knows(InterfaceVersion::Wddm2_0);
  // MCDM-014. The page of the DDI knows DISPATCH_LEVEL alone.
  DecisionSeat& seat = decisions();
  const bool lowered = (low && !seat.commits(OracleFault::PreemptAtDispatch)) ||
                       seat.commits(OracleFault::PreemptAtPassive);
  const Irql irql = lowered ? Irql::Passive : Irql::Dispatch;
  const NTSTATUS status =
      call_ddi_at<DdiId::PreemptCommand>(irql, args.NodeOrdinal, adapter.miniport(), &args);
  session().tap(ev::PreemptAsked{.node = args.NodeOrdinal,
                                 .engine = args.EngineOrdinal,
                                 .fence = args.PreemptionFenceId,
                                 .status = static_cast<std::uint32_t>(status),
                                 .outstanding = outstanding,
                                 .irql = static_cast<std::uint32_t>(irql)});
}

}  // namespace wddm::host
