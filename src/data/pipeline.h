#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "data/images.h"
#include "data/preprocess.h"
#include "data/source.h"

namespace lockstep::data {

// Which images a rank takes, and when. Positions are counted over all ranks and steps, as Order
// does: image i of this rank's k-th batch is at first + k * stride + i.
struct Itinerary {
  std::uint64_t first = 0;   // step * global batch + rank * batch
  std::uint64_t stride = 0;  // the global batch
  int batch = 1;
  std::optional<std::uint64_t> shuffle_seed = {};  // nothing: the order of the files
};

struct PipelineOptions {
  Split split = Split::train;
  Preprocessing preprocessing = {};
  std::int32_t label_shift = 0;       // subtracted from every label
  int threads = 1;                    // that read, decode and resize
  std::vector<int> cores = {};        // where they may run; empty: where the caller of next() may
  int prefetch = 2;                   // batches that are ready ahead
  bool cache = false;                 // keep the records' bytes in memory
  bool repeat_cached_sample = false;  // the first record, for ever: preprocessing without reading
  bool skip_corrupt = false;          // go on without damaged records, and count them
};

// Seconds that each stage took, summed over all threads, and what came of it.
struct InputTimes {
  double read = 0;      // records from files, checksums and all; not waiting for a core
  double decode = 0;    // from compressed bytes to pixels; processor time
  double assemble = 0;  // from pixels to the network's input; processor time
  // All else that the threads do for an image: locks, waking each other, these clocks; processor
  // time. Small images cost little else.
  double hand_over = 0;
  double waited = 0;  // what next() took: training stood still
  std::uint64_t images = 0, skipped = 0;
};

// Batches of a dataset, made by threads of its own while training goes on. What is in a batch is a
// function of the itinerary and the seed alone, however many threads make it.
//
// The threads yield to all others that want their cores. Training that has none to spare for them
// runs at its own pace until a batch is missing, and then waits for no longer than decoding takes;
// threads as important as its own would hold up a team in the middle of a layer, and each of its
// threads would wait for the one that lost its core.
class Pipeline {
 public:
  Pipeline(const Source& source, const Itinerary& itinerary, const PipelineOptions& options);
  ~Pipeline();

  // The next batch, written where the engine wants it, which is always in the same layout: the
  // first call tells it and starts the threads. Throws Error(usage) for a record that cannot be
  // used, with file and offset.
  void next(const Images& images, std::span<int> labels);

  InputTimes take_times();  // since the last call

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep::data
