// Scenario text: what a packet uses moves while the packet is stopped.
#pragma once

// The packet of node 0 is stopped, waits until the allocation lies elsewhere, and is queued again.
// clang-format off
#define WDDM_MOVES_WHILE_STOPPED(number) \
  "- keep_stopped\n" \
  "- preempt: {node: 0}\n" \
  "- advance: {units: 20}\n" \
  "- move: {allocation: " #number "}\n" \
  "- advance: {units: 400}\n" \
  "- keep_stopped: {on: false}\n"
// clang-format on
