# Builds the project beside this file with one compiler, in a fresh folder; what must not build is
# tried alone, and must be explained.
#   -DSDK=... -DWORK=... -DC=... -DCXX=...
get_filename_component(here ${CMAKE_CURRENT_LIST_DIR} ABSOLUTE)
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${here} -B ${WORK} -DWDDM_SDK=${SDK}
                        -DCMAKE_C_COMPILER=${C} -DCMAKE_CXX_COMPILER=${CXX}
                ERROR_VARIABLE warned ECHO_ERROR_VARIABLE COMMAND_ERROR_IS_FATAL ANY)
if(NOT warned MATCHES "'OWN_VALUE=2' of" OR warned MATCHES "ASKED_FOR")
  message(FATAL_ERROR "own_value is to be warned of, and of nothing else: ${warned}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK} COMMAND_ERROR_IS_FATAL ANY)
# What is not defined in a driver is taken for a service of the kernel.
execute_process(COMMAND nm -D --undefined-only ${WORK}/c_inline.so OUTPUT_VARIABLE imports)
if(imports MATCHES "Twice")
  message(FATAL_ERROR "c_inline.so has no Twice of its own")
endif()
execute_process(COMMAND nm -D --undefined-only ${WORK}/own_nofence.so OUTPUT_VARIABLE imports)
foreach(service READ_REGISTER_ULONG WRITE_REGISTER_ULONG WRITE_REGISTER_USHORT)
  if(NOT imports MATCHES "${service}")
    message(FATAL_ERROR "own_nofence.so does not come to ${service}: ${imports}")
  endif()
endforeach()
execute_process(COMMAND nm -D --defined-only ${WORK}/client.so OUTPUT_VARIABLE exports)
if(NOT exports MATCHES "^[0-9a-f]+ T WddmClientEntry\n$")
  message(FATAL_ERROR "client.so exports something else: ${exports}")
endif()
# Every resource is found, and not the first alone.
execute_process(COMMAND ${WORK}/walk_resources ${WORK}/resource_walk.so
                COMMAND_ERROR_IS_FATAL ANY)
function(expect_hint target hint)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK} --target ${target}
                  OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE code)
  if(code EQUAL 0 OR NOT said MATCHES "wddm_add_driver: hint: ${hint}")
    message(FATAL_ERROR "${target} is not explained: ${said}")
  endif()
endfunction()
expect_hint(no_such_header "no header has this name")
if(NOT EXISTS ${WORK}/lax_templates.so)
  expect_hint(lax_templates "the Microsoft compiler")
endif()
