#pragma once

#include <map>
#include <string>

#include "report/sweep_view.h"

namespace lockstep::report {

// A part of a web site.
struct WebFile {
  std::string type;  // "text/html; charset=utf-8"
  std::string content;
};

// The page that shows how far a sweep is, by path: "/" is the page, and complete without scripts.
// With them it asks for "/state.json" (docs/formats.md) and changes what has changed.
std::map<std::string, WebFile> watch_site(const SweepView& view);

}  // namespace lockstep::report
