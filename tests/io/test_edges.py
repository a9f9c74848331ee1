"""Plain lists of edges."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import multicut as mc
from multicut.io import FormatError

EXPECTED = mc.Problem([[10, 20], [700, 20]], [1.5, -2])


def read_text(tmp_path: Path, text: str | bytes) -> mc.Problem:
    path = tmp_path / "problem.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return mc.read(path)


@pytest.mark.parametrize(
    "text",
    [
        "10 20 1.5\n700 20 -2\n",
        "10 20 1.5\n700 20 -2",
        "10\t20\t1.5\n700\t20\t-2\n",
        "10,20,1.5\n700,20,-2\n",
        "10, 20 ,1.5\n700,20, -2\n",
        "10;20;1.5\n700;20;-2\n",
        "\n# comment\n10 20 1.5\n\n% another\n700 20 -2\n\n",
        "u,v,cost\n10,20,1.5\n700,20,-2\n",
        '"u";"v";"w"\n10;20;1.5\n700;20;-2\n',
        "source,target,influence\n10,20,1.5\n700,20,-2\n",
        "a b c\n10 20 1.5\n700 20 -2\n",
        "10,20,+1.5\r\n700,20,-2e0\r\n",
        b"\xef\xbb\xbf10,20,1.5\n700,20,-2\n",
        b"\xef\xbb\xbfu,v,cost\r\n10,20,1.5\r\n700,20,-2\r\n",
        "u,v,cost,time,\n10,20,1.5,1289241911.7,\n700,20,-2,x y,z\n",
        "node1 node2 w a b\n10 20 1.5 0 0\n700 20 -2 a b\n",
        "10 20 1.5\r700 20 -2\r",
        "u,v,cost\r10,20,1.5\r700,20,-2",
        '"10","20","1.5"\n"700","20","-2"\n',
        '"u","v","name","cost"\n"10","20","a, b","1.5"\n700,20,,-2\n',
        "weight,Source,Label,Target\n1.5,10,x,20\n-2,700,y,20\n",
    ],
)
def test_known_content(tmp_path: Path, text: str | bytes) -> None:
    assert read_text(tmp_path, text) == EXPECTED


def test_ids_are_mapped_and_duplicates_add_up(tmp_path: Path) -> None:
    problem = read_text(tmp_path, f"5 9 1\n9 5 2\n7 7 3\n5 {2**63 - 1} -1\n")
    assert problem.node_ids.tolist() == [5, 7, 9, 2**63 - 1]
    assert problem.edges.tolist() == [[0, 2], [0, 3]]
    assert problem.costs.tolist() == [3, -1]
    assert (problem.num_duplicates, problem.num_self_loops) == (1, 1)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("0 1\n", 1, "expected at least 3 columns 'u v cost', got '0 1'"),
        ("hello\n", 1, "expected at least 3 columns 'u v cost', got 'hello'"),
        ("u,v,cost\n", 1, "expected at least 3 columns 'u v cost', got 'u,v,cost'"),
        ("u,v\n0,1\n", 2, "expected at least 3 columns 'u v cost', got '0,1'"),
        ("0,1,2\n0,1\n", 2, "expected 3 columns, got 2: '0,1'"),
        ("0,1,2,3\n0,1,2\n", 1, "expected 3 columns 'u v cost', got 4: '0,1,2,3'; leave out"),
        ("u,v,w,x\n0,1,2,3\n0,1,2\n", 3, "expected 4 columns, got 3: '0,1,2'"),
        (
            "a,b,c,d\n0,1,2,3\n",
            1,
            "the header does not say which of 4 columns are u, v and cost, got: a, b, c, d; name",
        ),
        ("weight,a,b\n0,1,2\n", 1, "the header does not say which of 3 columns are u, v and"),
        ("0 1 2\r0 1\r", 2, "expected 3 columns, got 2: '0 1'"),
        ("0,1,2\n0,1,2,3\n", 2, "expected 3 columns, got 4: '0,1,2,3'"),
        ("0,1,2\n0;1;2\n", 2, "expected 3 columns, got 1: '0;1;2'"),
        ("0 1 2\n# c\n\n0 1 two\n", 4, "the cost must be a number, got 'two'"),
        ("0;1;2,5\n", 1, "the cost must be a number, got '2,5'; write decimals with a point"),
        ("0,1,\n", 1, "the cost is missing; write one for each edge"),
        ("a 2 1\n", 1, "a node id must be an integer from 0 to 2^63-1, got 'a'; where ids are"),
        ("0 1 2\n1 x2 1\n", 2, "a node id must be an integer from 0 to 2^63-1, got 'x2'; where"),
        ("0,1,2\n,1,2\n", 2, "a node id is missing in ',1,2'"),
        ("a,b,2\nb, ,2\n", 2, "a node id is missing in 'b, ,2'"),
        ("a,b,2\nb,c,two\n", 2, "the cost must be a number, got 'two'"),
        ("u,v,probability\n0,1,0.5\n", 1, "column 'probability' does not contain costs, which are"),
        ("id1,id2,distance\n0,1,0.5\n", 1, "column 'distance' does not contain costs, which are"),
        ("id1,id2,x,score\n0,1,2,0.5\n", 1, "column 'score' does not contain costs, which are"),
        ("1.0 2.0 1\n", 1, "a node id must be an integer from 0 to 2^63-1, got '1.0'"),
        ("0 1 0x10\n", 1, "the cost must be a number, got '0x10'"),
        ("0 1 +-1\n", 1, "the cost must be a number, got '+-1'"),
        ("0 1 -NaN\n", 1, "costs must not be nan, got '-NaN'"),
        ("0 1 " + "9" * 60 + "x\n", 1, "the cost must be a number, got '" + "9" * 40 + "…'"),
    ],
)
def test_bad_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    expected = f"{tmp_path / 'problem.csv'}:{line}: {message}"
    with pytest.raises(FormatError, match="^" + re.escape(expected)):
        read_text(tmp_path, text)


def test_no_edges(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"problem\.csv: contains no edges"):
        read_text(tmp_path, "# nothing here\n")


def test_utf16(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="the text is UTF-16; save it as UTF-8"):
        read_text(tmp_path, "0,1,2\n".encode("utf-16"))


def test_written_text(tmp_path: Path) -> None:
    problem = mc.Problem([[20, 10], [10, 30]], [0.1 + 0.2, np.inf])
    for name, text in {
        "p.csv": "u,v,cost\n20,10,0.30000000000000004\n10,30,inf\n",
        "p.tsv": "u\tv\tcost\n20\t10\t0.30000000000000004\n10\t30\tinf\n",
        "p.edges": "20 10 0.30000000000000004\n10 30 inf\n",
    }.items():
        mc.write(problem, tmp_path / name)
        assert (tmp_path / name).read_text() == text


def test_notes_only_where_needed(tmp_path: Path) -> None:
    path = tmp_path / "p.edges"
    mc.write(mc.Problem([[0, 2]], [1], num_nodes=3), path)
    assert path.read_text() == "# multicut num_nodes 3\n0 2 1\n"
    mc.write(mc.Problem([[0, 1]], [1], node_ids=[7, 3]), path)
    assert path.read_text() == "# multicut node_ids 7 3\n7 3 1\n"


def test_unknown_id(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="node 4 is not among the node_ids that a comment lists"):
        read_text(tmp_path, "# multicut node_ids 7 3\n7 4 1\n")


def test_trust_network(shared_data: Path) -> None:
    path = shared_data / "signed" / "bitcoinotc.csv"
    if not path.exists():
        pytest.skip(f"{path.name} is not at hand")
    rows = np.loadtxt(path, delimiter=",")
    problem = mc.read(path)
    assert problem.num_nodes == len(np.unique(rows[:, :2]))
    assert problem.costs.sum() == rows[:, 2].sum()
    assert problem.num_duplicates > 0  # both directions of many edges


def names_of(problem: mc.Problem) -> list[list[str]]:
    return problem.node_ids[problem.edges].tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("anna bob 1.5\n12 bob -2\n", [["anna", "bob"], ["12", "bob"]]),
        ("u,v,cost\nanna,bob,1.5\n12,bob,-2\n", [["anna", "bob"], ["12", "bob"]]),
        ("cost;to;from\n1.5;b c;Ä\n-2;d;b c\n", [["Ä", "b c"], ["b c", "d"]]),
        ('"Doe, Jane", b ,1.5\n"say ""hi""",b,-2\n', [["Doe, Jane", "b"], ['say "hi"', "b"]]),
        ("Jane Doe\tJim\t1.5\nJim\tMx X\t-2\n", [["Jane Doe", "Jim"], ["Jim", "Mx X"]]),
        ("# multicut names\n1 2 1.5\n2 x -2\n", [["1", "2"], ["2", "x"]]),
        ("007a,3b,1.5\n3b,3c,-2\n", [["007a", "3b"], ["3b", "3c"]]),
    ],
)
def test_names(tmp_path: Path, text: str, expected: list[list[str]]) -> None:
    problem = read_text(tmp_path, text)
    assert names_of(problem) == expected
    assert problem.costs.tolist() == [1.5, -2]
    # In order of appearance.
    assert problem.node_ids.tolist() == list(dict.fromkeys(chain(*expected)))


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="the names of nodes are not UTF-8; save the file as"):
        read_text(tmp_path, "Müller,b,1\n".encode("latin-1"))


