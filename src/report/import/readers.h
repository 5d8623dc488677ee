#pragma once

#include <span>

#include "report/import/formats.h"

namespace lockstep::report {

// The readers of formats.cc's table, one file each. They throw Error(usage) with file and line.

bool looks_like_tf_cnn(const Source& source);
Imported read_tf_cnn(std::span<const Source> sources, const ImportOptions& options);

bool looks_like_horovod(const Source& source);
Imported read_horovod(std::span<const Source> sources, const ImportOptions& options);

bool looks_like_nccl(const Source& source);
Imported read_nccl(std::span<const Source> sources, const ImportOptions& options);

bool looks_like_curve(const Source& source);
Imported read_curve(std::span<const Source> sources, const ImportOptions& options);

bool looks_like_tsv(const Source& source);
Imported read_tsv(std::span<const Source> sources, const ImportOptions& options);

Imported read_pattern(std::span<const Source> sources, const ImportOptions& options);

}  // namespace lockstep::report
