#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/command.h"
#include "launch/launchers.h"
#include "machine/finding.h"

namespace lockstep::doctor {

// What goes between two hosts: ranks that exchange gradients see the same.
struct Link {
  std::string from;
  std::string to;
  double megabytes_per_second = 0;  // each way, both at once
  double round_trip_us = 0;
  std::string failure = {};  // why nothing was measured
};

// The pairs of so many hosts that are measured: neighbours on a ring, which is what most exchanges
// use, and all pairs of up to three.
std::vector<std::pair<std::size_t, std::size_t>> pairs_to_measure(std::size_t hosts);

// `lockstep comm` on both hosts, to be run side by side.
std::vector<launch::Command> link_commands(const spec::Host& from, const spec::Host& to,
                                           const launch::Site& site, const std::string& program);

// What the first of them said.
Link read_link(const std::string& from, const std::string& to, std::string_view said);

// The findings of each link, bandwidth before round trip: what is slow by itself, and what is slow
// beside the other links.
std::vector<std::vector<machine::Finding>> judge_links(std::span<const Link> links);

}  // namespace lockstep::doctor
