# lockstep_module(NAME [COLD] [APART regex] DEPENDS module... LIBRARIES target... [RANKS n...])
#
# A module is a folder of src/: its .cc files make the library lockstep_NAME, its *_test.cc files
# the test program NAME_test. DEPENDS is the module's row in the table of layers. COLD: nothing in it
# runs in every step. Files are compiled several at a time, so that two of them must not give one name
# to two things, not even in namespaces without a name. APART: which files do, and are compiled one by
# one. RANKS: the test program runs under mpirun, once with each number of ranks.
function(lockstep_module name)
  cmake_parse_arguments(arg "COLD" "APART" "DEPENDS;LIBRARIES;RANKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  lockstep_assets(${name} sources)
  if(arg_APART)
    set(apart ${sources} ${tests})
    list(FILTER apart INCLUDE REGEX ${arg_APART})
    set_source_files_properties(${apart} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  list(TRANSFORM arg_DEPENDS PREPEND lockstep_)
  if(sources)
    add_library(lockstep_${name} STATIC ${sources})
    target_include_directories(lockstep_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(lockstep_${name} PUBLIC ${arg_DEPENDS} ${arg_LIBRARIES})
    if(arg_COLD)
      lockstep_compile_cold(lockstep_${name})
    else()
      lockstep_compile_hot(lockstep_${name})
    endif()
  else()
    add_library(lockstep_${name} INTERFACE)
    target_include_directories(lockstep_${name} INTERFACE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(lockstep_${name} INTERFACE ${arg_DEPENDS} ${arg_LIBRARIES})
  endif()
  if(LOCKSTEP_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE lockstep_${name} GTest::gmock GTest::gtest_main)
    target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR})  # tests/golden.h
    lockstep_compile_test(${name}_test)
    target_compile_definitions(${name}_test PRIVATE LOCKSTEP_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    if(arg_RANKS)
      lockstep_mpirun_tests(${name} ${arg_RANKS})
    else()
      # One label: discovery takes no list of them. What a test finds out about files stays here.
      gtest_discover_tests(${name}_test NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60
                           PROPERTIES LABELS fast-${name}
                                      ENVIRONMENT XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/cache)
    endif()
  endif()
endfunction()

# All ranks run all tests of NAME_test in the same order; one that fails alone leaves the others
# waiting until the time is up. mpirun may ignore a polite signal, so an impolite one follows.
function(lockstep_mpirun_tests name)
  foreach(ranks ${ARGN})
    set(test ${name}_test_${ranks}_ranks)
    add_test(NAME ${test}
             COMMAND timeout -k 5 60 ${MPIEXEC_EXECUTABLE} --allow-run-as-root --oversubscribe
                     --bind-to none -np ${ranks} $<TARGET_FILE:${name}_test> --gtest_brief=1)
    # Open MPI keeps what it allocates. More ranks than cores: one thread each.
    set_tests_properties(${test} PROPERTIES LABELS fast-${name}
                         ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0;OMP_NUM_THREADS=1")
  endforeach()
endfunction()

# lockstep_program(NAME PROGRAM program ...): a module whose main.cc makes the program; all else in it
# is a library, so that tests can link it. It looks for libraries beside itself first, as do they: a
# copy on another host brings its own. Only the old kind of path (no RUNPATH) is theirs, too.
function(lockstep_program name)
  cmake_parse_arguments(arg "" "PROGRAM" "" ${ARGN})
  lockstep_module(${name} ${arg_UNPARSED_ARGUMENTS})
  add_executable(${arg_PROGRAM} ${PROJECT_SOURCE_DIR}/src/${name}/main.cc)
  target_link_libraries(${arg_PROGRAM} PRIVATE lockstep_${name})
  lockstep_compile_cold(${arg_PROGRAM})
  target_link_options(${arg_PROGRAM} PRIVATE LINKER:--disable-new-dtags)
  set_target_properties(${arg_PROGRAM} PROPERTIES BUILD_RPATH "$ORIGIN")
endfunction()
