// What mutated sources call at their mutation points. They are compiled as drivers are, so nothing
// is included here.
//
// A point counts as reached only where its mutant would do something else: a border that is moved
// matters for equal operands alone, a sum for operands that are not 0.
#pragma once

#include "conformance/mutants/mutant_control.h"

extern "C" WddmMutantControl* wddm_mutant_control;

namespace wddm_mutants {

inline bool reached(unsigned number) {
  wddm_mutant_control->reached[number] = 1;
  return false;
}
inline bool plays(unsigned number) {
  const unsigned active = wddm_mutant_control->active;
  return active == number || (active == WDDM_RECORD_REACHED && reached(number));
}
template <class T>
T choose(unsigned number, T original, T mutated) {
  return original != mutated && plays(number) ? mutated : original;
}

// The borders of relations.
template <class A, class B>
bool less(unsigned number, const A& a, const B& b) {
  return choose<bool>(number, a < b, a <= b);
}
template <class A, class B>
bool less_equal(unsigned number, const A& a, const B& b) {
  return choose<bool>(number, a <= b, a < b);
}
template <class A, class B>
bool greater(unsigned number, const A& a, const B& b) {
  return choose<bool>(number, a > b, a >= b);
}
template <class A, class B>
bool greater_equal(unsigned number, const A& a, const B& b) {
  return choose<bool>(number, a >= b, a > b);
}

// Sums and differences exchanged. The type is that of the expression.
template <class A, class B>
auto plus(unsigned number, A a, B b) -> decltype(a + b) {
  return choose<decltype(a + b)>(number, a + b, a - b);
}
template <class A, class B>
auto minus(unsigned number, A a, B b) -> decltype(a - b) {
  return choose<decltype(a - b)>(number, a - b, a + b);
}

/// A value that is off by some.
template <class T>
T off(unsigned number, T value, long long by) {
  return choose<T>(number, value, static_cast<T>(value + static_cast<T>(by)));
}

}  // namespace wddm_mutants

#define WDDM_MUTANT(number) (::wddm_mutants::plays(number))
