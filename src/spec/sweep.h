#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::spec {

// How the batch follows the number of devices: weak keeps that of each device, strong that of all.
enum class Scaling { weak, strong };

// Where a point's images come from: made up; one record of --data_dir for ever, which costs its
// preprocessing but no reading; or all of them.
enum class InputKind { synthetic, cached, real };

// A network and the images that one device takes in a step; 0: the model's own number.
struct ModelBatch {
  std::string model;
  int batch_size = 0;

  bool operator==(const ModelBatch&) const = default;
};

// What was asked for: a list per option. What is empty or 0 where it says so follows from the
// machine; a sweep in which nothing does is resolved.
struct Sweep {
  std::vector<ModelBatch> models;  // empty: those of the sweep without options
  int batch_size = 0;              // of models that name none; 0: the model's own
  std::vector<int> devices;        // ascending; empty: 1, 2, 4, ... up to all that there are
  std::vector<std::string> strategies = {"replicated"};
  std::vector<int> num_ps = {0};  // of strategies with servers
  std::vector<std::string> data_formats = {"auto"};
  std::vector<InputKind> inputs = {};  // side by side; empty: whatever run_flags say
  std::vector<Scaling> scaling = {Scaling::weak};
  bool ceiling = true;         // `independent` beside every count above the smallest
  int threads_per_device = 0;  // the same for all points; 0: as many as the largest count leaves

  int repeats = 3;                         // launches of a point, at least
  std::optional<double> target_precision;  // relative half-width of every point's interval
  std::optional<double> max_time;          // seconds, of the sweep
  std::optional<double> launch_time;       // seconds of timed steps; nothing: chosen
  int retries = 1;                         // of a point whose ranks died
  std::optional<double> point_time_limit;  // seconds, of one launch

  std::string launcher;                          // empty: local, with other hosts ssh
  std::map<std::string, std::string> site;       // what launchers take: hosts, remote_dir, ...
  std::map<std::string, std::string> run_flags;  // of `lockstep run`, for all points

  bool operator==(const Sweep&) const = default;
};

// One thing to measure.
struct Point {
  std::string id;  // names its directory: letters, digits and . _ - % alone
  std::string model;
  int batch_size = 0;  // per device
  int devices = 1;
  int threads_per_device = 0;
  std::string strategy;
  int num_ps = 0;
  std::string data_format;
  std::optional<InputKind> input = {};  // nothing: the sweep does not compare inputs
  std::vector<std::string> flags;       // of `lockstep run`, but for devices, servers and directory

  bool operator==(const Point&) const = default;
};

// A line of the table: a point as part of a series over device counts. Points at which series meet
// (the one device of weak and of strong scaling) are measured once.
struct Row {
  std::size_t point = 0;
  Scaling scaling = Scaling::weak;
  int series_batch = 0;  // what the series keeps: the batch of one device, or of all
  std::optional<std::size_t> baseline =
      {};  // the point that speed-ups refer to; nothing: there is none
  std::optional<std::size_t> ceiling = {};    // the same without exchange
  std::optional<std::size_t> synthetic = {};  // the same with made-up images, where it is not that
  bool is_ceiling = false;                    // there as a limit, not as a choice
};

struct Plan {
  std::vector<Point> points;
  std::vector<Row> rows;
};

// Whether two points do the same work although their strategies differ: on one device there is
// nobody to exchange with, unless servers are ranks of their own or do not wait for all workers.
bool same_work(const Point& a, const Point& b);

// 1, 2, 4, ... below `last`, then `last`.
std::vector<int> doubling(int first, int last);

// More points than this take weeks, however short their launches are: they were not meant.
inline constexpr int kMaxPoints = 100'000;

// Of a resolved sweep. Throws Error(usage) for batches that strong scaling cannot divide, and for
// more than kMaxPoints, which are counted and not made.
Plan expand(const Sweep& sweep);

// A sweep as one JSON object whose keys are flags of `lockstep sweep`; `parse_sweep` reads it back.
inline constexpr int kSweepVersion = 1;
std::string to_json(const Sweep& sweep);

}  // namespace lockstep::spec
