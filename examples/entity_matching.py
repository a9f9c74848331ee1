"""Find out which records are the same person: from a pandas table to clusters of records.

A register holds several records for most people, with typos, abbreviations, moves and gaps, and
families who share a surname and an address. The usual pipeline:

1. blocking: only records that share a key are compared;
2. each pair gets similarities, and a logistic regression, trained on another register where the
   truth is known, turns them into the log-odds of a match;
3. the pairs are put together to entities.

Step 3 is often done by taking all pairs above a threshold and their connected components: one wrong
match then merges two families. The multicut takes the log-odds as costs and weighs all pairs, those
that speak against a match as well. For a fair comparison, the threshold of the components is also
chosen as the best one for the register of the training.

    python examples/entity_matching.py --picture matching.png
"""

from __future__ import annotations

import argparse
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import multicut as mc

FIRST, LAST, STREETS = (
    words.split()
    for words in (
        """anna anne anita maria marie mario jan jana jane john johan paul paula peter petra lena
        lene lea leo leon luis luisa tom tim tina karl karla erik erika nora noah mona max mia""",
        """meier mayer maier schmidt schmitt smith smythe jensen jansen hansen hanson olsen larsen
        wagner werner weber becker bauer braun brown klein klaas koch kock wolf wolff novak""",
        "station mill church garden forest lake castle school market bridge harbour hill",
    )
)
TEXTS = ("first", "last", "street")
Scores = dict[str, float]


def misspell(text: str, rng: np.random.Generator) -> str:
    """Drop, double, replace or swap one letter."""
    at = int(rng.integers(len(text)))
    letter = chr(97 + int(rng.integers(26)))
    return (
        text[:at] + text[at + 1 :] or text,
        text[:at] + 2 * text[at] + text[at + 1 :],
        text[:at] + letter + text[at + 1 :],
        text[:at] + text[at + 1 : at + 2] + text[at] + text[at + 2 :],
    )[int(rng.integers(4))]


