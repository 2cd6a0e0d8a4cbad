// Resets of an engine that was told of nothing: interrupts wait, and where a driver's own threads
// are its GPU those do, so that a packet is still outstanding. They are late then, as on a machine
// whose processors are busy, and wake in the call that resets.
#pragma once

#define WDDM_RENDERS_AND_IS_NOT_TOLD \
  "- render: {context: 6}\n"         \
  "- idle\n"                         \
  "- hold_interrupts\n"              \
  "- render: {context: 6}\n"         \
  "- spin: {units: 1000}\n"          \
  "- render: {context: 6}\n"         \
  "- advance: {units: 100}\n"        \
  "- advance: {units: 100}\n"        \
  "- advance: {units: 100}\n"        \
  "- advance: {units: 100}\n"

// One is in the middle, where a device is the GPU, and one waits behind it.
#define WDDM_RESETS_ENGINE_BEFORE_THREADS                                    \
  "# Interrupts wait, and threads of a driver that are its GPU.\n"           \
  "- create_device: {device: 6}\n"                                           \
  "- create_context: {context: 6, device: 6}\n" WDDM_RENDERS_AND_IS_NOT_TOLD \
  "- time_out: {node: 0}\n"                                                  \
  "- idle\n"

#define WDDM_RESETS_ADAPTER_BEFORE_THREADS                         \
  "# Interrupts wait, and threads of a driver that are its GPU.\n" \
  "- create_context: {context: 6}\n" WDDM_RENDERS_AND_IS_NOT_TOLD  \
  "- time_out: {node: 0, adapter: true}\n"                         \
  "- create_context: {context: 6}\n"                               \
  "- render: {context: 6}\n"                                       \
  "- idle\n"
