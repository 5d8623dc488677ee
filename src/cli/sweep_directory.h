#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "spec/sweep.h"
#include "stats/sweep.h"

namespace lockstep::cli {

// Where a sweep keeps what it measures:
//
//   sweep.json                          the resolved sweep
//   points/<id>/<launch>/run.json       one finished launch, from 1 on, with its logs and samples
//   points/<id>/<launch>.running/       one that has not ended: worth nothing
//   points/<id>/<launch>.failed/        the last one that failed: for people
//
// A launch is finished when its directory has lost its suffix, which happens at one stroke. So
// these names are all the journal there is, whenever the program ends and however it does.
class SweepDirectory {
 public:
  // Makes the directory, or opens one of the same sweep when that is to be resumed, and locks it.
  // Throws Error(usage) for a directory that has another sweep, this one without `resume`, or that
  // another process works on; Error(environment) for one that cannot be written.
  SweepDirectory(std::filesystem::path path, const spec::Sweep& sweep, bool resume);

  // The sweep, with what was found out about it since.
  void record(const spec::Sweep& sweep) const;

  // The finished launches, by point. What is not a whole result is set aside, with a sentence.
  std::vector<stats::PointRecord> load(const spec::Plan& plan, std::vector<std::string>& warnings);

  // The directory of a launch that is about to start, without what an earlier one left.
  std::filesystem::path begin(const spec::Point& point, int round);
  void finish(const spec::Point& point, int round);
  void drop(const spec::Point& point, int round);  // it was interrupted, and counts for nothing
  // Returns where the evidence is now.
  std::filesystem::path fail(const spec::Point& point, int round);

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path launch(const spec::Point& point, int round, const char* suffix) const;

  std::filesystem::path path_;
  Descriptor lock_;
};

// Whether a process of this machine works in the directory. It does not notice the question.
bool is_worked_on(const std::filesystem::path& directory);

}  // namespace lockstep::cli
