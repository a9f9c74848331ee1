#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "multicut/io/text.hpp"

namespace multicut {

struct NumberText {
  std::vector<double> values;
  Notes notes;
};

// Numbers between blanks and line breaks; lines that begin with '#' are comments. Throws TextError.
NumberText parse_number_text(std::string_view text);

// Numbers in rows of the given lengths, which add up to the number of values; each number in the
// shortest form that reads back exactly.
std::string format_number_rows(std::span<const double> values,
                               std::span<const std::int64_t> row_lengths);

}  // namespace multicut
