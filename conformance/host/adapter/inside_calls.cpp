#include "conformance/host/adapter/inside_calls.h"

#include "conformance/host/boundary/session.h"
#include "conformance/host/nt/core/points.h"

namespace wddm::host {

InsideCalls::~InsideCalls() {
  nt::set_point_hook({});
}

void InsideCalls::choose() {
  const bool any = choices_.inside.units != 0 && bus_.present();
  nt::g_points = {};
  nt::set_point_hook(any ? nt::PointHook{&InsideCalls::passed, this} : nt::PointHook{});
}

void InsideCalls::passed(void* self) {
  const auto& calls = *static_cast<const InsideCalls*>(self);
  const Choices::Inside chosen = calls.choices_.inside;
  const std::uint32_t point = nt::g_points.next();
  if (chosen.point != 0 && chosen.point != point) return;
  const std::uint32_t used = calls.bus_.advance(chosen.units);
  session().tap(ev::GpuAdvanced{.units = chosen.units, .used = used});
}

}  // namespace wddm::host
