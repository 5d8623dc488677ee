#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/membership.h"
#include "data/source.h"
#include "engine/engine.h"
#include "machine/environment.h"
#include "model/zoo.h"
#include "spec/trial.h"
#include "train/checkpoint.h"
#include "train/input.h"
#include "train/worker.h"

namespace lockstep::cli {

// A trial with everything that follows from it before anything is compiled.
struct Job {
  spec::Trial trial;  // names and sizes resolved: what a result carries
  const model::Model* model = nullptr;
  model::Graph graph;
  std::int64_t batches = 0;                 // timed steps, unless something ends the run earlier
  std::vector<std::vector<int>> placement;  // the processors of each device's team

  bool oversubscribed = false;  // more devices than cores: they take turns

  std::vector<int> processors() const;  // of all devices, ascending

  Membership member;

  // Of --data_dir; nothing: made-up images, or a process that trains nothing.
  std::optional<data::Index> index;
  std::int64_t examples = 0;          // of an epoch
  std::vector<int> spare_processors;  // that no device of this host has

  // What open_files found.
  std::shared_ptr<const data::Source> source;
  std::shared_ptr<const train::Checkpoint> checkpoint;

  std::int64_t global_batch() const { return std::int64_t{trial.batch_size} * member.workers; }
  bool training() const { return trial.mode == spec::Mode::training; }
  bool evaluates_during_training() const {
    return training() && !trial.data.dir.empty() && trial.evaluation.during_training();
  }
};
// Throws Error(usage) for a model that is not there, images that are too small for it or more
// threads than cores. Call it before the thread joins a team.
Job make_job(spec::Trial trial, const Membership& member);

// What models call the images of a dataset's format; empty: any of theirs.
std::string dataset_of(const data::Index& index);

// Opens the dataset, and reads the checkpoint that training goes on from or that is evaluated.
// Throws Error(usage) where they are damaged or do not fit.
void open_files(Job& job);

engine::Options engine_options(const Job& job);
// Of the engine beside it that evaluates during training.
engine::Options evaluator_options(const Job& job);

// The way of a device's input to the dataset.
train::Feed feed_of(const Job& job, std::size_t device);

// Of a run that only evaluates: every image counts once, the last batch being part of one.
train::Score score_of(const Job& job, const train::Outcome& outcome);

}  // namespace lockstep::cli
