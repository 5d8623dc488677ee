#pragma once

#include <string>
#include <vector>

#include "cli/job.h"
#include "cli/sweep_site.h"
#include "machine/cores.h"
#include "spec/flags.h"
#include "spec/sweep.h"

namespace lockstep::cli {

// The sweep with all that it leaves to the zoo and the machine filled in: names as the zoo has
// them, batch sizes, device counts, threads per device and the time of a launch. `devices`: how
// many the hosts have; 0: as many as this machine has cores for. Threads stay 0 where devices are
// not `here`, on this machine: threads_on_hosts asks for them. Throws Error(usage).
spec::Sweep resolve(spec::Sweep sweep, const machine::Allowed& allowed, int devices = 0,
                    bool here = true);

// What a point's flags are on this machine: those of the plan, the devices and the servers.
std::vector<std::string> run_flags(const spec::Point& point);

// What a launch takes beside its timed steps, seconds: about as much on all machines.
inline constexpr double kSecondsBesideSteps = 4;

// What a point's first rank makes of its flags. Throws Error(usage) for flags that do not go
// together and names that nobody knows.
spec::Parsed check_point(const spec::Point& point, const Place& place);

// What it trains, as far as this machine can say: devices of other hosts are taken to be like one
// here. Throws Error also for images that are too small, and for too few cores.
Job job_of_point(const spec::Point& point, const Place& place);

// Leaves the limit without exchange out where its points cannot run, because devices that exchange
// nothing have no network in common to save or to evaluate. Returns the sentence that says so;
// empty: it stays.
std::string drop_refused_ceiling(spec::Sweep& sweep, const Place& place);

// Throws what check_point does for the first point that cannot run. Returns what is to be said of
// the flags, each sentence once.
std::vector<std::string> check_points(const spec::Plan& plan, const Place& place);

}  // namespace lockstep::cli
