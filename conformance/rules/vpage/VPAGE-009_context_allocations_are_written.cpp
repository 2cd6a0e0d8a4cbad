// VPAGE-009: UpdateContextAllocation writes what its private data say, into the context allocation
// and nowhere else, and what the context then runs with is new.
//
// The host carries each update out twice from the same memory: first with private data that are
// overwritten when BuildPagingBuffer has returned, then with data that stay until the end.

#include <d3dkmddi.h>

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/page/operation.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::vpage_009 {
namespace {

bool succeeded(std::uint32_t status) {
  return (status & 0x80000000u) == 0;
}

bool is_update(std::uint32_t operation) {
  return operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION;
}
bool is_of_contexts(std::uint32_t operation) {
  return operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE || is_update(operation);
}

// Whether an execution had the private data of its update, whose callback returns after it. Else
// our own host is wrong, and nothing is said of the driver.
bool has_its_data(const Trace& trace, std::uint32_t index,
                  const ev::ContextAllocationWritten& written) {
  if (!is_update(written.operation)) return true;
  const std::span<const std::uint32_t> updates = trace.of<ev::ContextAllocationUpdated>();
  const auto found = std::upper_bound(updates.begin(), updates.end(), index);
  if (found == updates.end()) return false;
  const auto update = trace.at<ev::ContextAllocationUpdated>(*found);
  return update.number == written.number && update.bytes == written.bytes &&
         update.given == written.passed;
}

void judge_writes(const Trace& trace, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::ContextAllocationWritten>()) {
    const auto written = trace.at<ev::ContextAllocationWritten>(index);
    if (!has_its_data(trace, index, written)) continue;
    // What writes nothing is alike each time, and what could not be looked at says nothing.
    const bool wrote = written.changed != 0 && written.changed != kNone;
    const bool wrong = !succeeded(written.status) || written.outside != 0 || written.unlike != 0;
    if (wrote || wrong) judgement.reached(index);
    const auto bytes = [](std::uint32_t count, std::uint32_t first) {
      return std::to_string(count) + " bytes are not, from offset " + std::to_string(first) + " on";
    };
    if (!succeeded(written.status)) {
      judgement.fail(index,
                     is_update(written.operation) ? "the update that the driver asked for"
                                                  : "the context allocation is initialized",
                     "BuildPagingBuffer refuses it");
    } else if (written.outside != 0) {
      judgement.fail(index,
                     "what lies beside the " + std::to_string(written.size) +
                         " bytes of the context allocation is as it was",
                     bytes(written.outside, written.first_outside));
    } else if (written.unlike != 0) {
      judgement.fail(index,
                     "what is written is the same whether or not the private data are still there "
                     "when the buffer runs",
                     bytes(written.unlike, written.first_unlike));
    }
  }
}

bool is_in(std::uint64_t address, std::uint64_t first, std::uint64_t bytes) {
  return address - first < bytes;
}

// An execution that found no memory where it wrote has written nothing. Where it looked beside the
// context allocation, its commands are to blame and not the page tables. What is looked at is of
// the packet of paging that has ended last.
void judge_faults(const Trace& trace, Judgement& judgement) {
  std::uint32_t built = kNone, faulted = kNone;
  ScratchMap<std::uint32_t, ev::Submitted> packets;  // of paging, by number
  bool ended_by_fault = false;
  for (const std::uint32_t index : trace.of_any<ev::PagingBuilt, ev::Submitted, ev::AccessFaulted,
                                                ev::PacketEnded, ev::ContextAllocationWritten>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::PagingBuilt) {
      if (is_of_contexts(trace.at<ev::PagingBuilt>(index).operation)) built = index;
    } else if (event.kind == EventKind::Submitted) {
      const auto submitted = trace.at<ev::Submitted>(index);
      if (submitted.paging != 0) packets[submitted.packet] = submitted;
    } else if (event.kind == EventKind::AccessFaulted) {
      faulted = index;
    } else if (event.kind == EventKind::PacketEnded) {
      const auto ended = Trace::as<ev::PacketEnded>(event);
      if (ended.paging == 0) continue;
      ended_by_fault = ended.fate == static_cast<std::uint32_t>(PacketFate::Faulted) &&
                       faulted != kNone &&
                       trace.at<ev::AccessFaulted>(faulted).packet == ended.packet;
    } else if (ended_by_fault && built != kNone) {
      ended_by_fault = false;
      const auto written = trace.at<ev::ContextAllocationWritten>(index);
      if (trace.at<ev::PagingBuilt>(built).operation != written.operation) continue;
      const auto arguments = trace.blob<PagingArguments>(trace.events()[built]);
      const auto fault = trace.at<ev::AccessFaulted>(faulted);
      const auto packet = packets.find(fault.packet);
      if (arguments.empty() || packet == packets.end() || fault.level != 0) continue;
      if (is_in(fault.address, arguments.front().destination_address, arguments.front().size) ||
          is_in(fault.address, packet->second.address, packet->second.end)) {
        continue;
      }
      judgement.reached(faulted);
      judgement.fail(faulted, "accesses to the context allocation alone",
                     "one that found no memory, elsewhere in the paging process", {built});
    }
  }
}

