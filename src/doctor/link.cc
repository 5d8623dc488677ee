#include "doctor/link.h"

#include <fmt/format.h>

#include <algorithm>

#include "doctor/examination.h"
#include "launch/ranks.h"
#include "launch/remote.h"
#include "spec/cluster.h"

namespace lockstep::doctor {
namespace {

using machine::Finding;
using machine::Level;

constexpr double kSlow = 100;      // MB/s: less than what a link of a gigabit carries
constexpr double kFar = 1000;      // us
constexpr double kUneven = 0.5;    // of the fastest link
constexpr std::size_t kSmall = 8;  // bytes: a float of each rank
constexpr std::size_t kLarge = 8 << 20;

std::vector<std::string> comm_words(const std::string& program) {
  return {program,
          "comm",
          "--operation=all_gather",
          "--algorithms=direct",
          fmt::format("--sizes={},{}", kSmall, kLarge),
          "--iterations=9",
          "--nocheck",
          "--devices=1",
          "--num_intra_threads=1",
          "--start_timeout=15",
          "--deadline=15",
          "--json"};
}

Finding bandwidth(const Link& link, double fastest) {
  Finding finding{
      .subject = "bandwidth",
      .value = link.megabytes_per_second,
      .unit = "MB/s",
      .sentence = fmt::format("each way, both at once, between {} and {}", link.from, link.to),
      .peer = link.to};
  if (link.megabytes_per_second < kUneven * fastest) {
    finding.level = Level::warning;
    finding.sentence += fmt::format(", where another link has {:.0f}", fastest);
    finding.remedy = "look for a slow port, cable or network; --network_interface chooses one";
  } else if (link.megabytes_per_second < kSlow) {
    finding.level = Level::warning;
    finding.sentence += ": gradients of large networks will wait for it";
    finding.remedy = "use a faster network; --network_interface chooses one";
  }
  return finding;
}

Finding round_trip(const Link& link) {
  Finding finding{.subject = "round trip",
                  .value = link.round_trip_us,
                  .unit = "us",
                  .sentence = fmt::format("between ranks on {} and {}", link.from, link.to),
                  .peer = link.to};
  if (link.round_trip_us > kFar) {
    finding.level = Level::warning;
    finding.sentence += ": every exchange waits several times as long";
    finding.remedy = "use hosts that are close to each other, and stop other work on them";
  }
  return finding;
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> pairs_to_measure(std::size_t hosts) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t host = 0; host + 1 < hosts; ++host) pairs.emplace_back(host, host + 1);
  if (hosts > 2) pairs.emplace_back(hosts - 1, 0);
  return pairs;
}

std::vector<launch::Command> link_commands(const spec::Host& from, const spec::Host& to,
                                           const launch::Site& site, const std::string& program) {
  const std::vector<const spec::Host*> hosts = {&from, &to};
  const std::string meeting = to_string(spec::Address{from.address, site.port});
  std::vector<launch::Command> commands;
  for (const launch::Rank& rank : launch::ranks({{1, 1}, {0, 0}}, meeting)) {
    const spec::Host& host = *hosts[rank.host];
    const launch::Command comm{
        .name = host.name,
        .argv = comm_words(is_apart(host, site) ? remote_program(site) : program),
        .environment = rank.environment};
    commands.push_back(
        {.name = host.name,
         .host = host.name,
         .argv = on_host(host, site.ssh, launch::run_ranks_until_input_ends({shell_line(comm)})),
         .token = launch::Command::Token::input,
         .ends_with_input = true});
  }
  return commands;
}

Link read_link(const std::string& from, const std::string& to, std::string_view said) {
  Link link{.from = from, .to = to};
  const nlohmann::ordered_json document = object_in(said);
  try {
    if (document.contains("error")) {
      link.failure = document.at("error").at("message").get<std::string>();
      return link;
    }
    for (const auto& row : document.at("rows")) {
      if (row.at("bytes") == kSmall) {
        link.round_trip_us = 2 * row.at("time_us").get<double>();
      } else {
        link.megabytes_per_second = 1e3 * row.at("busbw_GBps").get<double>();
      }
    }
  } catch (const nlohmann::ordered_json::exception&) {
    link.failure = cause_in(said);
  }
  return link;
}

std::vector<std::vector<Finding>> judge_links(std::span<const Link> links) {
  double fastest = 0;
  for (const Link& link : links) fastest = std::max(fastest, link.megabytes_per_second);
  std::vector<std::vector<Finding>> findings;
  for (const Link& link : links) {
    if (link.failure.empty()) {
      findings.push_back({bandwidth(link, fastest), round_trip(link)});
    } else {
      findings.push_back({{.subject = "bandwidth",
                           .level = Level::problem,
                           .sentence = fmt::format("ranks on {} and {} do not reach each other: {}",
                                                   link.from, link.to, link.failure),
                           .remedy = "open the network between them for tcp: the port where they "
                                     "meet, --port, and one after "
                                     "it for each rank",
                           .peer = link.to}});
    }
  }
  return findings;
}

}  // namespace lockstep::doctor
