#include "conformance/host/vidmm/vidmm_worker.h"

#include <algorithm>
#include <utility>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/vidmm/refusal_text.h"

namespace wddm::host {
namespace {

constexpr const char* kShort = "too much has happened already: the trace runs short";

// Where an allocation is mapped again, somebody may be using it.
bool is_of_tables(const Op& op) {
  if (op.kind == OpKind::MapAddress) return static_cast<AddressPlace>(op.b) != AddressPlace::Same;
  return op.kind == OpKind::CreateContext || op.kind == OpKind::MoveTable ||
         op.kind == OpKind::EvictTables;
}

bool lists(const RenderBuffer& buffer, AllocationId id) {
  return std::find(buffer.allocations.begin(), buffer.allocations.end(), id) !=
         buffer.allocations.end();
}

// What may go on while a packet has been stopped: that its engine leaves its context, that the
// context's own memory moves, or leaves and comes back (gpu-preemption: what it holds is kept),
// changes of page tables that leave each address where it leads to, and paging of what the packet
// does not use. What it uses may move if the engine has not looked at it yet: whether one that has
// begun may find its memory elsewhere is not said.
JobWaits::MayPass may_pass(const Op& op) {
  const AllocationId id{op.a};
  const bool is_of_contexts = op.kind == OpKind::SwitchContext || op.kind == OpKind::MoveContext;
  if (is_of_contexts) return [](const Packet&) { return true; };
  if (op.kind == OpKind::MoveTable || op.kind == OpKind::MapAddress ||
      op.kind == OpKind::CreateContext) {
    return is_of_tables(op) ? [](const Packet&) { return true; } : JobWaits::MayPass{};
  }
  if (op.kind == OpKind::FillMemory || op.kind == OpKind::Evict) {
    return [id](const Packet& packet) { return !lists(*packet.render()->buffer, id); };
  }
  if (op.kind != OpKind::Move) return {};
  return [id](const Packet& packet) {
    const RenderBuffer& buffer = *packet.render()->buffer;
    return !lists(buffer, id) || (!packet.may_have_begun && buffer.portions_left == 1);
  };
}

}  // namespace

VidMmWorker::VidMmWorker(Adapter& adapter, Processes& processes, Objects& objects,
                         Residency& residency, PredictedMemory& memory, PagingWindows& windows,
                         WalkJudge& walks, VidSchWorker& vidsch, const Choices& choices)
    : adapter_(adapter),
      residency_(residency),
      memory_(memory),
      choices_(choices),
      scene_{objects, residency},
      waits_(vidsch),
      aperture_pages_(adapter, residency),
      builder_(adapter, objects, memory, vidsch, waits_, choices),
      queue_(scene_, residency, memory, builder_, vidsch, waits_, choices),
      windows_(adapter, scene_, residency, aperture_pages_, memory, queue_, waits_),
      mappings_(residency),
      tables_(adapter, residency, memory),
      spaces_(adapter, processes, scene_, tables_, walks, queue_, waits_),
      context_allocations_(adapter, scene_, spaces_, tables_, queue_, waits_, residency, memory),
      virtual_memory_(adapter, scene_, spaces_, windows, walks, queue_, waits_),
      clients_(objects),
      buffers_(adapter, residency, queue_, vidsch, waits_, choices, virtual_memory_, objects,
               clients_, windows_),
      tiles_(adapter, objects, virtual_memory_, vidsch, waits_) {
  queue_.use(virtual_memory_);
  builder_.memories().use(windows);
  builder_.memories().use(aperture_pages_, scene_);
  virtual_memory_.use(context_allocations_);
  context_allocations_.updates().use([this] { return enqueue_update(); });
}

void VidMmWorker::begin() {
  aperture_pages_.begin();
  builder_.begin();
  builder_.memories().keep_pages();
  tables_.begin();
  // With GPU virtual addresses slots are ours alone, one for each entry of the allocation list.
  planner_.emplace(adapter_.has_virtual_addresses() ? 1u << 24 : adapter_.slots());
  mappings_.begin();
  tiles_.begin();
  postponed_.clear();
  std::uint64_t pages = 0;
  for (const SegmentId segment : residency_.segments()) {
    pages += residency_.end_of_segment(segment) - residency_.start_of_segment(segment);
  }
  clients_.begin(pages);
  if (adapter_.has_virtual_addresses()) begin_virtual_memory();
  if (!started_) nt::spawn_host_thread("VidMm worker", &VidMmWorker::thread, this);
  started_ = true;
}

void VidMmWorker::begin_virtual_memory() {
  waits_.begin_job();
  const char* const why_not = virtual_memory_.begin();
  waits_.end_job();
  if (why_not == nullptr) return;
  session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(OpKind::Start)}, why_not);
}

void VidMmWorker::end() {
  builder_.begin();
  virtual_memory_.end();
}

const char* VidMmWorker::why_no_paging() const {
  if (!adapter_.has_virtual_addresses()) {
    return may_call(DdiId::SubmitCommand) ? nullptr : ddi_info(DdiId::SubmitCommand).absence;
  }
  return virtual_memory_.active() ? nullptr : "there are no page tables for it";
}