def test_costs_are_found_beside_what_is_none(tmp_path: Path) -> None:
    problem = read_text(tmp_path, "u,v,probability,cost\n0,1,0.5,-2\n")
    assert problem.costs.tolist() == [-2]


@pytest.mark.parametrize("text", ["0 1 2\n1 2 3.", "a,b,2\nb,c,-0.", "MULTICUT\n0 1 2\n1 2 3."])
def test_a_text_that_ends_within_a_number(tmp_path: Path, text: str) -> None:
    with pytest.raises(FormatError, match="the text ends in the middle of a number"):
        read_text(tmp_path, text)
    assert read_text(tmp_path, f"{text}\n").num_edges == 2


@given(
    names=st.lists(
        st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1)
        | st.sampled_from(
            ["1", "-2.5", "nan", " a ", '"', '""', "#", "% x", "a,b;c", "u", "\ufeff"]
        ),
        min_size=2,
        max_size=5,
        unique=True,
    ),
    data=st.data(),
)
@pytest.mark.parametrize("ending", [".csv", ".tsv", ".edges"])
def test_any_names_come_back(
    tmp_path_factory: pytest.TempPathFactory, ending: str, names: list[str], data: st.DataObject
) -> None:
    nodes = st.integers(0, len(names) - 1)
    pairs = data.draw(st.lists(st.tuples(nodes, nodes).map(list), max_size=6))
    problem = mc.Problem(pairs or [], [0.5] * len(pairs), node_ids=names)
    path = tmp_path_factory.getbasetemp() / f"names{ending}"
    mc.write(problem, path)
    assert mc.read(path, format="edges") == problem


