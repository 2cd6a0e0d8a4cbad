#include "conformance/host/render/render_path.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/render/instance_commands.h"
#include "conformance/host/render/recorded_command.h"
#include "conformance/host/render/render_call.h"
#include "conformance/host/render/write_marks.h"
#include "conformance/host/vidmm/vidmm_worker.h"
#include "reference/is_any_of.h"

namespace wddm::host {
namespace {

// What the element private_data has for all of it.
constexpr std::uint32_t kAllPrivateData = 65536;

// DMA buffers lie in system memory, and where an aperture shows it. A driver that asks for another
// segment says that its GPU fetches from neither.
bool wants_other_segment(const ContextObject& context, const Addressing& addressing,
                         const VidMmWorker& vidmm) {
  const std::uint32_t segments = context.info.DmaBufferSegmentSet;
  return by_patch_lists(addressing) && segments != 0 && !vidmm.shows_buffers_in(segments);
}

// Null, or why commands of a client do not get to the GPU from there.
const char* why_not(const ContextObject& context, const WddmClient& client,
                    const Addressing& addressing, const VidMmWorker& vidmm) {
  if (context.is_test) return "a test context runs no commands of a client";
  if (!addressing.knows(client)) return "the client knows nothing of GPU virtual addresses";
  for (const DdiId needed : addressing.needed()) {
    if (!may_call(needed)) return ddi_info(needed).absence;
  }
  if (wants_other_segment(context, addressing, vidmm)) {
    return "not hosted: DMA buffers in segments that are no apertures (DmaBufferSegmentSet)";
  }
  return nullptr;
}

}  // namespace

void RenderPath::begin_adapter() {
  patterns_.begin();
  turns_.forget();
  if (objects_.client() == nullptr) return;
  asked_ = false;
  // Away from what scenarios compete for, if the driver has such a place.
  if (objects_.create_allocation(kMarkerAllocation, kFirstDevice, 1, Place::Aperture, true) ||
      objects_.create_allocation(kMarkerAllocation, kFirstDevice, 1, Place::Any, true)) {
    if (!vidmm_.allocation_created(kMarkerAllocation)) {
      objects_.destroy_allocation(kMarkerAllocation);
    }
  }
}

void RenderPath::begin(const Op& op) {
  const ContextObject& context = objects_.context(ContextId{op.a});
  open_ = objects_.client() != nullptr && context.live;
  if (open_) {
    const char* const why = why_not(context, *objects_.client(), addressing_, vidmm_);
    open_ = why == nullptr;
    if (!open_) {
      session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(op.kind)}, why);
    }
  }
  op_ = op;
  commands_.clear();
  hostile_.clear();
  // What the driver makes of such a context nobody knows: as if a word were another, which is not.
  if (open_ && context.withheld_data) hostile_.push_back({.kind = OpKind::TamperCommand, .b = 1});
  private_data_.reset();
  stray_ = false;
  privileged_.clear();
}

void RenderPath::element(const Op& op) {
  if (!open_) return;
  if (is_any_of(op.kind, OpKind::TamperPatch, OpKind::TamperCommand, OpKind::Revoke, OpKind::Race,
                OpKind::TamperPrivate, OpKind::Privileged)) {
    hostile_.push_back(op);
    return;
  }
  // A driver may take what is left out for granted.
  if (op.kind == OpKind::PrivateData) {
    if (op.x < kAllPrivateData) hostile_.push_back(op);
    private_data_ = op;
    return;
  }
  if (op.kind == OpKind::StrayCommands) {
    stray_ = !by_patch_lists(addressing_);
    if (!stray_) {
      session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(op.kind)},
                         "with patch lists commands have no GPU virtual address");
    }
    return;
  }
  const gpu::Command command = command_of(op);
  // A bind of an allocation that does not exist is the same as no bind.
  if (command.kind == gpu::CommandKind::Bind && !objects_.allocation(command.allocation).live) {
    return;
  }
  if (command.kind == gpu::CommandKind::Bind) {
    const char* const why = addressing_.cannot_bind(ContextId{op_.a}, command.allocation);
    if (why != nullptr) {
      session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(op.kind)}, why);
      return;
    }
  }
  commands_.push_back(command);
}

