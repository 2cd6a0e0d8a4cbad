// Scenario text: the page tables that a packet runs with move, leave and come back while the packet
// is stopped.
#pragma once

// A packet of the context adds to two words of the allocation and is stopped between. Once its
// tables have moved they do not come back to where they were: the lowest places are free by then,
// and each may be another table's.
// clang-format off
#define WDDM_TABLES_LEAVE_WHILE_STOPPED(context_number, on_node, number, first_word, second_word) \
  "- render: {context: " #context_number "}\n" \
  "- bind: {slot: 1, allocation: " #number "}\n" \
  "- add: {slot: 1, offset: " #first_word ", value: 1}\n" \
  "- spin: {units: 400}\n" \
  "- add: {slot: 1, offset: " #second_word ", value: 1}\n" \
  "- advance: {units: 10}\n" \
  "- advance: {units: 10}\n" \
  "- advance: {units: 10}\n" \
  "- advance: {units: 100}\n" \
  "- keep_stopped\n" \
  "- preempt: {node: " #on_node "}\n" \
  "- advance: {units: 50}\n" \
  "- move_table: {allocation: " #number ", level: 0}\n" \
  "- advance: {units: 100}\n" \
  "- move_table: {allocation: " #number ", level: 5}\n" \
  "- advance: {units: 100}\n" \
  "- evict_tables: {device: 0}\n" \
  "- advance: {units: 400}\n" \
  "- keep_stopped: {on: false}\n" \
  "- advance: {units: 100}\n" \
  "- idle\n"
// clang-format on
