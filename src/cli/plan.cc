#include "cli/plan.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/table.h"
#include "base/text.h"

namespace lockstep::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string plan_as_json(const engine::PlanSummary& plan) {
  Json steps = Json::array();
  for (const engine::PlannedStep& step : plan.steps) {
    steps.push_back({{"pass", step.pass},
                     {"layer", step.layer},
                     {"operation", step.operation},
                     {"implementation", step.implementation},
                     {"layout", step.layout}});
  }
  const Json out = {{"steps", std::move(steps)},
                    {"reorders_of_data", plan.reorders_of_data},
                    {"reorders_of_rows", plan.reorders_of_rows},
                    {"reorders_of_weights", plan.reorders_of_weights},
                    {"arena_bytes", plan.arena_bytes},
                    {"unshared_bytes", plan.unshared_bytes},
                    {"parameter_bytes", plan.parameter_bytes}};
  return out.dump(2) + '\n';
}

std::string plan_as_table(const engine::PlanSummary& plan) {
  using Align = Table::Align;
  Table table({{"#", Align::right},
               {"pass", Align::left},
               {"layer", Align::left},
               {"operation", Align::left},
               {"implementation", Align::left},
               {"writes", Align::left}});
  int number = 0;
  for (const engine::PlannedStep& step : plan.steps) {
    table.add({fmt::format("{}", ++number), step.pass, step.layer, step.operation,
               step.implementation, step.layout});
  }
  return table.text() +
         fmt::format(
             "\noperations: {}\n"
             "reorders of activations and gradients between layers: {}\n"
             "reorders of rows of features at dense layers and the loss: {}\n"
             "reorders of weights: {}\n"
             "memory for activations, gradients and scratch: {} (without reuse: {})\n"
             "memory for parameters: {}, once each for values, gradients and the optimizer's "
             "slots\n",
             plan.steps.size(), plan.reorders_of_data, plan.reorders_of_rows,
             plan.reorders_of_weights, human_bytes(double(plan.arena_bytes)),
             human_bytes(double(plan.unshared_bytes)), human_bytes(double(plan.parameter_bytes)));
}

}  // namespace

std::string show_plan(const engine::PlanSummary& plan, bool json) {
  return json ? plan_as_json(plan) : plan_as_table(plan);
}

}  // namespace lockstep::cli
