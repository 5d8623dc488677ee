#include "doctor/differences.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace lockstep::doctor {
namespace {

using Json = nlohmann::ordered_json;
using machine::Finding;
using machine::Level;

std::string processor(const Json& environment) {
  return fmt::format("{} of {}", counted(environment.value("physical_cores", 0), "core"),
                     environment.value("cpu_model", "an unknown model"));
}

std::vector<std::string> versions(const Examination& examination) {
  const Json& environment = examination.environment;
  std::vector<std::string> versions = environment.value("libraries", std::vector<std::string>{});
  versions.push_back(environment.value("kernel", "an unknown kernel"));
  for (const Finding& finding : examination.findings) {
    if (finding.subject == "mpi") versions.push_back(finding.sentence);
  }
  return versions;
}

// Those of `ours` that `theirs` do not have.
std::string only(const std::vector<std::string>& ours, const std::vector<std::string>& theirs) {
  std::vector<std::string> rest;
  std::ranges::copy_if(ours, std::back_inserter(rest), [&](const std::string& one) {
    return std::ranges::count(theirs, one) == 0;
  });
  return rest.empty() ? "nothing else" : join(rest, ", ");
}

}  // namespace

std::vector<Finding> differences(const Examination& host, const Examination& first) {
  if (!host.environment.is_object() || !first.environment.is_object()) return {};
  Finding same_processor{
      .subject = "same processor", .sentence = "as on " + first.host, .peer = first.host};
  Finding same_versions = same_processor;
  same_versions.subject = "same versions";

  const std::string ours = processor(host.environment);
  const std::string theirs = processor(first.environment);
  if (ours != theirs) {
    same_processor.level = Level::warning;
    same_processor.sentence = fmt::format(
        "{}, but {} on {}: every step waits for the slowest device", ours, theirs, first.host);
    same_processor.remedy = "measure hosts of one kind together";
  }
  const std::vector<std::string> our_versions = versions(host);
  const std::vector<std::string> their_versions = versions(first);
  if (our_versions != their_versions) {
    same_versions.level = Level::warning;
    same_versions.sentence = fmt::format("{}, but {} on {}", only(our_versions, their_versions),
                                         only(their_versions, our_versions), first.host);
    same_versions.remedy = "install the same versions; --remote_dir brings the libraries along";
  }
  return {same_processor, same_versions};
}

}  // namespace lockstep::doctor
