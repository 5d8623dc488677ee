#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "machine/clock_source.h"
#include "machine/disk.h"
#include "machine/finding.h"
#include "machine/peak.h"

namespace lockstep::doctor {

using machine::Finding;
using machine::Level;

// What facts about a machine mean for a measurement on it: functions of the facts alone. Figures
// and thresholds are explained in docs/measurement.md.

Finding judge_disk(const machine::Disk& disk);
// `refusal`: why nobody can listen there; empty: it is free.
// `refusal`: why ranks cannot meet there; empty: they can. Of the ports after it, which ranks take
// for data, `free` of `wanted` are.
Finding judge_port(int port, const std::string& refusal, int wanted, int free);
Finding judge_clock_source(const machine::ClockSource& clock);
// Bytes that are set aside, of all.
Finding judge_reserved(std::int64_t reserved, std::int64_t memory);
// `version`: what mpirun says of itself; empty: there is none.
Finding judge_mpi(const std::string& version);
// `gigabytes_per_second` of the one array that is added to: three are moved.
Finding judge_addition(double gigabytes_per_second);
Finding judge_peak(const machine::Peak& peak);
// What is left of the arithmetic of one core when all of them compute.
// `in_guest`: in a virtual machine, whose processors may share a core without saying so.
Finding judge_sharing(const machine::Peak& one, const machine::Peak& all, bool in_guest);

// How the time of the same work spreads, on the thread where it does most.
struct Noise {
  double median = 0;  // seconds
  double p95 = 0;

  double excess() const { return p95 / median - 1; }
};
// Of at least one repetition on each of at least one thread.
Noise noise_of(std::span<const std::vector<double>> threads);
Finding judge_noise(const Noise& noise);

}  // namespace lockstep::doctor
