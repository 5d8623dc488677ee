#pragma once

#include <cstdio>
#include <filesystem>
#include <thread>

namespace lockstep::cli {

// Copies a file to a stream while another process, maybe on another host, makes it and writes it.
// When this is destroyed, all of it has been copied.
class Follow {
 public:
  Follow(std::filesystem::path file, std::FILE* stream);
  ~Follow();
  Follow(const Follow&) = delete;
  Follow& operator=(const Follow&) = delete;

 private:
  void copy_what_is_new();

  std::filesystem::path file_;
  std::FILE* stream_;
  std::streamoff copied_ = 0;
  std::jthread thread_;
};

}  // namespace lockstep::cli
