#include "doctor/hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <limits>
#include <map>

#include "base/text.h"
#include "doctor/clock_offset.h"
#include "doctor/differences.h"
#include "doctor/link.h"
#include "launch/remote.h"
#include "launch/runner.h"

namespace lockstep::doctor {
namespace {

using launch::Command;
using launch::Ended;
using machine::Finding;
using machine::Level;

// Every one of them runs to its end, whatever becomes of the others; by name.
std::map<std::string, Ended> run_all(const std::vector<Command>& commands, double seconds) {
  std::map<std::string, Ended> ended;
  launch::Outcome outcome = launch::run(commands, {.time_limit = seconds,
                                                   .grace = std::numeric_limits<double>::infinity(),
                                                   .tail_bytes = 1 << 20});
  for (Ended& one : outcome.processes) ended[one.name] = std::move(one);
  return ended;
}

// Ends with 0 where the host has our program, and with 1 where it does not.
Command question(const Rounds& rounds, const spec::Host& host) {
  if (is_apart(host, rounds.site)) return probe(host, rounds.site, *rounds.bundle);
  const launch::Checksum sum = launch::checksum({rounds.program});
  const std::string script = fmt::format("[ \"$(cksum <{})\" = '{} {}' ]",
                                         launch::shell_quoted(rounds.program), sum.crc, sum.bytes);
  return {.name = host.name + ".probe",
          .host = host.name,
          .argv = on_host(host, rounds.site.ssh, script)};
}

std::string program_on(const Rounds& rounds, const spec::Host& host) {
  return is_apart(host, rounds.site) ? remote_program(rounds.site) : rounds.program;
}

// The program looks at the host that it is on.
Command self_examination(const Rounds& rounds, const spec::Host& host) {
  const std::string results =
      is_apart(host, rounds.site) ? rounds.site.remote_dir : rounds.result_dir.string();
  std::vector<std::string> words = {program_on(rounds, host),
                                    "doctor",
                                    "--launcher=local",
                                    "--result_dir=" + results,
                                    fmt::format("--port={}", rounds.site.port),
                                    "--json"};
  if (rounds.quick) words.push_back("--quick");
  return {.name = host.name,
          .host = host.name,
          .argv = on_host(host, rounds.site.ssh,
                          launch::run_until_input_ends({launch::shell_line(words)})),
          .ends_with_input = true};
}

constexpr int kSshFailed = 255;

void add_self_examination(const spec::Host& host, const Ended& ended, Examination& examination) {
  const auto own = examinations_of(object_in(ended.tail));
  if (own && own->size() == 1) {
    examination.environment = own->front().environment;
    examination.findings.insert(examination.findings.end(), own->front().findings.begin(),
                                own->front().findings.end());
    return;
  }
  if (ended.exit_code == kSshFailed) {
    examination.findings.push_back(judge_reach(host, Answer::none, ended.seconds, ended.tail));
    return;
  }
  examination.findings.push_back(
      {.subject = "program",
       .level = Level::problem,
       .sentence = "lockstep does not run there: " + cause_in(ended.tail),
       .remedy = "the host needs the same processor architecture, and a C library no older than "
                 "this machine's"});
}

class Visit {
 public:
  Visit(const Rounds& rounds, std::vector<Examination>& examinations)
      : rounds_(rounds), examinations_(examinations) {
    for (const spec::Host& host : rounds.site.hosts) {
      if (host.here) continue;
      others_.push_back(&host);
      examinations_.push_back(
          {.host = host.name, .here = false, .environment = {}, .findings = {}});
    }
  }

  void knock() {
    std::vector<Command> questions;
    for (const spec::Host* host : others_) questions.push_back(question(rounds_, *host));
    for (const auto& [name, ended] : run_all(questions, 30)) {
      const spec::Host& host = other(ended.host);
      const Answer answer = ended.exit_code == 0   ? Answer::same_build
                            : ended.exit_code == 1 ? Answer::no_build
                                                   : Answer::none;
      add(host, judge_reach(host, answer, ended.seconds, ended.tail));
      answers_[host.name] = answer;
    }
  }

  void bring_program() {
    std::vector<Command> copies;
    for (const spec::Host* host : others_) {
      if (answers_[host->name] == Answer::no_build && is_apart(*host, rounds_.site)) {
        copies.push_back(copy(*host, rounds_.site, *rounds_.bundle));
      }
    }
    std::map<std::string, std::string> refusals;
    std::map<std::string, bool> copied;
    for (const auto& [name, ended] : run_all(copies, 300)) {
      copied[ended.host] = ended.exit_code == 0;
      if (ended.exit_code != 0) refusals[ended.host] = ended.tail;
    }
    for (const spec::Host& host : rounds_.site.hosts) {
      if (host.here) with_program_.push_back(&host);
      const Answer answer = host.here ? Answer::none : answers_[host.name];
      if (answer == Answer::none) continue;
      add(host, judge_build(rounds_, answer, copied[host.name], refusals[host.name]));
      if (answer == Answer::same_build || copied[host.name]) with_program_.push_back(&host);
    }
  }

