#include "tests/equivalence/subject.h"

#include "data/synthetic.h"
#include "model/zoo.h"
#include "train/input.h"

namespace lockstep::equivalence {

spec::Trial trial_of(const char* model, int batch) {
  spec::Trial trial;
  trial.model = model;
  trial.batch_size = batch;
  trial.num_batches = 3;
  trial.num_classes = 11;
  trial.optimizer.kind = spec::OptimizerKind::momentum;
  trial.learning_rate.initial = 0.02;
  trial.exchange.fusion_threshold_mb = 0.1;  // several buckets in the smallest of networks
  return trial;
}

model::Graph graph_of(const spec::Trial& trial) {
  return model::build(model::find(trial.model), {.num_classes = trial.num_classes});
}

std::unique_ptr<engine::Engine> compile(const spec::Trial& trial) {
  return compile(trial, graph_of(trial));
}

std::unique_ptr<engine::Engine> compile(const spec::Trial& trial, const model::Graph& graph) {
  engine::Options options;
  options.batch = trial.batch_size;
  options.seed = trial.seed;
  options.conv_algorithm = engine::ConvAlgorithm::direct;  // tolerances are for its rounding
  return engine::compile(graph, options);
}

Shard fill(engine::Engine& engine, const spec::Trial& trial, std::uint64_t first_sample) {
  const data::Images to = train::images_of(engine.images());
  data::fill_images(to, trial.seed, first_sample);
  Shard shard{first_sample, std::vector<int>(static_cast<std::size_t>(to.n))};
  data::fill_labels(shard.labels, trial.num_classes, trial.seed, first_sample);
  return shard;
}

}  // namespace lockstep::equivalence
