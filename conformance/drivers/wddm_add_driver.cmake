# Where wddm_add_driver was before; include conformance/sdk/wddm_add_driver.cmake.
include(${CMAKE_CURRENT_LIST_DIR}/../sdk/wddm_add_driver.cmake)
