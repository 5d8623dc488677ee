#include <fmt/format.h>

#include <cmath>
#include <set>

#include "base/text.h"
#include "report/import/lines.h"
#include "report/import/readers.h"

// The tables of nccl-tests and of its relatives (rccl-tests): a row per size, with figures out of
// place and in place.

namespace lockstep::report {
namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!(text = trim(text)).empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

// The word behind `word`.
std::string_view behind(const std::vector<std::string_view>& words, std::string_view word) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == word) return words[i + 1];
  }
  return {};
}

// "all_reduce_perf", "./build/all_reduce_perf_mpi"
std::string operation_of(std::string_view program) {
  program.remove_prefix(program.rfind('/') + 1);
  return std::string(program.substr(0, program.find("_perf")));
}

class Table {
 public:
  Table(const Source& source, const ImportOptions& options) : source_(source) {
    table_ = {.format = "nccl-tests",
              .framework = "NCCL",
              .file = source.path,
              .operation = options.operation,
              .type = {}};
  }

  ImportedCollectives read() {
    for (const LogLine& line : log_lines(source_.text)) {
      const std::string_view text = trim(line.text);
      if (text.starts_with('#')) {
        comment(line, words_of(text.substr(1)));
      } else if (!columns_.empty()) {
        // Other programs may print between the rows: a row begins with a size and a count.
        const std::vector<std::string_view> words = words_of(text);
        if (words.size() > 2 && parse_int(words[0]) && parse_int(words[1])) row(line, words);
      }
    }
    if (table_.rows.empty()) throw wrong_line(source_, 1, "no row of figures");
    if (table_.operation.empty()) {
      throw wrong_line(source_, 1, "nothing says which collective this is",
                       "--operation=NAME says it: all_reduce, reduce_scatter, all_gather, ...");
    }
    if (ranks_.empty()) {
      throw wrong_line(source_, 1, "no line '# Rank N ... on HOST' says how many ranks there are");
    }
    table_.ranks = static_cast<int>(ranks_.size());
    table_.hosts = static_cast<int>(hosts_.size());
    return std::move(table_);
  }

 private:
  void comment(const LogLine& line, const std::vector<std::string_view>& words) {
    if (words.empty()) return;
    if (words[0] == "Rank") {
      rank(line, words);
    } else if (words[0] == "nThread") {
      // "warmup iters: 5 iters: 20 agg iters: 1": the second of them counts what is timed.
      int seen = 0;
      for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (words[i] == "iters:" && ++seen == 2) table_.operations = parse_int(words[i + 1]);
      }
    } else if (words[0] == "Collective" && table_.operation.empty()) {
      table_.operation = operation_of(behind(words, "starting:"));
    } else if (words[0] == "size" && columns_.empty()) {
      columns_.assign(words.begin(), words.end());
    }
  }

  void rank(const LogLine& line, const std::vector<std::string_view>& words) {
    if (!ranks_.emplace(words.size() > 1 ? words[1] : "").second) {
      throw wrong_line(source_, line.number,
                       "a rank that is there twice: these processes measured each for itself",
                       "nccl-tests needs to be built with MPI=1 for several processes");
    }
    hosts_.emplace(behind(words, "on"));
  }

  void row(const LogLine& line, const std::vector<std::string_view>& words) {
    if (words.size() != columns_.size()) {
      throw wrong_line(source_, line.number,
                       fmt::format("{} below {} of columns", counted(std::ssize(words), "figure"),
                                   counted(std::ssize(columns_), "name")));
    }
    int place = 0;
    ImportedCollectives::Row row;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& column = columns_[i];
      if (column == "size") row.bytes = integer(line, words[i]);
      if (column == "count") row.elements = integer(line, words[i]);
      if (column == "type" && table_.type.empty()) table_.type = words[i];
      if (column == "time") row.time_us = number(line, words[i]);
      if (column == "algbw") row.algbw = number(line, words[i]);
      if (column == "busbw") row.busbw = number(line, words[i]);
      // The last column of each half; earlier versions print the largest error there instead.
      if (column == "#wrong" || column == "error") {
        row.wrong = column == "#wrong" ? parse_int(words[i]) : std::nullopt;
        row.algorithm = place++ == 0 ? "out_of_place" : "in_place";
        // An operation that does not exist in place has no time there, and of no bytes no speed.
        if (row.time_us > 0 && row.bytes > 0) table_.rows.push_back(row);
      }
    }
  }

  std::int64_t integer(const LogLine& line, std::string_view word) const {
    const auto value = parse_int(word);
    if (value && *value >= 0) return *value;
    throw wrong_line(source_, line.number, fmt::format("expected a count, found '{}'", word));
  }

  // "N/A" is 0: there is no such figure.
  double number(const LogLine& line, std::string_view word) const {
    if (word == "N/A") return 0;
    std::string_view rest = word;
    const auto value = take_number(rest);
    if (value && rest.empty() && std::isfinite(*value) && *value >= 0) return *value;
    throw wrong_line(source_, line.number, fmt::format("expected a number, found '{}'", word));
  }

  const Source& source_;
  ImportedCollectives table_;
  std::vector<std::string> columns_;
  std::set<std::string, std::less<>> ranks_, hosts_;
};

}  // namespace

bool looks_like_nccl(const Source& source) {
  return source.text.find("algbw") != std::string::npos &&
         source.text.find("busbw") != std::string::npos &&
         source.text.find("out-of-place") != std::string::npos;
}

Imported read_nccl(std::span<const Source> sources, const ImportOptions& options) {
  Imported imported;
  for (const Source& source : sources)
    imported.collectives.push_back(Table(source, options).read());
  return imported;
}

}  // namespace lockstep::report
