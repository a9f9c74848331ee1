"""Workflows, recipe and Makefile: what they call exists, and what they claim is so."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
CONFIGURATION = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = CONFIGURATION["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
VERSION = re.search(
    r'__version__ = "(.*)"', (ROOT / "src" / "multicut" / "_version.py").read_text()
)[1]


def load(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(path.read_text())
    return content


def triggers(path: Path) -> dict[str, Any]:
    return load(path)[True]  # YAML reads the key "on" as a truth value


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in load(path)["jobs"].values() for step in job.get("steps", ())]


def commands(path: Path) -> str:
    return "\n".join(step["run"] for step in steps(path) if "run" in step)


def classified(prefix: str) -> list[str]:
    return [each.removeprefix(prefix) for each in PROJECT["classifiers"] if each.startswith(prefix)]


def test_there_are_workflows_for_tests_wheels_docs_release_and_security():
    assert [path.stem for path in WORKFLOWS] == ["docs", "release", "security", "tests", "wheels"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_what_a_workflow_calls_exists(path):
    makefile = (ROOT / "Makefile").read_text()
    text = commands(path)
    for target in re.findall(r"\bmake ([a-z-]+)", text):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for extras in re.findall(r'"\.\[([a-z0-9,]+)\]"', text):
        assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])
    for place in re.findall(r"\b(?:tests|tools|src)/[\w/.]+", text):
        assert (ROOT / place).exists(), place
    for job in load(path)["jobs"].values():
        if "uses" in job:
            assert (ROOT / job["uses"]).is_file()
            assert "workflow_call" in triggers(ROOT / job["uses"])
        else:
            assert job["timeout-minutes"] <= 90


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_to_a_major_version_and_rights_are_few(path):
    for step in steps(path):
        if "uses" in step:
            assert re.fullmatch(r"[\w/-]+@(v\d+|release/v\d+)", step["uses"])
    assert load(path)["permissions"] == {"contents": "read"}


def test_only_the_release_and_the_site_may_write():
    granted = {
        (path.stem, name): job["permissions"]
        for path in WORKFLOWS
        for name, job in load(path)["jobs"].items()
        if "permissions" in job
    }
    assert granted == {
        ("docs", "publish"): {"pages": "write", "id-token": "write"},
        ("release", "publish"): {"id-token": "write"},
        ("security", "codeql"): {"contents": "read", "security-events": "write"},
    }


def test_a_release_is_of_a_tag_and_needs_the_wheels():
    path = ROOT / ".github" / "workflows" / "release.yml"
    assert triggers(path) == {"push": {"tags": ["v*"]}}
    jobs = load(path)["jobs"]
    assert jobs["publish"]["needs"] == "build"
    assert jobs["publish"]["environment"]["name"] == "pypi"
    uploaded = [
        step["with"]["name"]
        for step in steps(ROOT / ".github" / "workflows" / "wheels.yml")
        if step.get("uses", "").startswith("actions/upload-artifact")
    ]
    (pattern,) = [step["with"]["pattern"] for step in jobs["publish"]["steps"] if "with" in step]
    assert len(uploaded) == 2
    assert all(name.startswith(pattern.removesuffix("*")) for name in uploaded)


def test_classifiers_claim_what_is_built_and_tested():
    wheels = load(ROOT / ".github" / "workflows" / "wheels.yml")["jobs"]
    built = {
        (each["name"], each["archs"]) for each in wheels["wheels"]["strategy"]["matrix"]["include"]
    }
    assert {name.partition("-")[0] for name, _ in built} == {"linux", "macos", "windows"}
    assert sorted(classified("Operating System :: ")) == [
        "MacOS",
        "Microsoft :: Windows",
        "POSIX :: Linux",
    ]
    settings = CONFIGURATION["tool"]["cibuildwheel"]
    for system in ("linux", "macos", "windows"):
        archs = [arch for name, arch in built if name.startswith(system)]
        assert sorted(archs) == sorted(settings[system]["archs"])
    versions = [each for each in classified("Programming Language :: Python :: ") if "." in each]
    own = [f"3.{each[3:-2].removeprefix('3')}" for each in settings["build"]]
    assert own == ["3.11", "3.12"]
    later = wheels["later"]["strategy"]["matrix"]["python"]
    assert set(versions) <= {*own, *later}
    # The wheel of 3.12 serves later versions as it uses the stable interface alone.
    assert CONFIGURATION["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"


def test_the_test_of_each_wheel_is_there():
    command = CONFIGURATION["tool"]["cibuildwheel"]["test-command"]
    assert (ROOT / command.partition("{project}/")[2]).is_file()


def test_the_recipe_depends_on_what_the_package_depends_on():
    recipe = load(ROOT / "recipe" / "recipe.yaml")
    run = {each.replace(" ", "") for each in recipe["requirements"]["run"]}
    assert run == {*PROJECT["dependencies"], f"python{PROJECT['requires-python']}"}
    host = {each.replace(" ", "") for each in recipe["requirements"]["host"]}
    assert set(CONFIGURATION["build-system"]["requires"]) == host - {"python", "pip"}
    assert recipe["context"]["version"] == VERSION
    assert recipe["about"]["summary"] == PROJECT["description"]
    (entry,) = recipe["build"]["python"]["entry_points"]
    name, _, target = entry.partition(" = ")
    assert PROJECT["scripts"] == {name: target}


def test_make_installs_everything_for_the_demonstration_and_the_tests():
    makefile = (ROOT / "Makefile").read_text()
    rules = dict(re.findall(r"^([^\s:#]+):([^\n]*(?:\n\t[^\n]*)*)", makefile, re.MULTILINE))
    assert rules["demo"].startswith(" $(VENV)/package")
    assert '".[all]"' in rules["$(VENV)/package"]
    assert '".[dev]"' in rules["$(VENV)/development"]
    assert "auditwheel repair" in rules["wheel"]
    assert "tools/check_core_install.py" in rules["wheel"]
