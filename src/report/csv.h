#pragma once

#include <string>
#include <string_view>

namespace lockstep::report {

// A field of a CSV file that is a text. One that a spreadsheet would take for a formula (it starts
// with =, +, -, @, a tab or a carriage return) gets an apostrophe before it, which spreadsheets do
// not show; `text_of_csv` takes it off again. Quoted as RFC 4180 has it.
std::string csv_text(std::string_view text);

// The text of a field without its quotes.
std::string text_of_csv(std::string_view field);

}  // namespace lockstep::report
