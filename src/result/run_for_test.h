#pragma once

#include <string>

#include "base/files.h"
#include "base/json.h"
#include "spec/sweep.h"

namespace lockstep::result {

// The run.json of golden/ as a launch of this point would have written it.
inline std::string run_json_for(const spec::Point& point) {
  auto run = parse_json(read_file(LOCKSTEP_SOURCE_DIR "/src/result/golden/run.json"));
  run["config"]["model"] = point.model;
  run["config"]["batch_size"] = point.batch_size;
  run["config"]["exchange"]["variable_update"] = point.strategy;
  run["config"]["exchange"]["num_ps"] = point.num_ps;
  const auto repeat = [&](const char* key, int times) {
    run[key] = std::vector<nlohmann::json>(static_cast<std::size_t>(times), run[key][0]);
  };
  repeat("ranks", point.devices);
  repeat("servers", point.num_ps);
  return run.dump();
}

// "lenet", of 4 images on each of these devices.
inline std::string run_json_of_lenet(int devices, const std::string& strategy = "replicated") {
  return run_json_for({.id = {},
                       .model = "lenet",
                       .batch_size = 4,
                       .devices = devices,
                       .strategy = strategy,
                       .data_format = "auto",
                       .flags = {}});
}

}  // namespace lockstep::result