def test_names_that_no_line_holds(tmp_path: Path) -> None:
    for name in ("a\nb", "", "\0", "\ud800"):
        problem = mc.Problem([["a", name]], [1.0])
        with pytest.raises(ValueError, match="format 'edges' cannot store the name"):
            mc.write(problem, tmp_path / "problem.csv")
    mixed = mc.Problem([[0, 1]], [1.0], node_ids=["a", 1.5])
    with pytest.raises(ValueError, match=r"all integers or all strings, got 1\.5"):
        mc.write(mixed, tmp_path / "problem.csv")


@pytest.mark.parametrize(
    "name",
    [
        "match_probability",
        "p_match",
        "cosine_similarity",
        "cosine-similarity",
        "cosineSimilarity",
        "pMatch",
        "MATCH_PROBABILITY",
        '"match probability"',
    ],
)
def test_a_word_in_the_name_of_a_column_tells_that_it_holds_no_costs(tmp_path, name):
    with pytest.raises(FormatError, match=r":1: column .* does not contain costs") as info:
        read_text(tmp_path, f"a,b,{name}\n0,1,0.5\n")
    assert repr(name.strip('"')) in str(info.value)


@pytest.mark.parametrize(
    "name", ["cost", "weight", "log_odds", "logit", "match_weight", "score_logit", "simple", "e"]
)
def test_names_of_columns_that_may_hold_costs(tmp_path, name):
    assert read_text(tmp_path, f"a,b,{name}\n0,1,-0.5\n").costs.tolist() == [-0.5]


def test_words_in_the_names_of_ids_do_not_matter(tmp_path):
    assert read_text(tmp_path, "p_id,q_id,benefit\n0,1,-0.5\n").costs.tolist() == [-0.5]
