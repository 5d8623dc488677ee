#include "machine/container.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "machine/kernel_file.h"

namespace lockstep::machine {
namespace {

namespace fs = std::filesystem;

std::string container_manager(const fs::path& root) {
  std::error_code unreadable;
  if (fs::exists(root / ".dockerenv", unreadable)) return "docker";
  if (fs::exists(root / "run/.containerenv", unreadable)) return "podman";
  return kernel_file(root / "run/systemd/container");  // "lxc", "systemd-nspawn", ...
}

}  // namespace

// Hypervisors sign a leaf of cpuid that processors leave empty.
std::string hypervisor() {
#if defined(__x86_64__)
  constexpr unsigned kPresent = 1U << 31;
  constexpr unsigned kSignature = 0x40000000;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kPresent) == 0) return {};
  __cpuid(kSignature, a, b, c, d);
  char signature[13] = {};
  std::memcpy(signature, &b, 4);
  std::memcpy(signature + 4, &c, 4);
  std::memcpy(signature + 8, &d, 4);
  constexpr std::pair<std::string_view, const char*> kKnown[] = {
      {"KVMKVMKVM", "kvm"},      {"Microsoft Hv", "hyper-v"}, {"VMwareVMware", "vmware"},
      {"XenVMMXenVMM", "xen"},   {"TCGTCGTCGTCG", "qemu"},    {"VBoxVBoxVBox", "virtualbox"},
      {"bhyve bhyve ", "bhyve"}, {"ACRNACRNACRN", "acrn"},
  };
  for (const auto& [written, name] : kKnown) {
    if (written == signature) return name;
  }
  return "a virtual machine";
#else
  return {};
#endif
}

std::string container(const fs::path& root) {
  std::vector<std::string> layers;
  for (std::string layer : {container_manager(root), hypervisor()}) {
    if (!layer.empty()) layers.push_back(std::move(layer));
  }
  return join(layers, ", ");
}

}  // namespace lockstep::machine