def make_register(num_families: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw records of people in families; the column ``person`` is the truth."""
    rows = []
    person = 0
    for _ in range(num_families):
        last, street = rng.choice(LAST), f"{rng.choice(STREETS)} {rng.integers(1, 60)}"
        for _ in range(rng.integers(1, 5)):
            first, born = rng.choice(FIRST), int(rng.integers(1930, 2010))
            for _ in range(rng.integers(1, 7)):
                row = {"first": first, "last": last, "street": street, "born": float(born)}
                for column in TEXTS:
                    if rng.random() < 0.25:
                        row[column] = misspell(str(row[column]), rng)
                if rng.random() < 0.15:
                    row["first"] = first[0]
                if rng.random() < 0.15:
                    row["street"] = f"{rng.choice(STREETS)} {rng.integers(1, 60)}"
                if rng.random() < 0.1:
                    row["born"] += rng.choice([-10, -1, 1, 10])
                if rng.random() < 0.2:
                    row["born"] = np.nan
                rows.append(row | {"person": person})
            person += 1
    register = pd.DataFrame(rows).sample(frac=1, random_state=int(rng.integers(2**31)))
    return register.set_index(pd.Index([f"record {i}" for i in range(len(register))]))


def candidate_pairs(register: pd.DataFrame) -> pd.DataFrame:
    """Pair the records that share a blocking key."""
    keys = [
        register["last"].str[:3] + register["first"].str[:1],
        register["street"],
        register["last"].str[-3:] + register["born"].astype(str),
    ]
    pairs = {
        pair
        for key in keys
        for names in register.index.groupby(key).values()
        for pair in combinations(sorted(names), 2)
    }
    return pd.DataFrame(sorted(pairs), columns=["source", "target"])


def trigrams(text: str) -> set[str]:
    """All runs of three letters, with the ends marked."""
    padded = f"  {text} "
    return {padded[i : i + 3] for i in range(len(padded) - 2)}


def features(pairs: pd.DataFrame, register: pd.DataFrame) -> pd.DataFrame:
    """Compare the two records of each pair, column by column."""
    left = register.loc[pairs["source"]].reset_index(drop=True)
    right = register.loc[pairs["target"]].reset_index(drop=True)
    table = pd.DataFrame(index=pairs.index)
    for column in TEXTS:
        grams = {text: trigrams(text) for text in register[column].unique()}
        table[column] = [
            len(grams[a] & grams[b]) / len(grams[a] | grams[b])
            for a, b in zip(left[column], right[column], strict=True)
        ]
    table["initial"] = (left["first"].str[0] == right["first"].str[0]).astype(float)
    years = (left["born"] - right["born"]).abs()
    table["same year"] = (years == 0).astype(float)
    table["other year"] = (years > 1).astype(float)
    return table


def train(register: pd.DataFrame) -> tuple[Pipeline, float]:
    """Learn which pairs match, and the best threshold for components, where the truth is known."""
    pairs = candidate_pairs(register)
    person = register["person"]
    same = person.loc[pairs["source"]].to_numpy() == person.loc[pairs["target"]].to_numpy()
    table = features(pairs, register)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(table, same)
    pairs["cost"] = model.decision_function(table)
    thresholds = np.linspace(-4, 8, 49)
    scores = [
        pair_scores(components(pairs, person.index, threshold), person)["F1"]
        for threshold in thresholds
    ]
    return model, float(thresholds[np.argmax(scores)])


def components(pairs: pd.DataFrame, names: pd.Index, threshold: float = 0.0) -> pd.Series:
    """Label the connected components of the pairs whose log-odds are above a threshold."""
    matches = pairs[pairs["cost"] > threshold]
    ends = names.get_indexer(matches["source"]), names.get_indexer(matches["target"])
    graph = coo_array((np.ones(len(matches)), ends), shape=(len(names), len(names)))
    return pd.Series(connected_components(graph, directed=False)[1], index=names)


def multicut(pairs: pd.DataFrame, names: pd.Index) -> pd.Series:
    """Label the records by the multicut with the log-odds as costs."""
    problem = mc.Problem.from_pandas(pairs, nodes=names)
    return mc.solve(problem, "ilp", time_limit=60).to_pandas()


def pair_scores(found: pd.Series, truth: pd.Series) -> Scores:
    """Precision, recall and their harmonic mean over all pairs of records put together."""

    def count(groups: pd.Series | pd.DataFrame) -> float:
        sizes = groups.value_counts()
        return float((sizes * (sizes - 1) / 2).sum())

    both = count(pd.DataFrame({"found": found, "truth": truth}))
    precision, recall = both / max(count(found), 1), both / max(count(truth), 1)
    return {
        "precision": precision,
        "recall": recall,
        "F1": 2 * precision * recall / max(precision + recall, 1e-12),
    }


def save_picture(path: Path, pairs: pd.DataFrame, truth: pd.Series) -> None:
    """Plot the score of both ways over the probability from which on a pair matches."""
    import matplotlib.pyplot as plt

    biases = [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.98, 0.99]
    figure, ax = plt.subplots(figsize=(5, 3.5), layout="constrained")
    for name, way in (("connected components", components), ("multicut", multicut)):
        scores = [
            pair_scores(
                way(pairs.assign(cost=pairs["cost"] - np.log(bias / (1 - bias))), truth.index),
                truth,
            )["F1"]
            for bias in biases
        ]
        ax.plot(biases, scores, marker="o", label=name)
    ax.set(xlabel="probability from which on a pair matches", ylabel="F1 of pairs", ylim=(0, 1))
    ax.legend()
    figure.savefig(path)
    plt.close(figure)


def main(num_families: int = 150, seed: int = 0, picture: Path | None = None) -> dict[str, Scores]:
    """Train on one register, match another, and print how well that went."""
    rng = np.random.default_rng(seed)
    model, threshold = train(make_register(num_families, rng))
    register = make_register(num_families, rng)
    pairs = candidate_pairs(register)
    pairs["cost"] = model.decision_function(features(pairs, register))
    truth = register["person"]
    names = register.index
    found = {
        "components of pairs above 0.5": components(pairs, names),
        "components, best threshold": components(pairs, names, threshold),
        "multicut": multicut(pairs, names),
    }
    scores = {way: pair_scores(labels, truth) for way, labels in found.items()}
    print(f"{len(register)} records of {truth.nunique()} people, {len(pairs)} pairs compared")
    print(pd.DataFrame(scores).T.round(3).to_string())
    entities = register.join(found["multicut"])
    largest = entities["cluster"].value_counts().index[0]
    print("\nthe largest cluster:")
    print(entities[entities["cluster"] == largest].sort_index().to_string(index=False))
    if picture is not None:
        save_picture(picture, pairs, truth)
    return scores


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--num-families", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--picture", type=Path, help="where to save a figure")
    main(**vars(parser.parse_args()))
