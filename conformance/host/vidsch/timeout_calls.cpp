#include "conformance/host/vidsch/timeout_calls.h"

#include <algorithm>
#include <cstring>

#include "conformance/host/boundary/ddi_call.h"

namespace wddm::host {
namespace {

constexpr std::uint32_t kRoomy = 4096;
constexpr std::uint32_t kScant = 16;
constexpr std::uint32_t kBehind = 512;  // what is looked at behind the buffer
constexpr std::uint8_t kUntouched = 0xB7;
constexpr UINT kNoAnswer = 0xA5A5A5A5;  // what a driver finds that is to be overwritten

// A driver that sets Responsive alone leaves the other bits as it finds them, and nobody says what
// it may find: then they count as those that Windows would have passed.
UINT engine_status(UINT answer) {
  DXGK_ENGINESTATUS responsive{};
  responsive.Responsive = 1;
  const UINT others = ~responsive.Value;
  return (answer & others) == (kNoAnswer & others) ? answer & responsive.Value : answer;
}

std::uint32_t touched(const std::uint8_t* first, std::uint32_t bytes) {
  return bytes - static_cast<std::uint32_t>(std::count(first, first + bytes, kUntouched));
}

// What the driver may write to `bytes` of, and what shows whether it wrote beside them.
class Lent {
 public:
  explicit Lent(std::uint32_t bytes)
      : buffer_(bytes + kBehind, false, memory::FrameOwner::Driver), bytes_(bytes) {
    if (there()) std::memset(buffer_.data(), kUntouched, buffer_.size());
  }
  [[nodiscard]] bool there() const { return buffer_.data() != nullptr; }
  [[nodiscard]] std::uint8_t* data() const { return buffer_.data(); }
  [[nodiscard]] std::uint32_t inside() const { return touched(data(), bytes_); }
  [[nodiscard]] std::uint32_t beside() const {
    return touched(data() + bytes_, kBehind) + static_cast<std::uint32_t>(buffer_.damaged(nullptr));
  }

