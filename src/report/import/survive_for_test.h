#pragma once

#include <string_view>

namespace lockstep::report {

// Imports the text as a file of each format, as far as it goes. Ends the program where what comes
// of it could not be read back; a refusal is as good as anything.
void survive_import(std::string_view text);

}  // namespace lockstep::report
