// From abstract commands to what user mode hands to Render.
//
// Commands are recorded until the op that ends the list; then the client builds what a user-mode
// driver would pass to pfnRenderCb, hostile elements alter it, and render_call.h takes it from
// there.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/host/boundary/scenario_choices.h"
#include "conformance/host/adapter/objects.h"
#include "conformance/host/render/render_call.h"
#include "reference/gpu/effect.h"
#include "reference/trace/op.h"

namespace wddm::host {

class Residency;
class VidMmWorker;

class RenderPath {
 public:
  RenderPath(Adapter& adapter, Objects& objects, const Residency& residency, VidMmWorker& vidmm,
             const Choices& choices);

  /// The adapter runs and device 0 exists: makes the marker allocation.
  void begin_adapter();
  /// A render op: the elements that follow belong to it.
  void begin(const Op& op);
  void element(const Op& op);
  /// Ends the open list: builds, calls Render, queues. False if none is open.
  bool flush();

 private:
  [[nodiscard]] bool build(UserInput& input);
  void add_marker();
  void tamper(UserInput& input) const;

  Adapter& adapter_;
  Objects& objects_;
  const Residency& residency_;
  VidMmWorker& vidmm_;
  const Choices& choices_;

  bool open_ = false;
  Op op_;
  std::vector<Op> hostile_;
  std::vector<gpu::Command> commands_;
  std::uint32_t renders_ = 0;
  std::uint32_t marker_offset_ = kNone;
};

}  // namespace wddm::host
