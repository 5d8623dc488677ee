#include "spec/sweep_yaml.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "spec/sweep.h"

namespace lockstep::spec {
namespace {

class Document {
 public:
  Document(const std::string& path, const Vocabulary& vocabulary)
      : path_(path), vocabulary_(vocabulary) {}

  std::vector<Given> read(std::string_view text) {
    const YAML::Node root = load(text);
    if (!root.IsMap()) throw wrong(root, "expected flags and their values, such as 'repeats: 5'");
    std::vector<Given> given;
    for (const auto& entry : root) {
      const std::string key = scalar(entry.first, "a key");
      if (key == "schema") {
        check_schema(entry.second);
      } else if (key == "spec") {
        throw wrong(entry.first, "a file of --spec cannot name another one",
                    "write all flags into this file");
      } else if (!entry.second.IsNull()) {
        given.push_back(flag(entry.first, key, entry.second));
      }
    }
    return given;
  }

 private:
  YAML::Node load(std::string_view text) const {
    try {
      const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
      if (documents.empty()) return {};
      if (documents.size() == 1) return documents.front();
      throw wrong(documents[1], "a second document begins here", "write one file for each sweep");
    } catch (const YAML::Exception& error) {
      throw Error(ExitCode::usage,
                  fmt::format("{}:{}: not YAML: {}", path_, error.mark.line + 1, error.msg));
    }
  }

  Error wrong(const YAML::Node& where, const std::string& what, std::string hint = {}) const {
    const int line = std::max(where.Mark().line, 0) + 1;  // what is empty is nowhere
    return Error(ExitCode::usage, fmt::format("{}:{}: {}", path_, line, what), std::move(hint));
  }

  std::string scalar(const YAML::Node& node, std::string_view what) const {
    if (!node.IsScalar()) throw wrong(node, fmt::format("{} is no single value", what));
    return node.Scalar();
  }

  void check_schema(const YAML::Node& node) const {
    const bool ours = node.IsMap() && node["name"] && node["version"] &&
                      scalar(node["name"], "schema.name") == "lockstep-sweep";
    if (!ours) throw wrong(node, "this is no sweep of lockstep's");
    const std::string version = scalar(node["version"], "schema.version");
    if (version == std::to_string(kSweepVersion)) return;
    throw wrong(node, fmt::format("a sweep of version {}; this lockstep reads version {}", version,
                                  kSweepVersion));
  }

  Given flag(const YAML::Node& where, const std::string& key, const YAML::Node& value) {
    const Flag* flag = vocabulary_.find(key);
    if (flag == nullptr || key.size() < 2) {
      const auto near = vocabulary_.closest(key);
      throw wrong(where, fmt::format("unknown key {}", key),
                  near ? fmt::format("did you mean {}?", *near) : "");
    }
    const auto [before, fresh] = lines_.emplace(flag, where.Mark().line + 1);
    if (!fresh)
      throw wrong(where, fmt::format("{} is set in line {} already", key, before->second));
    std::string text;
    if (value.IsSequence()) {
      std::vector<std::string> parts;
      for (const YAML::Node& part : value) parts.push_back(scalar(part, "a value of " + key));
      text = join(parts, ",");
    } else {
      text = scalar(value, key);
    }
    return {flag, text, fmt::format("{}:{}: {}={}", path_, value.Mark().line + 1, key, text)};
  }

  const std::string& path_;
  const Vocabulary& vocabulary_;
  std::map<const Flag*, int> lines_;
};

}  // namespace

std::vector<Given> read_yaml(std::string_view text, const std::string& path,
                             const Vocabulary& vocabulary) {
  return Document(path, vocabulary).read(text);
}

}  // namespace lockstep::spec
