#pragma once

#include <string>

#include "report/evidence.h"

namespace lockstep::report {

// report.ipynb: a Jupyter notebook, version 4.5, with results.csv in it and code that plots it
// (pandas and matplotlib). Our own figures stand below the code as its output, until it is run.
std::string notebook(const Evidence& evidence);

}  // namespace lockstep::report
