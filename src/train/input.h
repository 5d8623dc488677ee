#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/pipeline.h"
#include "engine/engine.h"
#include "spec/trial.h"

namespace lockstep::train {

// A rank's way to a dataset, and what its input may take for itself.
struct Feed {
  const data::Source* source = nullptr;  // none: made-up images
  int threads = 1;
  std::vector<int> cores = {};  // where they may run
};

data::Images images_of(const engine::ImageBuffer& buffer);

// How records of a split become the images of a network with so many outputs. Throws Error(usage)
// where the labels do not fit them.
data::PipelineOptions pipeline_options(const spec::Trial& trial, const Feed& feed,
                                       data::Split split, const data::Images& images, int outputs);

// Where a rank's batches come from: a dataset, or a batch of made-up images that stays the same,
// labels too.
class Input {
 public:
  Input(const spec::Trial& trial, const Feed& feed, data::Split split, const data::Images& images,
        int outputs, const data::Itinerary& itinerary);

  // Fills the images that it was given; their labels.
  std::span<const int> next();

  data::InputTimes take_times();  // since the last call

 private:
  const data::Images images_;
  std::vector<int> labels_;
  std::optional<data::Pipeline> pipeline_;
};

}  // namespace lockstep::train
