#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "framework.hpp"
#include "multicut/io/edge_text.hpp"
#include "multicut/io/number_text.hpp"

using namespace multicut;
using namespace std::string_view_literals;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

EdgeTextLayout csv(std::size_t num_columns) {
  EdgeTextLayout layout;
  layout.separator = ',';
  layout.num_columns = num_columns;
  return layout;
}

// The line that a text is refused for, 0 if it is not.
std::size_t bad_line(const std::string& text, const EdgeTextLayout& layout = {}) {
  try {
    static_cast<void>(parse_edge_text(text, layout));
  } catch (const TextError& error) {
    return error.line();
  }
  return 0;
}

}  // namespace

TEST_CASE("edge text takes edges comments and notes") {
  const EdgeText text = parse_edge_text(
      "# multicut num_nodes 9\n\n 0\t1  1.5\r\n# multicut node_ids 7 5\n2 1 -inf\n"
      "#multicut node_ids 6", {});
  CHECK(text.endpoints == std::vector<std::int64_t>{0, 1, 2, 1});
  CHECK(text.costs == std::vector<double>{1.5, -kInfinity});
  CHECK(text.notes.num_nodes == 9);
  CHECK(text.notes.node_ids == std::vector<std::int64_t>{7, 5, 6});
}

TEST_CASE("edge text finds columns") {
  EdgeTextLayout layout = csv(5);
  layout.u_column = 3;
  layout.v_column = 1;
  layout.cost_column = 0;
  layout.header_rows = 1;
  const EdgeText text = parse_edge_text("w,b,c,a,e\n+2.5, 1 ,x y, 0,\n", layout);
  CHECK(text.endpoints == std::vector<std::int64_t>{0, 1});
  CHECK(text.costs == std::vector<double>{2.5});
}

TEST_CASE("edge text ends lines as on any system") {
  for (const char* text : {"0 1 2\n\n1 2 3\n", "0 1 2\r\n\r\n1 2 3", "0 1 2\r\r1 2 3\r",
                           "0 1 2\r\n\r1 2 3\r\n"}) {
    const EdgeText parsed = parse_edge_text(text, {});
    CHECK(parsed.endpoints == std::vector<std::int64_t>{0, 1, 1, 2});
    CHECK(bad_line(std::string(text) + "\nx") >= 4);
  }
  CHECK(bad_line("0 1 2\r1 2\r") == 2);
  CHECK(bad_line("0 1 2\r\n1 2") == 2);
  CHECK(bad_line("0 1 2\r\r\n1 2") == 3);
}

TEST_CASE("edge text takes cells in quotes") {
  EdgeTextLayout layout = csv(4);
  layout.cost_column = 3;
  const EdgeText text = parse_edge_text("\"0\",\" 1 \",\"a, \"\"b\"\"\",\"-2.5\"\n", layout);
  CHECK(text.endpoints == std::vector<std::int64_t>{0, 1});
  CHECK(text.costs == std::vector<double>{-2.5});
  CHECK(bad_line("\"0,1,2", csv(3)) == 1);
  CHECK(bad_line("\"0\"1,1,2", csv(3)) == 1);
  CHECK(bad_line("\"0\",\"\",2", csv(3)) == 1);
  const auto cells = split_row(" \"u 1\" ;v; \"\" ;\"a;b\"", ';');
  CHECK(cells == std::vector<std::string_view>{"u 1", "v", "", "a;b"});
}

TEST_CASE("edge text names the bad line") {
  CHECK(bad_line("0 1 2\n0 1\n") == 2);
  CHECK(bad_line("0 1 2 3") == 1);
  CHECK(bad_line("\n\n0 1 2x") == 3);
  CHECK(bad_line("0 1 nan") == 1);
  CHECK(bad_line("0 1 1e999") == 1);
  CHECK(bad_line("-1 1 1") == 1);
  CHECK(bad_line("1.0 1 1") == 1);
  CHECK(bad_line("0 99999999999999999999 1") == 1);
  CHECK(bad_line("# multicut num_nodes x") == 1);
  CHECK(bad_line("0,1,", csv(3)) == 1);
  CHECK(bad_line("0,1,2\n0 1 2\n", csv(3)) == 2);
  CHECK(bad_line(std::string("0 1 \0", 5)) == 1);
  CHECK(bad_line("") == 0);
}

