// Scenario text: what an engine has comes back and is submitted again so often that it has had
// every place of a queue. Drivers keep theirs in rings of their own size: 256 places are more than
// any needs that announces 16 packets.
#pragma once

// What one unit of GPU time begins is stopped by the next request; with none of it left behind the
// answer nothing has begun by then.
#define WDDM_COMES_BACK(units) \
  "- preempt: {node: 0}\n"     \
  "- advance: {units: " #units "}\n"
#define WDDM_COMES_BACK_4_TIMES(units) \
  WDDM_COMES_BACK(units) WDDM_COMES_BACK(units) WDDM_COMES_BACK(units) WDDM_COMES_BACK(units)
#define WDDM_COMES_BACK_16_TIMES(units) \
  WDDM_COMES_BACK_4_TIMES(units)        \
  WDDM_COMES_BACK_4_TIMES(units) WDDM_COMES_BACK_4_TIMES(units) WDDM_COMES_BACK_4_TIMES(units)
#define WDDM_COMES_BACK_64_TIMES(units) \
  WDDM_COMES_BACK_16_TIMES(units)       \
  WDDM_COMES_BACK_16_TIMES(units) WDDM_COMES_BACK_16_TIMES(units) WDDM_COMES_BACK_16_TIMES(units)
/// The GPU has `units` of its time between the requests.
#define WDDM_HAS_EVERY_PLACE(units) \
  WDDM_COMES_BACK_64_TIMES(units)   \
  WDDM_COMES_BACK_64_TIMES(units) WDDM_COMES_BACK_64_TIMES(units) WDDM_COMES_BACK_64_TIMES(units)
