# What most files include, compiled once for each way to compile: a third of what compiling takes.
# clang-tidy reads the tree without this, so a file that lacks an include is found. It makes g++ see
# bounds broken where there are none.
add_compile_options(-Wno-array-bounds -Wno-stringop-overflow)
function(lockstep_headers kind)
  file(WRITE ${CMAKE_BINARY_DIR}/headers/${kind}.cc "")
  add_library(lockstep_headers_${kind} OBJECT ${CMAKE_BINARY_DIR}/headers/${kind}.cc)
  target_link_libraries(lockstep_headers_${kind} PRIVATE fmt::fmt)
  target_precompile_headers(lockstep_headers_${kind} PRIVATE
    <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <filesystem> <functional> <map> <memory>
    <numeric> <optional> <set> <span> <string> <string_view> <thread> <utility> <variant> <vector>
    <fmt/format.h> ${ARGN})
endfunction()

# Several files are compiled as one, so that what they all instantiate is compiled once. g++ takes
# them for headers, where a class must not have members of a type that has no name elsewhere.
function(lockstep_compile target kind)
  target_precompile_headers(${target} REUSE_FROM lockstep_headers_${kind})
  if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

set(quickly $<$<CONFIG:Release>:-Og>)

lockstep_headers(hot)
function(lockstep_compile_hot target)
  lockstep_compile(${target} hot)
endfunction()

# What runs once is not worth the time that optimising it takes.
lockstep_headers(cold <nlohmann/json.hpp>)
target_compile_options(lockstep_headers_cold PRIVATE ${quickly})
function(lockstep_compile_cold target)
  target_compile_options(${target} PRIVATE ${quickly})
  lockstep_compile(${target} cold)
endfunction()

# What a test says is not hot; what it tests is compiled as ever.
if(LOCKSTEP_TESTS)
  lockstep_headers(test <gmock/gmock.h> <gtest/gtest.h>)
  target_link_libraries(lockstep_headers_test PRIVATE GTest::gmock)
  target_compile_options(lockstep_headers_test PRIVATE ${quickly})
endif()
function(lockstep_compile_test target)
  target_compile_options(${target} PRIVATE ${quickly})
  lockstep_compile(${target} test)
endfunction()
