// A render that waits until the next one has been recorded, so that passes of both can alternate:
// two threads of user mode, each with a device of its own, are in Render at the same time.
#pragma once

#include <memory>

#include "conformance/host/addressing/addressing.h"
#include "conformance/host/render/render_call.h"

namespace wddm::host {

class RendersInTurn {
 public:
  RendersInTurn(const Objects& objects, const Addressing& addressing, VidMmWorker& vidmm)
      : objects_(objects), addressing_(addressing), vidmm_(vidmm) {}

  /// Prepares a render: with the one that is held, if their devices differ and they use no memory
  /// in common, else behind it. With `hold` it is held itself then, if it is of a kind that may be.
  void take(const RenderRequest& request, const UserInput& input, bool hold);
  /// Nothing follows what is held: it goes alone.
  void let_go();
  /// Another adapter: what is held belongs to nobody.
  void forget() { held_.reset(); }

 private:
  // What the request refers to is its own.
  struct Held {
    Held(const RenderRequest& asked, const UserInput& built);
    Op op;
    UserInput input;
    RenderRequest request;
  };
  [[nodiscard]] DeviceId device_of(const RenderRequest& request) const {
    return objects_.context(request.context).device;
  }

  const Objects& objects_;
  const Addressing& addressing_;
  VidMmWorker& vidmm_;
  std::unique_ptr<Held> held_;
};

}  // namespace wddm::host
