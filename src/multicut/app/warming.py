"""Imports and files loaded in advance, so that the first visitor does not wait."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from multicut._extras import is_installed
from multicut.app import network
from multicut.app.samples import make_sample, sample_names
from multicut.app.solving import Choices, solve_subject
from multicut.app.subjects import GraphSubject
from multicut.app.views import picture_of, picture_of_traces

if TYPE_CHECKING:
    from multicut.app.limits import AppLimits

_LOG = logging.getLogger(__name__)


def warm_up(limits: AppLimits) -> None:
    """Load what the first click on each button needs: libraries, fonts and the default network.

    A failure is logged and nothing else; visitors will see it if it concerns them.
    """
    try:
        subject = make_sample(sample_names()[0])
        solved = solve_subject(subject, Choices(time_limit=1.0), limits)
        picture_of(subject, solved, "")
        picture_of_traces(solved)
        model = network.default_model()
        if model is None or not is_installed("torch"):
            return
        small = make_sample("Graph: IrisMP")
        assert isinstance(small, GraphSubject)
        solved = solve_subject(small, Choices(time_limit=1.0), limits)
        insight = network.ask_network(solved.problem, model)
        network.picture_of_similarity(insight)
    except Exception as error:
        _LOG.warning("the page could not be warmed up", exc_info=error)
