# GPU virtual addresses, residency and processes of GpuMmu, as pure state machines.
add_library(wddm_gpuva STATIC
  companion_queue.cpp
  fault_outcome.cpp
  process.cpp
  device_residency.cpp
  residency_client.cpp
  residency_memory.cpp
  va_map.cpp
  va_ranges.cpp
  va_update.cpp)

# The exhaustive tests try hundreds of thousands of lists; unoptimised they would take too long.
set(optimise_debug $<$<AND:$<CONFIG:Debug>,$<NOT:$<BOOL:${WDDM_SANITIZE}>>>:-O2>)
target_compile_options(wddm_gpuva PRIVATE ${optimise_debug})

add_executable(gpuva_tests
  tests/companion_queue_test.cpp
  tests/fault_outcome_test.cpp
  tests/process_test.cpp
  tests/residency_client_test.cpp
  tests/residency_property_test.cpp
  tests/device_residency_test.cpp
  tests/va_ranges_property_test.cpp
  tests/va_ranges_test.cpp
  tests/va_update_test.cpp)
set_source_files_properties(tests/residency_property_test.cpp tests/va_ranges_property_test.cpp
                            PROPERTIES COMPILE_OPTIONS "${optimise_debug}")
target_link_libraries(gpuva_tests PRIVATE wddm_gpuva rapidcheck rapidcheck_gtest GTest::gtest_main)
wddm_discover_tests(gpuva_tests
                     PROPERTIES ENVIRONMENT "RC_PARAMS=seed=20 max_success=200")

if(WDDM_BENCHMARKS)
  add_executable(gpuva_bench bench/va_ranges_bench.cpp)
  target_link_libraries(gpuva_bench PRIVATE wddm_gpuva benchmark::benchmark_main)
endif()
