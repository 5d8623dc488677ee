#include "doctor/hosts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "base/directory_for_test.h"
#include "base/files.h"

namespace lockstep::doctor {
namespace {

using machine::Finding;
using machine::Level;
using testing::HasSubstr;

const spec::Host kHost{.name = "node1", .address = "10.0.0.1", .ssh = "node1.example"};

Rounds rounds(const std::string& remote_dir) {
  return {.site = {.hosts = {kHost}, .remote_dir = remote_dir},
          .program = "/opt/lockstep",
          .result_dir = "/data",
          .tell = [](const std::string&) {}};
}

TEST(JudgeReach, CallsAHostThatDoesNotAnswerAProblem) {
  const Finding finding = judge_reach(kHost, Answer::none, 10, "No route to host");
  EXPECT_EQ(finding.level, Level::problem);
  EXPECT_THAT(finding.sentence, HasSubstr("No route to host"));
  EXPECT_THAT(finding.remedy, HasSubstr("ssh -o BatchMode=yes node1.example true"));
}

TEST(JudgeReach, TellsHowLongAnAnswerTakes) {
  for (const Answer answer : {Answer::same_build, Answer::no_build}) {
    const Finding finding = judge_reach(kHost, answer, 0.25, "");
    EXPECT_EQ(finding.level, Level::ok);
    EXPECT_EQ(finding.value, 250);
    EXPECT_EQ(finding.unit, "ms");
  }
}

TEST(JudgeBuild, IsAProblemWhereTheProgramIsNotAndCannotBeBrought) {
  EXPECT_EQ(judge_build(rounds(""), Answer::same_build, false, "").level, Level::ok);
  EXPECT_EQ(judge_build(rounds("/tmp/x"), Answer::no_build, true, "").level, Level::ok);
  const Finding shared = judge_build(rounds(""), Answer::no_build, false, "");
  EXPECT_EQ(shared.level, Level::problem);
  EXPECT_THAT(shared.remedy, HasSubstr("--remote_dir="));
  const Finding full = judge_build(rounds("/tmp/x"), Answer::no_build, false, "disk full");
  EXPECT_EQ(full.level, Level::problem);
  EXPECT_EQ(full.sentence, "this build cannot be brought to /tmp/x: disk full");
}

// An `ssh` that runs what it is told on this machine, and a program that tells of it.
class WithFakeSsh : public DirectoryTest {
 protected:
  WithFakeSsh() : DirectoryTest("lockstep doctor") {
    put("ssh", "#!/bin/sh\nfor word; do :; done\nexec sh -c \"$word\"\n");
    path_ = std::getenv("PATH");
    setenv("PATH", fmt::format("{}:{}", directory_.string(), path_).c_str(), 1);
    rounds_ = rounds("");
    rounds_.program = directory_ / "lockstep";
    examinations_ = {{.host = "me", .here = true, .environment = {}, .findings = {}}};
  }
  ~WithFakeSsh() override { setenv("PATH", path_.c_str(), 1); }

  void put(const std::string& name, const std::string& script) {
    write_file(directory_ / name, script);
    std::filesystem::permissions(directory_ / name, std::filesystem::perms::owner_all);
  }
  std::vector<std::pair<std::string, Level>> found() {
    examine_hosts(rounds_, examinations_);
    std::vector<std::pair<std::string, Level>> levels;
    for (const Finding& finding : examinations_.at(1).findings) {
      levels.emplace_back(finding.subject, finding.level);
    }
    return levels;
  }

  std::string path_;
  Rounds rounds_;
  std::vector<Examination> examinations_;
};

TEST_F(WithFakeSsh, AHostIsAskedForItsWayItsBuildItsClockAndItself) {
  const std::vector<Examination> told = {
      {.host = "whatever",
       .here = true,
       .environment = {{"cpu_model", "Imaginary 9000"}},
       .findings = {{.subject = "load", .level = Level::warning, .sentence = "busy"}}}};
  write_file(directory_ / "told.json", to_json(told).dump(2));
  put("lockstep", fmt::format("#!/bin/sh\necho \"$*\" >'{0}/asked'\ncat '{0}/told.json'\n",
                              directory_.string()));
  EXPECT_THAT(found(), testing::ElementsAre(testing::Pair("ssh", Level::ok),
                                            testing::Pair("build", Level::ok),
                                            testing::Pair("clock offset", Level::ok),
                                            testing::Pair("load", Level::warning)));
  EXPECT_EQ(examinations_[1].host, "node1");
  EXPECT_FALSE(examinations_[1].here);
  EXPECT_EQ(examinations_[1].environment.at("cpu_model"), "Imaginary 9000");
  EXPECT_EQ(read_file(directory_ / "asked"),
            "doctor --launcher=local --result_dir=/data --port=2230 --json\n");
}

TEST_F(WithFakeSsh, AGuardOnlyLooksAndTakesThePortOfTheFirstHostAlone) {
  const std::vector<Examination> told = {{.host = "whatever",
                                          .here = true,
                                          .environment = {{"cpu_model", "Imaginary 9000"}},
                                          .findings = {{.subject = "disk", .sentence = "free"},
                                                       {.subject = "port", .sentence = "free"}}}};
  write_file(directory_ / "told.json", to_json(told).dump(2));
  put("lockstep", fmt::format("#!/bin/sh\necho \"$*\" >'{0}/asked'\ncat '{0}/told.json'\n",
                              directory_.string()));
  rounds_.quick = true;
  rounds_.site.hosts.push_back({.name = "node2", .address = "10.0.0.2", .ssh = "node2"});
  glance_at_hosts(rounds_, examinations_);
  const auto subjects = [&](std::size_t host) {
    std::vector<std::string> names;
    for (const Finding& finding : examinations_.at(host).findings) names.push_back(finding.subject);
    return names;
  };
  EXPECT_THAT(subjects(1), testing::ElementsAre("disk", "port"));
  EXPECT_THAT(subjects(2), testing::ElementsAre("disk", "same processor", "same versions"));
  EXPECT_THAT(read_file(directory_ / "asked"), HasSubstr(" --quick\n"));
}

TEST_F(WithFakeSsh, AGuardCallsAHostThatIsGoneAProblem) {
  put("ssh", "#!/bin/sh\necho 'Connection refused' >&2; exit 255\n");
  glance_at_hosts(rounds_, examinations_);
  ASSERT_EQ(examinations_.at(1).findings.size(), 1U);
  EXPECT_EQ(examinations_[1].findings[0].subject, "ssh");
  EXPECT_EQ(examinations_[1].findings[0].level, Level::problem);
}

TEST_F(WithFakeSsh, AHostThatCannotRunTheProgramIsAProblem) {
  put("lockstep", "#!/bin/sh\necho wrong C library; exit 127\n");
  EXPECT_THAT(found(), testing::Contains(testing::Pair("program", Level::problem)));
  EXPECT_THAT(examinations_[1].findings.back().sentence, HasSubstr("wrong C library"));
}

TEST_F(WithFakeSsh, AHostThatCannotBeReachedIsNotAskedAnythingElse) {
  put("lockstep", "");
  put("ssh", "#!/bin/sh\necho 'Connection refused' >&2; exit 255\n");
  EXPECT_THAT(found(), testing::ElementsAre(testing::Pair("ssh", Level::problem)));
}

}  // namespace
}  // namespace lockstep::doctor
