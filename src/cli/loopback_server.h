#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "report/watch_page.h"

namespace lockstep::cli {

// The file at a path; nothing: there is none. Called from threads of the server.
using FindFile = std::function<std::optional<report::WebFile>(const std::string& path)>;

// A web site for browsers on this machine: it listens on 127.0.0.1 alone, has nothing but what
// `find` returns, and answers only those who ask for it by a name of this machine, so that a page
// from elsewhere that points its own name here sees nothing.
class LoopbackServer {
 public:
  // Port 0: any that is free. Throws Error(environment) when that port cannot be had.
  LoopbackServer(int port, FindFile find);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  std::string url() const;

 private:
  struct Running;
  std::unique_ptr<Running> running_;
};

}  // namespace lockstep::cli
