// What execute.h tells of a crash that ended a run and not the process.
#pragma once

namespace wddm::host {

/// A run begins: it has not crashed.
void forget_crash();

}  // namespace wddm::host
