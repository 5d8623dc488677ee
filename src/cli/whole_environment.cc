#include "cli/whole_environment.h"

#include "engine/engine.h"

namespace lockstep::cli {

machine::Environment whole_environment() {
  machine::Environment environment = machine::environment();
  environment.libraries.push_back(engine::library());
  return environment;
}

}  // namespace lockstep::cli
