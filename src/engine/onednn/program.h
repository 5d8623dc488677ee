#pragma once

#include <dnnl.hpp>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "engine/arena.h"
#include "engine/engine.h"

namespace lockstep::engine::onednn {

// Operations that only move numbers: activations and gradients from layer to layer; rows of
// features into and out of dense layers and the loss; weights.
inline constexpr const char* kReorder = "reorder";
inline constexpr const char* kReorderRows = "reorder rows";
inline constexpr const char* kReorderWeights = "reorder weights";

// Where an operand lies, as a number until the whole program is known and its memory planned: which
// buffer of the arena, which parameter, or which float of the moving statistics.
struct Place {
  enum class Region { none, arena, parameters, gradients, statistics };
  Region region = Region::none;
  std::size_t index = 0;
  bool operator==(const Place&) const = default;
};

// A tensor: its layout and its place.
struct Value {
  dnnl::memory::desc desc;
  Place place;
  std::int64_t floats() const { return static_cast<std::int64_t>(desc.get_size() / sizeof(float)); }
};

// The regions' addresses, once memory is there.
struct Memory {
  std::byte* arena = nullptr;
  std::vector<std::size_t> buffers;  // offset of each in the arena, in bytes
  std::vector<std::size_t> offsets;  // of each parameter, in floats
  float* parameters = nullptr;
  float* gradients = nullptr;
  float* statistics = nullptr;

  float* at(const Place& place) const;
  float* at(const Value& value) const { return at(value.place); }
};

// What a step of the program sees of the step of training that it is part of.
struct Call {
  Batch batch;
  double loss = 0;               // heads add to it
  const Ready* ready = nullptr;  // in backward
};

// One operation. `bind` is called once, when memory is there; `run` in every step of training.
struct Step {
  PlannedStep about;
  int layer = 0;
  std::vector<Place> operands;  // all that it reads or writes: decides how long buffers live
  std::optional<Value> output;  // what to look at when a value that is not finite is searched
  std::function<void(const Memory&)> bind;
  std::function<void(const Memory&, Call&)> run;
};

// How a parameter is stored. Plain weights of dense layers are permuted first where the features
// that they read lie in another order: stored feature f is plain feature order[f].
struct Storage {
  dnnl::memory::desc desc;
  std::vector<int> order;
};

struct Program {
  struct Buffer {
    std::size_t bytes = 0;
    bool kept = false;  // lives through the whole step: the caller reads or writes it
  };

  std::vector<Step> forward, backward;
  std::vector<Buffer> buffers;
  std::vector<Parameter> parameters;  // in the order in which backward completes them
  std::vector<Storage> storage;       // of each parameter
  std::size_t parameter_floats = 0;
  std::size_t statistics_floats = 0;
  std::size_t workspace_bytes = 0;  // the most that one of our own convolutions takes
  Place images, logits;
  ImageBuffer image_layout;  // without its data
};

// From each buffer's first operation to its last, counted over forward and then backward.
std::vector<Lifetime> lifetimes(const Program& program);

// Foreign errors become ours: calls `work`, and names the layer when the library throws. Out of
// memory is the machine's fault, anything else is `otherwise`.
template <typename Work>
void translate_errors(const std::string& layer, ExitCode otherwise, const Work& work) {
  try {
    work();
  } catch (const dnnl::error& e) {
    const bool memory = e.status == dnnl_out_of_memory;
    throw Error(memory ? ExitCode::environment : otherwise,
                fmt::format("oneDNN cannot run {}: {}", layer, e.what()),
                "a smaller --batch_size or --image_size may do");
  }
}

dnnl::engine& cpu();
dnnl::stream& stream();

Program compile_program(const model::Graph& graph, const Options& options);

}  // namespace lockstep::engine::onednn
