// Whether a value is one of several: where a switch would need a default, because an enum has more
// values than matter.
#pragma once

namespace wddm {

template <class Value, class... Others>
[[nodiscard]] constexpr bool is_any_of(const Value& value, const Others&... others) {
  return ((value == others) || ...);
}

}  // namespace wddm
