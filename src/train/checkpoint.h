#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/bytes.h"
#include "model/graph.h"
#include "spec/trial.h"

namespace lockstep::train {

// All that training needs to go on from where it was, in no engine's own layout and of no number of
// ranks: whatever strategy wrote it, any can read it. docs/formats.md has the file.
struct Checkpoint {
  struct Tensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<float> values;  // row-major

    bool operator==(const Tensor&) const = default;
  };

  std::string model, dataset;
  std::string optimizer;  // as --optimizer names it
  std::uint64_t seed = 0;
  std::int64_t step = 0;     // how many have been done
  std::uint64_t images = 0;  // how many they took, on all ranks
  double squares = 0;        // of the decaying parameters, as the next step's loss has them
  std::vector<Tensor> tensors = {};

  // Null: there is none.
  const Tensor* find(std::string_view name) const;

  bool operator==(const Checkpoint&) const = default;
};

// Names of tensors: a parameter's own, "conv1/weights:momentum" of what the optimiser keeps of it,
// and that of batch norm's moving averages.
std::string slot_name(std::string_view parameter, std::string_view slot);
inline constexpr std::string_view kMovingStatistics = "batch_norm:moving_statistics";

// DIRECTORY/checkpoint-STEP. On the disk when it returns; a reader sees all of it or nothing. Then
// the oldest ones go until there are no more than `keep` (0: all stay). What a process that was
// killed left of an unfinished one goes, too. Throws Error(environment).
void write_checkpoint(const std::filesystem::path& directory, const Checkpoint& checkpoint,
                      int keep);

// That of the highest step; nothing: there is none. Throws Error(environment) for a directory that
// cannot be read.
std::optional<std::filesystem::path> latest_checkpoint(const std::filesystem::path& directory);

// Throws Error(usage), with the place, for a file that is damaged, cut off, or none of ours.
Checkpoint read_checkpoint(const std::filesystem::path& file);
// The same of bytes that were read; the path is what errors call them.
Checkpoint parse_checkpoint(data::Bytes bytes, const std::filesystem::path& file);

// Throws Error(usage) for a checkpoint of another network or, in training, of another optimiser.
void require_fit(const Checkpoint& checkpoint, const std::filesystem::path& file,
                 const spec::Trial& trial, const model::Graph& graph);

}  // namespace lockstep::train