bool VidMmWorker::allocation_created(AllocationId id) {
  if (const char* const why_not = why_no_paging()) {
    refusal_ = why_not;
    return false;
  }
  if (!residency_.created(id)) {
    refusal_ = residency_.refusal();
    return false;
  }
  if (memory_.created(id)) return true;
  refusal_ = "VidMm refuses the allocation: there is too much to keep track of";
  residency_.forget(id);
  return false;
}

void VidMmWorker::enqueue(std::unique_ptr<RenderBuffer> buffer) {
  if (const char* const why_not = why_no_paging()) {
    session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(OpKind::Render)}, why_not);
    return;
  }
  jobs_.push_back(std::move(buffer));
  wake_.set();
  begin_postponed();
}

void VidMmWorker::enqueue(Request request, const Op& op) {
  if (const char* const why_not = why_no_paging()) {
    session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(op.kind)}, why_not);
    return;
  }
  begin_postponed();
  jobs_.push_back(RequestJob{request, op});
  wake_.set();
}

void VidMmWorker::enqueue_destruction(AllocationId id) {
  enqueue(requests::destroy_allocation, {.kind = OpKind::DestroyAllocation, .x = id.value});
}

void VidMmWorker::enqueue_context(ContextId id) {
  if (virtual_memory_.active()) {
    enqueue(requests::add_context, {.kind = OpKind::CreateContext, .x = id.value});
  }
}

// Of page tables, as far as what it waits for goes.
bool VidMmWorker::enqueue_update() {
  if (!virtual_memory_.active()) return false;
  jobs_.push_back(RequestJob{requests::update_context_allocation, {.kind = OpKind::CreateContext}});
  wake_.set();
  return true;
}

bool VidMmWorker::enqueue_process_end(ProcessId id) {
  if (!virtual_memory_.active()) return false;
  if (!adapter_.gpummu()->geometry->caps().explicit_page_table_invalidation) return false;
  enqueue(requests::end_process, {.kind = OpKind::DestroyDevice, .x = id.value});
  return true;
}

// Taking the request is all there is to do.
bool VidMmWorker::enqueue_unmapping(ContextId id) {
  if (!aperture_pages_.has_left() || why_no_paging() != nullptr) return false;
  const Request nothing_else = [](const RequestScene&, const Op&) -> const char* {
    return nullptr;
  };
  enqueue(nothing_else, {.kind = OpKind::DestroyContext, .x = id.value});
  return true;
}

const char* VidMmWorker::interlock(const Op& op, bool hurry) {
  const bool postponed = hurry && op.kind == OpKind::UpdateAddress;
  if (!postponed) begin_postponed();
  const char* refused = nullptr;
  InterlockedJob job;
  std::vector<AllocationId> displaced;
  if (op.kind == OpKind::UpdateAddress) {
    const Objects& objects = scene_.objects;
    const ContextObject& context = objects.context(choices_.tile_updates.context);
    if (!context.live) return "its context is gone";
    const ProcessId process = objects.device(context.device).process;
    const DeviceId device = objects.allocation(AllocationId{op.a}).device;
    if (objects.device(device).process != process) return "the context is of another process";
    if (!residency_.vidmm().exists(AllocationId{op.a})) return kUnknownAllocation;
  }
  if (op.kind == OpKind::SignalFence) {
    job = tiles_.ask_signal(ContextId{op.a}, op.b);
  } else if (op.kind == OpKind::AwaitFence) {
    job = tiles_.ask_wait(ContextId{op.a}, op.b);
  } else {
    job = tiles_.ask_update(AllocationId{op.a}, requests::tile_request_of(op, choices_),
                            choices_.tile_updates, &refused, &displaced);
  }
  if (refused != nullptr) return refused;
  if (postponed) {
    postponed_.push_back({std::move(job), op, std::move(displaced)});
    return nullptr;
  }
  jobs_.push_back(std::move(job));
  wake_.set();
  return nullptr;
}

const char* VidMmWorker::postpone(const Op& op) {
  const AllocationId id{op.a};
  if (!residency_.vidmm().exists(id)) return kUnknownAllocation;
  if (op.kind == OpKind::MakeResident) {
    postponed_.push_back({RequestJob{requests::make_resident, op, true}, op});
    return nullptr;
  }
  CompanionUpdates::Decided decided =
      virtual_memory_.updates().answered(virtual_memory_.ask_address(
          id, static_cast<AddressPlace>(op.b), op.x, static_cast<Protection>(op.c), op.z));
  if (decided.refused != nullptr) return decided.refused;
  postponed_.push_back({MappingJob{std::move(decided.parts), op}, op});
  return nullptr;
}

void VidMmWorker::begin_postponed() {
  if (postponed_.empty()) return;
  for (Postponed& each : std::exchange(postponed_, {})) jobs_.push_back(std::move(each.job));
  wake_.set();
}

bool VidMmWorker::is_postponed(AllocationId id) const {
  return std::any_of(postponed_.begin(), postponed_.end(), [id](const Postponed& each) {
    return each.op.kind == OpKind::MakeResident && AllocationId{each.op.a} == id;
  });
}