  void trust_program() {
    for (const spec::Host& host : rounds_.site.hosts) with_program_.push_back(&host);
  }

  void compare_clocks() {
    std::vector<std::pair<const spec::Host*, std::future<std::vector<ClockReading>>>> readings;
    for (const spec::Host* host : others_) {
      if (answers_[host->name] == Answer::none) continue;
      readings.emplace_back(host, std::async(std::launch::async, read_clock, std::cref(*host),
                                             std::cref(rounds_.site.ssh)));
    }
    for (auto& [host, reading] : readings) {
      add(*host, judge_clock_offset(clock_offset(reading.get())));
    }
  }

  void let_them_look() {
    std::vector<Command> commands;
    for (const spec::Host* host : with_program_) {
      if (!host->here) commands.push_back(self_examination(rounds_, *host));
    }
    for (const auto& [name, ended] : run_all(commands, rounds_.quick ? 20 : 60)) {
      const spec::Host& host = other(ended.host);
      add_self_examination(host, ended, of(host));
    }
  }

  void compare() {
    const Examination* first = nullptr;
    for (const spec::Host* host : with_program_) {
      Examination& examination = of(*host);
      if (first != nullptr) {
        for (Finding& finding : differences(examination, *first)) add(*host, std::move(finding));
      } else if (examination.environment.is_object()) {
        first = &examination;
      }
    }
  }

  // One after the other: they would slow each other down.
  void measure_network() {
    const auto pairs = pairs_to_measure(with_program_.size());
    std::vector<Link> links;
    for (const auto& [a, b] : pairs) {
      const spec::Host& from = *with_program_[a];
      const spec::Host& to = *with_program_[b];
      rounds_.tell(fmt::format("the network between {} and {}", from.name, to.name));
      const auto ended = run_all(link_commands(from, to, rounds_.site, rounds_.program), 120);
      links.push_back(read_link(from.name, to.name, ended.at(from.name).tail));
    }
    const auto findings = judge_links(links);
    for (std::size_t i = 0; i < links.size(); ++i) {
      for (const Finding& finding : findings[i]) add(*with_program_[pairs[i].first], finding);
    }
  }

 private:
  const spec::Host& other(const std::string& name) const {
    return **std::ranges::find(others_, name, [](const spec::Host* host) { return host->name; });
  }
  // This machine may go by the name of another one.
  Examination& of(const spec::Host& host) {
    return *std::ranges::find_if(examinations_, [&](const Examination& examination) {
      return examination.here == host.here && (host.here || examination.host == host.name);
    });
  }
  void add(const spec::Host& host, Finding finding) {
    of(host).findings.push_back(std::move(finding));
  }

  const Rounds& rounds_;
  std::vector<Examination>& examinations_;
  std::vector<const spec::Host*> others_;  // than this machine
  std::map<std::string, Answer> answers_;
  std::vector<const spec::Host*> with_program_;
};

}  // namespace

Finding judge_reach(const spec::Host& host, Answer answer, double seconds,
                    const std::string& said) {
  if (answer != Answer::none) {
    return {.subject = "ssh",
            .value = seconds * 1e3,
            .unit = "ms",
            .sentence = "to connect and answer a question"};
  }
  return {.subject = "ssh",
          .level = Level::problem,
          .sentence = "it cannot be reached by ssh: " + (said.empty() ? "no answer" : said),
          .remedy = fmt::format("`ssh -o BatchMode=yes {} true` has to work without a question",
                                host.ssh)};
}

Finding judge_build(const Rounds& rounds, Answer answer, bool copied, const std::string& refusal) {
  const std::string& directory = rounds.site.remote_dir;
  if (answer == Answer::same_build) return {.subject = "build", .sentence = "it has this build"};
  if (copied) {
    return {.subject = "build", .sentence = "this build was brought to " + directory};
  }
  if (directory.empty()) {
    return {.subject = "build",
            .level = Level::problem,
            .sentence = "it does not have this build at " + rounds.program,
            .remedy = "--remote_dir=/tmp/lockstep brings it there"};
  }
  return {.subject = "build",
          .level = Level::problem,
          .sentence = fmt::format("this build cannot be brought to {}: {}", directory, refusal),
          .remedy = "--remote_dir names another directory"};
}

void examine_hosts(const Rounds& rounds, std::vector<Examination>& examinations) {
  Visit visit(rounds, examinations);
  rounds.tell("the way to the hosts");
  visit.knock();
  visit.bring_program();
  rounds.tell("their clocks");
  visit.compare_clocks();
  rounds.tell("the hosts themselves");
  visit.let_them_look();
  visit.compare();
  if (!rounds.quick) visit.measure_network();
}

void glance_at_hosts(const Rounds& rounds, std::vector<Examination>& examinations) {
  Visit visit(rounds, examinations);
  visit.trust_program();
  visit.let_them_look();
  visit.compare();
  // Ranks meet on the first host alone.
  const auto port = [](const Finding& finding) { return finding.subject == "port"; };
  for (Examination& examination : examinations) {
    if (examination.host != rounds.site.hosts.front().name) {
      std::erase_if(examination.findings, port);
    }
  }
}

}  // namespace lockstep::doctor