TEST_CASE("edge text reads back what it wrote") {
  const std::vector<std::int64_t> endpoints{0, std::numeric_limits<std::int64_t>::max(), 5, 3, 1, 2};
  const std::vector<double> costs{-std::numeric_limits<double>::min(), kInfinity, 0.1 + 0.2};
  for (const char separator : {' ', ',', '\t'}) {
    EdgeTextLayout layout;
    layout.separator = separator == '\t' ? ' ' : separator;
    const EdgeText text = parse_edge_text(format_edge_text(endpoints, costs, separator), layout);
    CHECK(text.endpoints == endpoints);
    CHECK(text.costs == costs);
  }
  CHECK(format_edge_text({}, {}, ' ').empty());
  CHECK(format_edge_text(endpoints, {}, ' ').ends_with("\n5 3\n1 2\n"));
}

TEST_CASE("number text reads back what it wrote") {
  const std::vector<double> values{1, -2.5, -std::numeric_limits<double>::min(), 1e300, 0, 7};
  const std::string written = format_number_rows(values, std::vector<std::int64_t>{3, 2, 1});
  CHECK(written.starts_with("1 -2.5 -2.2250738585072014e-308\n"));
  CHECK(parse_number_text(written).values == values);
  CHECK(parse_number_text("# multicut node_ids 3\n\n").notes.node_ids.size() == 1);
  CHECK_THROWS_AS(parse_number_text("1 2 x"), TextError);
}

TEST_CASE("edge text takes names") {
  EdgeTextLayout layout = csv(3);
  layout.has_names = true;
  const EdgeText text =
      parse_edge_text("# multicut node_ids z \"a b\"\n\"a b\", 12 ,1\n12,\"x\"\"y\",-2\n", layout);
  CHECK(text.endpoints == std::vector<std::int64_t>{1, 2, 2, 3});
  CHECK(text.names == std::vector<std::string>{"z", "a b", "12", "x\"y"});
  CHECK(text.costs == std::vector<double>{1, -2});
}

TEST_CASE("a column tells lifted edges from others") {
  EdgeTextLayout layout = csv(4);
  layout.header_rows = 1;
  layout.lifted_column = 3;
  const EdgeText text = parse_edge_text("u,v,cost,lifted\n0,1,2,0\n1,2,3,TRUE\n0,2,4, \"1\" \n", layout);
  CHECK(text.lifted == std::vector<std::uint8_t>{0, 1, 1});
  CHECK(text.costs == std::vector<double>{2, 3, 4});
  CHECK(bad_line("u,v,cost,lifted\n0,1,2,0\n0,1,2,2\n", layout) == 3);
  CHECK(bad_line("u,v,cost,lifted\n0,1,2,\n", layout) == 2);
  CHECK(bad_line("u,v,cost,lifted\n0,1,2,10\n", layout) == 2);
}

TEST_CASE("a column more is written to each line") {
  const std::vector<std::int64_t> ends{0, 1, 12, 3};
  const std::vector<double> costs{1.5, -2};
  CHECK(format_edge_text(ends, costs, ',', '1') == "0,1,1.5,1\n12,3,-2,1\n");
}

TEST_CASE("text parsers survive rubbish") {
  constexpr std::string_view alphabet = "0123456789 \t\r\n\",;.+-einf#cx\0\xff"sv;
  std::mt19937 random(0);
  std::uniform_int_distribution<std::size_t> pick(0, alphabet.size() - 1);
  for (std::size_t round = 0; round < 20000; ++round) {
    std::string text(round % 40, ' ');
    for (char& c : text) c = alphabet[pick(random)];
    // A buffer of its own, so that the sanitizer sees every step beyond its end.
    const std::vector<char> exact(text.begin(), text.end());
    const std::string_view view(exact.data(), exact.size());
    for (const char separator : {' ', ',', '\t'}) {
      EdgeTextLayout layout;
      layout.separator = separator;
      layout.has_names = round % 3 == 0;
      layout.num_columns = 3 + round % 2;
      try {
        const EdgeText parsed = parse_edge_text(view, layout);
        CHECK(parsed.endpoints.size() == 2 * parsed.costs.size());
      } catch (const TextError& error) {
        CHECK(error.line() >= 1);
      }
    }
    try {
      static_cast<void>(parse_number_text(view));
    } catch (const TextError& error) {
      CHECK(error.line() >= 1);
    }
  }
}

TEST_CASE("columns that a layout names must exist") {
  EdgeTextLayout layout;
  layout.lifted_column = 3;
  CHECK_THROWS_AS(parse_edge_text("0 1 x\n", layout), std::invalid_argument);
}