bool RenderPath::flush(bool another_follows) {
  if (!open_) turns_.let_go();
  if (!open_) return false;
  open_ = false;
  // Which instances may still be bound depends on what the buffer before has named.
  if (!vidmm_.instances().none()) turns_.let_go();
  if (!asked_ && (marks() || may_have_own_patterns())) ask_for_repertoire();
  fit_slots();
  commands_ = in_order_of_instances(std::move(commands_), vidmm_.instances());
  const std::uint32_t marker_commands = add_marker();
  UserInput input;
  input.context = ContextId{op_.a};
  offer_state(marker_commands, input);
  privileged_ = privileged_commands(hostile_, objects_, memory_);
  if (!build(input)) {
    turns_.let_go();
    session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(op_.kind)},
                       not_built(input));
    return true;
  }
  if (decisions().commits(OracleFault::ForgetWhatCopiesWrite)) {
    forget_what_copies_write(commands_, objects_.sizes(), input);
  }
  find_raced_words(input);
  tamper(input);
  tell_privileged(privileged_, renders_);
  const bool goes_astray =
      !privileged_.empty() || std::any_of(hostile_.begin(), hostile_.end(), [](const Op& op) {
        return op.kind == OpKind::TamperCommand;
      });
  const auto reached =
      goes_astray ? in_reach_of(input.context, objects_, addressing_) : std::vector<AllocationId>{};
  const auto stream = std::make_shared<CommandStream>();
  stream->commands = commands_;
  stream->understood = hostile_.empty();
  if (!choices_.null_rendering) {  // else it leaves the context as it was
    states_.built(objects_.context(input.context), input, renders_, stream, hostile_.empty());
  }
  const RenderRequest request{.ordinal = renders_++,
                              .context = ContextId{op_.a},
                              .op = op_,
                              .stream = stream,
                              .marker_offset = marker_offset_,
                              .marker_is_ladder = repertoire_.marks_by_ladder(),
                              .hostile = hostile_,
                              .private_data = private_data_,
                              .in_reach = reached,
                              .stray = stray_,
                              .null_rendering = choices_.null_rendering};
  turns_.take(request, input, another_follows && choices_.alternate_passes);
  return true;
}

bool RenderPath::marks() const {
  return objects_.allocation(kMarkerAllocation).live &&
         addressing_.cannot_bind(ContextId{op_.a}, kMarkerAllocation) == nullptr;
}

bool RenderPath::may_have_own_patterns() const {
  return objects_.allocation(kMarkerAllocation).live && by_patch_lists(addressing_);
}

// The marker allocation has not been used yet, so that the CPU may write to it.
void RenderPath::ask_for_repertoire() {
  asked_ = true;
  repertoire_ = {};
  if (!has(gpu::copy(0, 0, 0, 64, 4))) return;
  repertoire_.learn(gpu::CommandKind::Fill, has(gpu::fill(std::uint16_t{0}, 0, 4, 0)));
  repertoire_.learn(gpu::CommandKind::Add, has(gpu::add(0, 0, 1)));
  repertoire_.learn(gpu::CommandKind::Spin, has(gpu::spin(1)));
  if (!repertoire_.lacks_any()) return;
  if (!patterns_.write(kMarkerAllocation, repertoire_)) repertoire_ = {};
}

// Words that renders have used before are none of those to come.
void RenderPath::renew_markers() {
  if (!objects_.allocation(kMarkerAllocation).live) return;
  for (std::uint32_t word = 0; word < kMarkerWords; ++word) {
    if (!memory_.cpu_write(kMarkerAllocation, word * 4, 0)) return;
  }
  asked_ = false;
}

bool RenderPath::has(const gpu::Command& command) {
  UserInput input;
  input.context = ContextId{op_.a};
  input.allocations = {kMarkerAllocation};
  return has_all({gpu::bind(0, kMarkerAllocation), command, gpu::unbind(0)}, input);
}

bool RenderPath::has_all(std::vector<gpu::Command> commands, UserInput& input) {
  commands_.swap(commands);
  const bool built = encode(input, BuildRoom::AsItTakes);
  commands_.swap(commands);
  return built;
}

// A scenario's numbers of slots may be higher than the driver has them.
void RenderPath::fit_slots() {
  Repertoire::fit_slots(commands_, addressing_.slots());
}

