#include "result/environment.h"

#include <concepts>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"

namespace lockstep::result {
namespace {

// Whether an empty field is a value of its own: an idle machine has a load of 0.
enum class Empty { unknown, known };

// Calls visit(key, field, empty) for every field. The structured binding names all of them, so that
// a new one that is not listed here does not compile.
template <typename Environment, typename Visit>
void visit_fields(Environment& environment, const Visit& visit) {
  auto& [host_name, cpu_model, cpus, physical_cores, numa_nodes, instruction_set, mhz_max, governor,
         turbo, huge_pages, memory_bytes, memory_available_bytes, cpu_quota, affinity, load_average,
         container, hypervisor, kernel, compiler, build, libraries] = environment;
  static_cast<void>(hypervisor);  // `container` names it, too
  using enum Empty;
  visit("host_name", host_name, unknown);
  visit("cpu_model", cpu_model, unknown);
  visit("num_cpus", cpus, unknown);
  visit("physical_cores", physical_cores, unknown);
  visit("numa_nodes", numa_nodes, unknown);
  visit("instruction_set", instruction_set, unknown);
  visit("mhz_max", mhz_max, unknown);
  visit("governor", governor, unknown);
  visit("turbo", turbo, unknown);
  visit("huge_pages", huge_pages, unknown);
  visit("memory_bytes", memory_bytes, unknown);
  visit("memory_available_bytes", memory_available_bytes, unknown);
  visit("cpu_quota", cpu_quota, unknown);
  visit("affinity", affinity, unknown);
  visit("load_average", load_average, known);
  visit("container", container, unknown);
  visit("kernel", kernel, unknown);
  visit("compiler", compiler, unknown);
  visit("build", build, unknown);
  visit("libraries", libraries, known);
}

}  // namespace

nlohmann::ordered_json to_json(const machine::Environment& environment) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  visit_fields(environment, [&](const char* key, const auto& field, Empty empty) {
    if (empty == Empty::known || field != std::remove_cvref_t<decltype(field)>()) json[key] = field;
  });
  return json;
}

machine::Environment environment_from_json(const nlohmann::json& object) {
  machine::Environment environment;
  visit_fields(environment, [&](const char* key, auto& field, Empty) {
    if (!object.contains(key) || object.at(key).is_null()) return;
    field = json_value<std::remove_cvref_t<decltype(field)>>(object, key);
  });
  return environment;
}

std::string in_one_line(const machine::Environment& environment) {
  std::vector<std::string> parts;
  for (const std::string& name : {environment.host_name, environment.cpu_model}) {
    if (!name.empty()) parts.push_back(name);
  }
  if (environment.physical_cores > 0) {
    parts.push_back(counted(environment.physical_cores, "core"));
  }
  return join(parts, ", ");
}

}  // namespace lockstep::result