// Contexts whose root was announced with an update of a context allocation: their next packets.
class NewRoots final : public SpaceObserver {
 public:
  NewRoots(const Trace& trace, const Platform& platform, Judgement& judgement)
      : trace_(trace), judgement_(judgement), root_level_(root_level_of(platform)) {}

  void context_made(std::uint32_t, const ev::ContextCreated& created) override {
    contexts_.erase(created.context);
  }
  void root_set(std::uint32_t index, const ev::RootSet& set) override {
    const std::span<const std::uint32_t> updates = trace_.of<ev::ContextAllocationUpdated>();
    for (; next_ < updates.size() && updates[next_] < index; ++next_) {
      const auto update = trace_.at<ev::ContextAllocationUpdated>(updates[next_]);
      if (update.setting == set.context && succeeded(update.status)) {
        contexts_[set.context] = {.updated = updates[next_], .shown = false};
      }
    }
  }
  void shown(const SpaceSign& sign) override {
    const auto found = contexts_.find(sign.packet.context);
    if (found == contexts_.end() || sign.packet.submitted < found->second.updated) return;
    Context& context = found->second;
    // Other entries that are read astray speak of tables below the root, or of their index.
    const bool astray = sign.kind == SpaceSign::Kind::Walk;
    if (context.shown || (astray && !sign.walked(AstrayWalk::FormerTable, root_level_))) return;
    context.shown = true;
    judgement_.reached(sign.event);
    if (!sign.wrong()) return;
    fail_by(sign, judgement_, "the next packet finds its tables by the new root",
            {context.updated, sign.packet.submitted});
  }

 private:
  struct Context {
    std::uint32_t updated = kNone;  // event
    bool shown = false;
  };
  const Trace& trace_;
  Judgement& judgement_;
  std::uint32_t root_level_;
  std::size_t next_ = 0;
  ScratchMap<std::uint32_t, Context> contexts_;
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  if (trace.of<ev::ContextAllocationWritten>().empty()) return;
  judge_writes(trace, judgement);
  judge_faults(trace, judgement);
  page::judge_memory(trace, judgement, "memory beside the context allocation is as it was",
                     [](const page::CheckedOperation& operation) {
                       return is_of_contexts(operation.done.operation);
                     });
  NewRoots roots(trace, platform, judgement);
  observe_spaces(trace, roots);
}

// A driver that keeps the pointer to the private data, and makes its commands of them when the
// buffer is submitted.
class ReadsPrivateDataLate final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const DXGKARG_BUILDPAGINGBUFFER kept = *build;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    is_kept_ =
        status == STATUS_SUCCESS && kept.Operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION;
    if (is_kept_) kept_ = kept;
    return status;
  }
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    if (is_kept_ && submit->Flags.Paging) {
      is_kept_ = false;
      static_cast<void>(Interposer::BuildPagingBuffer(adapter, &kept_));
    }
    return Interposer::SubmitCommandVirtual(adapter, submit);
  }

 private:
  DXGKARG_BUILDPAGINGBUFFER kept_{};
  bool is_kept_ = false;
};

const Rule kRule{
    .id = "VPAGE-009",
    .title = "UpdateContextAllocation writes the context allocation, by data that are gone later",
    .evidence = Evidence::Memory,
    .rule =
        "A driver takes InitContextResource and UpdateContextAllocation for the context "
        "allocations that it has made. An update is made of the private data that the driver gave "
        "to DxgkCbUpdateContextAllocation, which are there while BuildPagingBuffer runs; carried "
        "out, it changes bytes of the context allocation alone. What SetRootPageTable had it write "
        "holds for the next packet of the context.",
    .sources =
        "context-allocation.md # Updating the content of a context allocation\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatecontextallocation.md\n"
        "nc-d3dkmddi-dxgkcb_updatecontextallocation.md",
    .note =
        "That private data are to be read during the call alone no page says; it is what holds for "
        "every other pointer of BuildPagingBuffer. What the bytes mean is the driver's affair, so "
        "two executions are compared with each other. A count of updates that is in the private "
        "data is the same in both; one that BuildPagingBuffer takes from the driver's own state "
        "is not made of the data, and makes them differ. The callback returns when both have "
        "ended. An update that writes nothing is not judged, but for one that has faulted beside "
        "the context allocation; nor is one that this host carries out with other data than the "
        "driver gave.",
    .unreached = "no context allocation was initialized or updated",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::ContextAllocations, Configured::ContextApertures,
                  Configured::LinkedContexts},
    .scenario = R"(
about: roots are announced, and those of one process move and leave
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local, device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
- move_table: {allocation: 1, level: 5}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
- evict_tables: {device: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 0, value: 1}
- idle
- destroy_context: {context: 1}
- create_context: {context: 3}
- render: {context: 3}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 8, value: 1}
- idle
# Of a link the other GPU as well, whose contexts have memory of its own.
- physical_adapter: {index: 1}
- create_context: {context: 4}
- create_context: {context: 5, device: 1}
- render: {context: 4}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 16, value: 1}
- render: {context: 5}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 16, value: 1}
- idle
- evict_tables: {device: 1}
- render: {context: 5}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 20, value: 1}
- idle
)",
    .control = R"(
about: contexts that run nothing
ops:
- start
)",
    .fault = {.about = "the private data are read when the buffer is submitted",
              .interposer = [] { return std::unique_ptr<Interposer>(new ReadsPrivateDataLate); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::vpage_009
