# lockstep_assets(NAME LIST): the files of src/NAME/assets become functions of the module NAME, such
# as `std::string_view report_css()` for report.css, in a source file that is added to LIST.
# A change of one of them repeats the configuration.
function(lockstep_assets name list)
  set(folder ${PROJECT_SOURCE_DIR}/src/${name}/assets)
  file(GLOB assets CONFIGURE_DEPENDS ${folder}/*)
  if(NOT assets)
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${assets})
  set(code "#include \"${name}/assets.h\"\n\nnamespace lockstep::${name} {\n\n")
  foreach(asset ${assets})
    cmake_path(GET asset FILENAME function)
    string(MAKE_C_IDENTIFIER ${function} function)
    file(READ ${asset} text)
    string(APPEND code "std::string_view ${function}() {\n  return R\"asset(${text})asset\";\n}\n\n")
  endforeach()
  string(APPEND code "}  // namespace lockstep::${name}\n")
  set(generated ${PROJECT_BINARY_DIR}/assets/${name}.cc)
  file(CONFIGURE OUTPUT ${generated} CONTENT "@code@" @ONLY)  # written only where it differs
  set(${list} ${${list}} ${generated} PARENT_SCOPE)
endfunction()
