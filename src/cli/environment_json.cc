#include "cli/environment_json.h"

#include "engine/engine.h"

namespace lockstep::cli {

machine::Environment whole_environment() {
  machine::Environment environment = machine::environment();
  environment.libraries.push_back(engine::library());
  return environment;
}

nlohmann::ordered_json environment_json(const machine::Environment& e) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  const auto text = [&](const char* key, const std::string& value) {
    if (!value.empty()) json[key] = value;
  };
  const auto number = [&](const char* key, auto value) {
    if (value != 0) json[key] = value;
  };
  text("host_name", e.host_name);
  text("cpu_model", e.cpu_model);
  number("num_cpus", e.cpus);
  number("physical_cores", e.physical_cores);
  number("numa_nodes", e.numa_nodes);
  text("instruction_set", e.instruction_set);
  number("mhz_max", e.mhz_max);
  text("governor", e.governor);
  text("turbo", e.turbo);
  text("huge_pages", e.huge_pages);
  number("memory_bytes", e.memory_bytes);
  number("memory_available_bytes", e.memory_available_bytes);
  number("cpu_quota", e.cpu_quota);
  text("affinity", e.affinity);
  json["load_average"] = e.load_average;
  text("container", e.container);
  text("kernel", e.kernel);
  text("compiler", e.compiler);
  text("build", e.build);
  json["libraries"] = e.libraries;
  return json;
}

}  // namespace lockstep::cli
