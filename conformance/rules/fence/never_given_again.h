// Scenario text: packets that have left an engine and do not come again, and then power is lost. An
// engine that had them last has not completed them, whatever it is asked when power is back.
//
// Nothing else is given to it meanwhile: paging when power goes and comes runs where the driver
// pages. So it is done for one node and for another, of which a driver with one node skips half.
#pragma once

// Two packets are preempted, the first of them in the middle, and stay off: their device comes into
// error on another node. What is left of them is cancelled.
// clang-format off
#define WDDM_PREEMPTED_FOR_GOOD(device_and_context, on_node, other_context, other_node) \
  "- create_device: {device: " #device_and_context "}\n" \
  "- create_context: {context: " #device_and_context ", device: " #device_and_context \
  ", node: " #on_node "}\n" \
  "- create_context: {context: " #other_context ", device: " #device_and_context \
  ", node: " #other_node "}\n" \
  "- render: {context: " #device_and_context "}\n" \
  "- render: {context: " #other_context "}\n" \
  "- idle\n" \
  "- queue_depth: {packets: 2}\n" \
  "- render: {context: " #device_and_context "}\n" \
  "- spin: {units: 300}\n" \
  "- render: {context: " #device_and_context "}\n" \
  "- spin: {units: 5}\n" \
  "- advance: {units: 10}\n" \
  "- advance: {units: 10}\n" \
  "- advance: {units: 40}\n" \
  "- keep_stopped\n" \
  "- preempt: {node: " #on_node "}\n" \
  "- advance: {units: 40}\n" \
  "- render: {context: " #other_context "}\n" \
  "- spin: {units: 3000}\n" \
  "- advance: {units: 20}\n" \
  "- advance: {units: 20}\n" \
  "- advance: {units: 100}\n" \
  "- time_out: {node: " #other_node "}\n" \
  "- keep_stopped: {on: false}\n" \
  "- queue_depth: {packets: 1}\n" \
  "- idle\n" \
  "- query_fence: {node: 0}\n" \
  "- query_fence: {node: 1}\n"
// The first of three packets hangs, and with it their device: the others have left by the reset.
#define WDDM_RESET_FOR_GOOD(device_and_context, on_node) \
  "- create_device: {device: " #device_and_context "}\n" \
  "- create_context: {context: " #device_and_context ", device: " #device_and_context \
  ", node: " #on_node "}\n" \
  "- render: {context: " #device_and_context "}\n" \
  "- idle\n" \
  "- queue_depth: {packets: 3}\n" \
  "- render: {context: " #device_and_context "}\n" \
  "- spin: {units: 3000}\n" \
  "- render: {context: " #device_and_context "}\n" \
  "- spin: {units: 5}\n" \
  "- render: {context: " #device_and_context "}\n" \
  "- advance: {units: 20}\n" \
  "- advance: {units: 20}\n" \
  "- advance: {units: 100}\n" \
  "- time_out: {node: " #on_node "}\n" \
  "- queue_depth: {packets: 1}\n" \
  "- idle\n"
#define WDDM_SAYS_WHAT_IT_COMPLETED(on_node) \
  "- query_fence: {node: " #on_node "}\n" \
  "- preempt: {node: " #on_node "}\n" \
  "- idle\n" \
  "- query_fence: {node: " #on_node "}\n"

#define WDDM_PREEMPTED_BEFORE_POWER_IS_LOST \
  WDDM_PREEMPTED_FOR_GOOD(30, 1, 31, 0)     \
  "- power_cycle\n"                         \
  WDDM_SAYS_WHAT_IT_COMPLETED(1)            \
  WDDM_PREEMPTED_FOR_GOOD(32, 0, 33, 1)     \
  "- power_cycle: {hibernate: true}\n"      \
  WDDM_SAYS_WHAT_IT_COMPLETED(0)

#define WDDM_RESET_BEFORE_POWER_IS_LOST \
  WDDM_RESET_FOR_GOOD(30, 1)            \
  "- power_cycle\n"                     \
  "- query_fence: {node: 1}\n"          \
  WDDM_RESET_FOR_GOOD(31, 0)            \
  "- power_cycle: {above: 1}\n"         \
  "- query_fence: {node: 0}\n"
// clang-format on
