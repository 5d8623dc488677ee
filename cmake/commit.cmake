# The commit goes into one source file, so that a new one compiles no more than that. It is asked
# for when the build is configured, which a change of HEAD repeats.
find_package(Git QUIET)
set(lockstep_commit unknown)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --short HEAD
                  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                  RESULT_VARIABLE failed)
  if(NOT failed)
    set(lockstep_commit ${head})
    execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --git-path logs/HEAD
                    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                    OUTPUT_VARIABLE log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    cmake_path(ABSOLUTE_PATH log BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    if(EXISTS ${log})
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${log})
    endif()
  endif()
endif()
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/machine/build.cc PROPERTIES
  COMPILE_DEFINITIONS "LOCKSTEP_COMMIT=\"${lockstep_commit}\";LOCKSTEP_BUILD_TYPE=\"$<CONFIG>\"")