void VidMmWorker::tell_postponed(RenderBuffer& buffer, std::span<const AllocationId> uses) const {
  std::uint32_t requests = 0;
  for (const Postponed& each : postponed_) {
    if (std::find(uses.begin(), uses.end(), AllocationId{each.op.a}) == uses.end()) continue;
    ++requests;
    buffer.displaced.insert(buffer.displaced.end(), each.displaced.begin(), each.displaced.end());
  }
  if (requests == 0) return;
  buffer.hurried = true;
  session().tap(ev::NotAwaited{.render = buffer.render,
                               .context = buffer.context.value,
                               .requests = requests,
                               .displaced = static_cast<std::uint32_t>(buffer.displaced.size())});
}

void VidMmWorker::come_out_of_driver() {
  if (!context_allocations_.updates().awaited()) return;
  begins_no_job_ = true;
  context_allocations_.updates().give_up();
  waits_.abandon();
  waits_.look_again();
  nt::settle();
}

void VidMmWorker::abandon() {
  postponed_.clear();
  jobs_.clear();
  waits_.abandon();
  builder_.begin();
  if (std::exchange(begins_no_job_, false)) wake_.set();
}

void VidMmWorker::thread(void* context) {
  static_cast<VidMmWorker*>(context)->work();
}

void VidMmWorker::work() {
  for (;;) {
    wake_.wait_for_work("a job for VidMm");
    while (!jobs_.empty() && !begins_no_job_) {
      Job job = std::move(jobs_.front());
      jobs_.pop_front();
      const auto* const request = std::get_if<RequestJob>(&job);
      waits_.begin_job(request != nullptr ? passes(request->op) : JobWaits::MayPass{});
      std::visit([this](auto& taken) { take(taken); }, job);
      waits_.end_job();
      ++progress_;
    }
  }
}

// Page tables may leave while a packet has been stopped, and are back before it goes on.
JobWaits::MayPass VidMmWorker::passes(const Op& op) const {
  if (op.kind != OpKind::EvictTables) return may_pass(op);
  const DeviceObject& device = scene_.objects.device(DeviceId{op.a});
  if (!device.live || !virtual_memory_.tables_return(device.process)) return {};
  return [](const Packet&) { return true; };
}

RequestScene VidMmWorker::requests_scene() {
  return {residency_, memory_,         scene_,   queue_,   mappings_, waits_,
          *planner_,  virtual_memory_, clients_, choices_, adapter_};
}

void VidMmWorker::take(std::unique_ptr<RenderBuffer>& buffer) {
  if (buffer->required_only && !buffer->given_up && virtual_memory_.active()) {
    requests::make_ready(requests_scene(), buffer->context);
    if (waits_.abandoned()) return buffer.reset();
  }
  buffers_.take(std::move(buffer), *planner_);
}

void VidMmWorker::take(const InterlockedJob& job) {
  const char* const skipped = tiles_.carry_out(job);
  if (skipped == nullptr) return;
  session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(OpKind::UpdateAddress)},
                     skipped);
}

void VidMmWorker::take(const MappingJob& job) {
  waits_.for_paging();
  if (waits_.abandoned()) return;
  const char* const skipped =
      virtual_memory_.updates().carry_out(job.parts, kNoContext, std::nullopt);
  if (skipped == nullptr) return;
  static_cast<void>(virtual_memory_.free_address(AllocationId{job.op.a}, 0, 0));
  session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(job.op.kind)}, skipped);
}

// What no allocation lies in nobody uses while it is mapped or unmapped.
bool VidMmWorker::is_ahead(const Op& op) const {
  const bool maps = op.kind == OpKind::MapAperture || op.kind == OpKind::UnmapAperture;
  return choices_.page_ahead && maps;
}

// A request looks at what memory holds, so it comes after all that earlier work does to it. Not so
// one about page tables alone: who must not run meanwhile, the oracle says.
void VidMmWorker::take(const RequestJob& job) {
  const bool at_once = job.op.kind == OpKind::Evict && decisions().evicts_at_once();
  if (is_of_tables(job.op) || job.hurry) {
    waits_.for_paging();
  } else if (!at_once && !is_ahead(job.op)) {
    waits_.for_earlier_work();
    if (!waits_.abandoned()) windows_.unmap_left();
  }
  if (waits_.abandoned()) return;
  if (!adapter_.has_virtual_addresses() && !may_call(DdiId::SubmitCommand)) {
    return session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(job.op.kind)},
                              ddi_info(DdiId::SubmitCommand).absence);
  }
  // Legal requests of thousands of packets each fill any trace.
  if (session().tap.runs_short() && op_info(job.op.kind)->domain == OpDomain::Memory) {
    return session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(job.op.kind)},
                              kShort);
  }
  const char* const skipped = job.request(requests_scene(), job.op);
  if (job.op.kind == OpKind::Move) waits_.moved(AllocationId{job.op.a}, residency_);
  if (skipped == nullptr) return;
  session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(job.op.kind)}, skipped);
}

}  // namespace wddm::host
