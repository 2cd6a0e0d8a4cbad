// Scenario text: a page fault on each of two engines, behind each of what takes from a device all
// that it was programmed with, or part of it.
#pragma once

// The process is the device's own, and ends with it. On a driver with one node what the second is
// to do is skipped.
// clang-format off
#define WDDM_FAULTS(number, on_node) \
  "- create_device: {device: " #number ", process: " #number "}\n" \
  "- create_context: {context: " #number ", device: " #number ", node: " #on_node "}\n" \
  "- create_allocation: {allocation: " #number ", place: local, device: " #number "}\n" \
  "- make_resident: {allocation: " #number "}\n" \
  "- free_address: {allocation: " #number "}\n" \
  "- render: {context: " #number "}\n" \
  "- bind: {slot: 1, allocation: " #number "}\n" \
  "- fill: {slot: 1, offset: 192, size: 64, value: 0x55667788}\n" \
  "- idle\n" \
  "- destroy_device: {device: " #number "}\n"
#define WDDM_FAULTS_ON_TWO WDDM_FAULTS(20, 0) WDDM_FAULTS(21, 1)

#define WDDM_FAULTS_BEHIND_LOSSES \
  "# All that the device was programmed with goes: power, for sleep and for hibernation.\n" \
  "- power_cycle\n" WDDM_FAULTS_ON_TWO \
  "- power_cycle: {hibernate: true}\n" WDDM_FAULTS_ON_TWO \
  "# What each engine was, by a reset of its own.\n" \
  "- each_node: {time_out: true, units: 400}\n" WDDM_FAULTS_ON_TWO \
  "# All of it, by a reset of the adapter in the middle of work, by a stop, and elsewhere.\n" \
  "- each_node: {leave: true, units: 400}\n" \
  "- time_out: {node: 0, adapter: true}\n" WDDM_FAULTS_ON_TWO \
  "- stop\n" \
  "- start\n" WDDM_FAULTS_ON_TWO \
  "- rebalance\n" WDDM_FAULTS_ON_TWO
// clang-format on