// Every packet ends with a command that counts its runs in a place of its own in CPU-visible memory,
// which no other that is queued uses: read at each notification, it tells whether finished work was
// missed or unfinished work was claimed. Hostile input gets none: it would have all places in its
// reach.
std::uint32_t RenderPath::add_marker() {
  marker_offset_ = kNone;
  if (!hostile_.empty() || !marks()) return 0;
  marker_offset_ = repertoire_.marker_offset(renders_);
  if (marker_offset_ == kNone) return 0;
  const auto slot = static_cast<std::uint16_t>(addressing_.slots() - 1);
  const auto marker = repertoire_.marker(slot, marker_offset_);
  commands_.insert(commands_.end(), marker.begin(), marker.end());
  return static_cast<std::uint32_t>(marker.size());
}

// The marker is to tell that a packet has run, whatever it finds in its context.
void RenderPath::offer_state(std::uint32_t marker_commands, UserInput& input) const {
  if (!choices_.keep_state || !hostile_.empty() || repertoire_.lacks_any_of(commands_)) return;
  states_.offer(objects_.context(input.context), input);
  input.state_sets_itself = marker_commands;
}

// From a slot that nothing else uses.
void RenderPath::put_in_terms_of_client(std::uint32_t most_steps) {
  if (!repertoire_.lacks_any_of(commands_)) return;
  AllocationId patterns = kMarkerAllocation;
  if (!marks()) {
    if (!may_have_own_patterns()) return;
    patterns = patterns_.own_of(objects_.context(ContextId{op_.a}).device, repertoire_);
    if (patterns == kNoAllocation) return;
  }
  const std::vector<std::uint16_t> used = Repertoire::slots_of(commands_);
  for (std::uint32_t slot = addressing_.slots(); slot-- > 0;) {
    const auto number = static_cast<std::uint16_t>(slot);
    if (std::find(used.begin(), used.end(), number) != used.end()) continue;
    commands_ = repertoire_.in_its_terms(commands_, number, patterns, most_steps);
    return;
  }
}

bool RenderPath::spends_time_by_others() const {
  return repertoire_.lacks(gpu::CommandKind::Spin) &&
         std::any_of(commands_.begin(), commands_.end(), [](const gpu::Command& command) {
           return command.kind == gpu::CommandKind::Spin && command.value > 1;
         });
}

// How commands look is the client's affair. A race for a word behind them is one for the word that
// says where the last of them writes: the client builds the same with the new value in its place,
// and the word that is another then is it.
void RenderPath::find_raced_words(const UserInput& input) {
  const auto writes = [](const gpu::Command& command) {
    return is_any_of(command.kind, gpu::CommandKind::Fill, gpu::CommandKind::Copy,
                     gpu::CommandKind::Add);
  };
  const auto last = std::find_if(commands_.rbegin(), commands_.rend(), writes);
  for (Op& op : hostile_) {
    const bool is_behind = op.kind == OpKind::Race && op.x + 4ull > input.command.size();
    if (!is_behind || op.a != static_cast<std::uint8_t>(Input::Command)) continue;
    if (last == commands_.rend()) continue;
    const std::uint32_t before = std::exchange(last->offset, op.z);
    UserInput other;
    other.context = input.context;
    other.allocations = input.allocations;
    // It may lie outside: the client is told of larger allocations.
    const bool built = encode(other, BuildRoom::AsAsked, std::uint64_t{op.z} + last->size);
    last->offset = before;
    if (!built || other.command.size() != input.command.size()) continue;
    for (std::uint32_t at = 0; at + 4 <= input.command.size(); at += 4) {
      if (std::memcmp(&input.command[at], &other.command[at], 4) == 0) continue;
      op.x = at;
      std::memcpy(&op.z, &other.command[at], 4);
      break;
    }
  }
}

bool RenderPath::build(UserInput& input) {
  const auto& all_sizes = objects_.asked_sizes();
  // Commands without effect are dropped, so that no client must encode an access out of range.
  gpu::Bindings bindings;
  std::erase_if(commands_, [&](const gpu::Command& command) {
    const bool keep = gpu::has_effect(command, bindings, all_sizes) ||
                      (command.kind == gpu::CommandKind::Unbind && bindings.bound(command.slot));
    bindings.apply(command);
    return !keep;
  });
  // What spends time takes as many commands as there is room for.
  const std::vector<gpu::Command> wanted = commands_;
  const std::uint32_t least_steps = spends_time_by_others() ? 1 : Repertoire::kMostSteps;
  for (std::uint32_t steps = Repertoire::kMostSteps; steps >= least_steps; steps /= 2) {
    commands_ = wanted;
    put_in_terms_of_client(steps);
    list_allocations(input);
    if (encode(input)) return true;
  }
  return false;
}