 private:
  memory::GuardedBuffer buffer_;
  std::uint32_t bytes_;
};

// Who clears all of it first has written nothing of its own there.
std::uint32_t reserved_written(const DXGKARG_COLLECTDBGINFO_EXT& extension) {
  UINT untouched = 0;
  std::memset(&untouched, kUntouched, sizeof untouched);
  const UINT members[] = {extension.Reserved2, extension.Reserved3, extension.Reserved4,
                          extension.Reserved5, extension.Reserved6, extension.Reserved7};
  return static_cast<std::uint32_t>(
      std::ranges::count_if(members, [&](UINT is) { return is != untouched && is != 0; }));
}

void collect_into(const Adapter& adapter, std::uint32_t reason, Irql irql, std::uint32_t given) {
  const Lent buffer(given), further(sizeof(DXGKARG_COLLECTDBGINFO_EXT));
  if (!buffer.there() || !further.there()) return;
  auto* const extension = reinterpret_cast<DXGKARG_COLLECTDBGINFO_EXT*>(further.data());
  DXGKARG_COLLECTDBGINFO args{};
  args.Reason = reason;
  args.pBuffer = buffer.data();
  args.BufferSize = given;
  args.pExtension = extension;
  const NTSTATUS status =
      call_ddi_at<DdiId::CollectDbgInfo>(irql, kNone, adapter.miniport(), &args);
  session().tap(ev::DebugInfoCollected{.given = given,
                                       .reason = reason,
                                       .status = static_cast<std::uint32_t>(status),
                                       .written = buffer.inside(),
                                       .outside = buffer.beside(),
                                       .beside_extension = further.beside(),
                                       .reserved = reserved_written(*extension),
                                       .irql = static_cast<std::uint32_t>(irql)});
}

bool resets_engines(const Adapter& adapter) {
  return adapter.caps().SupportPerEngineTDR != 0;
}

void ask_for_status(const Adapter& adapter, EngineId engine, std::size_t outstanding) {
  DXGKARG_QUERYENGINESTATUS args{};
  args.NodeOrdinal = engine.node.value;
  args.EngineOrdinal = engine.physical_adapter;
  args.EngineStatus.Value = kNoAnswer;
  const NTSTATUS status =
      call_ddi<DdiId::QueryEngineStatus>(args.NodeOrdinal, adapter.miniport(), &args);
  session().tap(ev::EngineAsked{.node = args.NodeOrdinal,
                                .engine = args.EngineOrdinal,
                                .status = static_cast<std::uint32_t>(status),
                                .value = engine_status(args.EngineStatus.Value),
                                .outstanding = static_cast<std::uint32_t>(outstanding)});
}

std::uint32_t number(std::optional<FenceId> fence) {
  return fence ? fence->value : 0;
}

}  // namespace

void call_collect_debug_info(const Adapter& adapter, std::uint32_t reason) {
  if (!may_call(DdiId::CollectDbgInfo)) return;
  collect_into(adapter, reason, Irql::Passive, kRoomy);
  collect_into(adapter, reason, Irql::Passive, kScant);
}

// For the sake of other reasons the function is to be pageable, and may say so: no page is paged
// out here.
void call_collect_for_bug_check(const Adapter& adapter) {
  if (!may_call(DdiId::CollectDbgInfo)) return;
  const nt::PagedCodeAside pageable;
  collect_into(adapter, kBugCheckReason, Irql::High, kRoomy);
}

void call_query_engine_status(const Adapter& adapter, EngineId engine, std::size_t outstanding) {
  if (!resets_engines(adapter) || !may_call(DdiId::QueryEngineStatus)) return;
  for (int time = 0; time < 2; ++time) ask_for_status(adapter, engine, outstanding);
}

std::uint64_t call_query_dependents(const Adapter& adapter, EngineId engine) {
  const std::uint64_t own = std::uint64_t{1} << engine.node.value;
  if (!resets_engines(adapter) || !may_call(DdiId::QueryDependentEngineGroup)) return own;
  DXGKARG_QUERYDEPENDENTENGINEGROUP args{};
  args.NodeOrdinal = engine.node.value;
  args.EngineOrdinal = engine.physical_adapter;
  const NTSTATUS status =
      call_ddi<DdiId::QueryDependentEngineGroup>(args.NodeOrdinal, adapter.miniport(), &args);
  session().tap(ev::DependentsAsked{.mask = args.DependentNodeOrdinalMask,
                                    .node = args.NodeOrdinal,
                                    .engine = args.EngineOrdinal,
                                    .status = static_cast<std::uint32_t>(status)});
  return NT_SUCCESS(status) ? args.DependentNodeOrdinalMask | own : own;
}

std::optional<FenceId> call_reset_engine(Adapter& adapter, EngineId engine,
                                         const vidsch::FenceLedger& ledger, ResetCause cause) {
  if (!resets_engines(adapter) || !may_call(DdiId::ResetEngine)) return std::nullopt;
  ev::EngineReset told{.node = engine.node.value,
                       .engine = engine.physical_adapter,
                       .last_completed = number(ledger.last_completed()),
                       .last_submitted = number(ledger.last_submitted()),
                       .outstanding = static_cast<std::uint32_t>(ledger.outstanding_count()),
                       .cause = static_cast<std::uint32_t>(cause)};
  DXGKARG_RESETENGINE args{};
  args.NodeOrdinal = engine.node.value;
  args.EngineOrdinal = engine.physical_adapter;
  args.LastAbortedFenceId = kNoAnswer;
  const NTSTATUS status = call_ddi<DdiId::ResetEngine>(args.NodeOrdinal, adapter.miniport(), &args);
  adapter.bus().drain_log();  // what the engine did before its reset comes before it
  told.status = static_cast<std::uint32_t>(status);
  told.aborted = args.LastAbortedFenceId;
  session().tap(told);
  if (!NT_SUCCESS(status)) return std::nullopt;
  return FenceId{args.LastAbortedFenceId};
}

}  // namespace wddm::host
