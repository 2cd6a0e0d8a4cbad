// Resets of engines whose fences come to the end of 31 or 32 bits between the last packet that has
// completed and the one that is aborted.
#pragma once

// Each request to preempt takes a number and gives the packet a new one, so that there are seven
// between its first and its last. Numbers are of the engine: paging before may have taken some.
#define WDDM_RESET_BEHIND_THE_END_IN(slot, node_number)                           \
  "- create_device: {device: " #slot                                              \
  "}\n"                                                                           \
  "- create_context: {context: " #slot ", device: " #slot ", node: " #node_number \
  "}\n"                                                                           \
  "- render: {context: " #slot                                                    \
  "}\n"                                                                           \
  "- idle\n"                                                                      \
  "- render: {context: " #slot                                                    \
  "}\n"                                                                           \
  "- spin: {units: 3000}\n"                                                       \
  "- advance: {units: 100}\n"                                                     \
  "- preempt: {node: " #node_number                                               \
  "}\n"                                                                           \
  "- advance: {units: 40}\n"                                                      \
  "- preempt: {node: " #node_number                                               \
  "}\n"                                                                           \
  "- advance: {units: 40}\n"                                                      \
  "- preempt: {node: " #node_number                                               \
  "}\n"                                                                           \
  "- advance: {units: 40}\n"                                                      \
  "- advance: {units: 100}\n"                                                     \
  "- time_out: {node: " #node_number                                              \
  "}\n"                                                                           \
  "- query_fence: {node: " #node_number                                           \
  "}\n"                                                                           \
  "- preempt: {node: " #node_number                                               \
  "}\n"                                                                           \
  "- idle\n"

#define WDDM_RESETS_BEHIND_THE_END_FROM(number) \
  "- stop\n"                                    \
  "- first_fence: {fence: " #number             \
  "}\n"                                         \
  "- start\n" WDDM_RESET_BEHIND_THE_END_IN(1, 0) WDDM_RESET_BEHIND_THE_END_IN(3, 1)

// On a driver with one node what the second one does is skipped.
#define WDDM_RESETS_BEHIND_THE_END_OF_NUMBERS                   \
  "# Numbers grow from below the middle of 32 bits, and begin " \
  "anew.\n" WDDM_RESETS_BEHIND_THE_END_FROM(0x7ffffff9)         \
      WDDM_RESETS_BEHIND_THE_END_FROM(0xfffffff9)