void RenderPath::list_allocations(UserInput& input) const {
  input.allocations.clear();
  for (const gpu::Command& command : commands_) {
    if (command.kind != gpu::CommandKind::Bind) continue;
    if (std::find(input.allocations.begin(), input.allocations.end(), command.allocation) ==
        input.allocations.end()) {
      input.allocations.push_back(command.allocation);
    }
  }
}

bool RenderPath::encode(UserInput& input, BuildRoom room, std::uint64_t more_bytes) const {
  const auto& all_sizes = objects_.asked_sizes();
  std::vector<std::uint64_t> sizes;
  for (const AllocationId id : input.allocations) sizes.push_back(all_sizes[id.value] + more_bytes);
  std::vector<WddmCommand> commands;
  for (const gpu::Command& command : commands_) {
    commands.push_back(plug_in_form(command, input.allocations));
  }
  for (const PrivilegedCommand& one : privileged_) commands.push_back(one.command);
  return client_builds(objects_, addressing_, commands, sizes, room, input);
}

// Some commands that the client does not have, or too many at once.
std::string RenderPath::not_built(UserInput& input) {
  if (!std::exchange(privileged_, {}).empty() && encode(input)) {
    return "the client has no counterpart for these commands: privileged";
  }
  constexpr std::array<const char*, gpu::kCommandKinds> kNames = {
      "nop", "bind", "unbind", "fill", "copy", "add", "signal", "wait", "spin"};
  std::string lacking;
  bool any = false;  // else it refuses a bind, or nothing
  for (std::size_t kind = static_cast<std::size_t>(gpu::CommandKind::Fill); kind < kNames.size();
       ++kind) {
    const auto is_kind = [kind](const gpu::Command& command) {
      return static_cast<std::size_t>(command.kind) == kind;
    };
    const auto first = std::find_if(commands_.begin(), commands_.end(), is_kind);
    if (first == commands_.end()) continue;
    any = true;
    // One of them alone: where many are wanted it may be their number that is too large.
    std::vector<gpu::Command> alone;
    std::copy_if(commands_.begin(), first, std::back_inserter(alone),
                 [](const gpu::Command& one) { return one.kind == gpu::CommandKind::Bind; });
    alone.push_back(*first);
    if (has_all(std::move(alone), input)) continue;
    lacking.append(lacking.empty() ? ": " : ", ").append(kNames[kind]);
  }
  if (any && lacking.empty()) {
    return by_patch_lists(addressing_)
               ? "the client does not build so many commands in the room that the driver asks for "
                 "(DmaBufferSize, AllocationListSize, PatchLocationListSize)"
               : "the client does not build so many commands at once";
  }
  return "the client has no counterpart for these commands" + lacking;
}

void RenderPath::tamper(UserInput& input) const {
  const auto alter = [](std::vector<std::uint8_t>& bytes, const Op& op) {
    if (op.x % 4 != 0 || op.x + 4ull > bytes.size()) return;
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + op.x, 4);
    word = op.b != 0 ? word ^ op.z : op.z;
    std::memcpy(bytes.data() + op.x, &word, 4);
  };
  for (const Op& op : hostile_) {
    if (op.kind == OpKind::TamperCommand) {
      alter(input.command, op);
    } else if (op.kind == OpKind::TamperPrivate) {
      alter(input.private_data, op);
    } else if (op.kind == OpKind::TamperPatch) {
      if (op.x > input.patches.size()) continue;
      if (op.x == input.patches.size()) input.patches.push_back({});
      std::array<std::uint32_t, 6> members;
      std::memcpy(members.data(), &input.patches[op.x], sizeof(members));
      members[op.a] = op.b != 0 ? members[op.a] ^ op.z : op.z;
      std::memcpy(&input.patches[op.x], members.data(), sizeof(members));
    }
  }
}

}  // namespace wddm::host
