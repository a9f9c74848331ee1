"""Loading torch and a model while a deadline, a callback and Ctrl-C are still obeyed.

Importing torch and its first use of a GPU take seconds and cannot be stopped, so a thread of its
own does that. A solver whose time is up returns without it; the thread goes on, and the next solve
finds torch loaded.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut.address_space import room_left
from multicut.forks import after_fork
from multicut.models.registry import find_model

if TYPE_CHECKING:
    import torch

    from multicut.nn.model import Model
    from multicut.watch import Watch

# Seconds between looks at what may end the solve before its deadline.
_PAUSE = 0.1
# What libraries and objects take beside the files of torch's own libraries.
_BYTES_BESIDE_LIBRARIES = 350 * 2**20
# What the system, torch and Python's loader say where memory is short.
_SIGNS = ("allocate memory", "not enough memory", "failed to map segment", "bad_alloc")
_ADVICE = "use a solver without a network, such as 'fusion'"


class Loader:
    """Loads a model in a thread of its own.

    Parameters
    ----------
    model, device, default
        As :func:`multicut.models.ready.ready_model` takes them.

    Attributes
    ----------
    seconds
        How long loading took, where torch had to be imported or had not used the GPU yet; else
        None.
    """

    def __init__(
        self, model: str | os.PathLike[str] | Model | None, device: str | None, default: str
    ) -> None:
        self._arguments = (model, device, default)
        # Importing torch, or its first use of a GPU.
        self._takes_long = "torch" not in sys.modules or is_loading() or _starts_gpu(model, device)
        self._model: Model | None = None
        self._error: BaseException | None = None
        self._done = threading.Event()
        self.seconds: float | None = None

    def load(self, watch: Watch, is_over: Callable[[], bool]) -> Model | None:
        """Return the model; None if `is_over`, which is asked often, says so before it is there.

        Meanwhile the callback of the solve hears what it is waiting for.
        """
        check_not_half_loaded()
        if not self._takes_long:
            # What is left to load takes milliseconds, and errors in the arguments come first.
            self._load()
            return self._result()
        check_room_for_torch()
        if is_over():
            return None
        start = watch.elapsed
        describe, watch.describe = watch.describe, lambda: (None, {"loading": "torch"})
        # Not a daemon: Python must not end in the middle of an import. It is listed before it
        # begins, as a fork may come at any time from here on.
        thread = threading.Thread(target=self._load_aside, name="multicut: loading torch")
        _loading.add(self._done)
        try:
            thread.start()
        except RuntimeError:
            _loading.discard(self._done)
            raise
        try:
            while not self._done.wait(min(_PAUSE, watch.seconds_left)):
                if is_over():
                    return None
        finally:
            watch.describe = describe
            self.seconds = watch.elapsed - start
        return self._result()

    def details(self, model: Model | None) -> dict[str, Any]:
        """Return what there is to say of the model, and of how long it was waited for."""
        if model is None:
            given, _, default = self._arguments
            found: dict[str, Any] = {"model": find_model(default if given is None else given).name}  # type: ignore[arg-type]
        else:
            name = model.name or model.network.config.architecture
            found = {"model": name, "device": str(model.device)}
        if self.seconds is not None:
            found["loading_seconds"] = self.seconds
        return found

    def _load_aside(self) -> None:
        try:
            self._load()
        finally:
            _loading.discard(self._done)
            self._done.set()

    def _load(self) -> None:
        try:
            from multicut.models.ready import ready_model

            self._model = ready_model(*self._arguments)
        except BaseException as error:
            self._error = error

    def _result(self) -> Model | None:
        if self._error is None:
            return self._model
        if is_shortage(self._error):
            raise MemoryError(f"not enough memory to load torch; {_ADVICE}") from None
        raise self._error


class GpuLoader(Loader):
    """Imports torch and makes a GPU ready, without a model.

    Parameters
    ----------
    device
        Such as ``"cuda:1"``; by default the first GPU.
    warm_up
        Called once for each device: compiles kernels, which takes seconds and cannot be stopped.

    Attributes
    ----------
    device
        The device, once it is loaded.
    """

    def __init__(self, device: str | None, warm_up: Callable[[torch.device], object]) -> None:
        name = device or "cuda"
        super().__init__(None, name, "")
        self._takes_long = self._takes_long or name not in _warm
        self._warm_up = warm_up
        self.device: torch.device | None = None

    @property
    def is_ready(self) -> bool:
        """Whether nothing has to be imported or compiled any more."""
        return not self._takes_long

    def _load(self) -> None:
        try:
            from multicut.models.devices import as_device

            name = str(self._arguments[1])
            device = as_device(name)
            if name not in _warm:
                self._warm_up(device)
                _warm.add(name)
            self.device = device
        except BaseException as error:
            self._error = error


_warm: set[str] = set()  # devices whose kernels are compiled
_loading: set[threading.Event] = set()  # of imports under way; each is set when it is done
_is_half_loaded = False


def _starts_gpu(model: object, device: str | None) -> bool:
    """Whether a model, given by name or loaded, is the first to be brought to a GPU."""
    from multicut.models.devices import may_have_gpu

    is_loaded = not (model is None or isinstance(model, str | os.PathLike))
    if (is_loaded if device is None else not str(device).startswith("cuda")) or not may_have_gpu():
        return False
    import torch

    return not torch.cuda.is_initialized()  # type: ignore[no-untyped-call]


def is_warm(device: str) -> bool:
    """Whether kernels are compiled, so that a solve on this device can begin at once."""
    return device in _warm


def is_loading() -> bool:
    """Whether an import goes on that no solve waits for any more."""
    return bool(_loading)


def _note_fork() -> None:
    global _is_half_loaded
    _is_half_loaded = _is_half_loaded or bool(_loading)
    _loading.clear()


def check_not_half_loaded() -> None:
    """Raise in a process that was forked off while torch was imported: that import never ends."""
    if _is_half_loaded:
        raise RuntimeError(
            "this process was forked while its parent imported torch, so it cannot use networks; "
            "call mc.load_model before the fork, or use multiprocessing.get_context('spawn')"
        )


after_fork(_note_fork)


def check_room_for_torch() -> None:
    """Raise if importing torch would exceed a limit of address space, which ends the process."""
    room = room_left()
    if room is None or "torch" in sys.modules:
        return
    need = _bytes_of_torch()
    if room < need:
        raise MemoryError(
            f"loading torch takes about {need // 2**20:,} MB of address space, and the limit of "
            f"this process (ulimit -v) leaves {room // 2**20:,}; raise it, or {_ADVICE}"
        )


def is_shortage(error: BaseException) -> bool:
    """Whether an error tells of too little memory, of the processor or of a GPU."""
    if isinstance(error, MemoryError):
        return True
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(error, getattr(torch, "OutOfMemoryError", ())):
        return True
    # Some extension modules fail without a word where a limit of address space is met.
    if isinstance(error, SystemError):
        return room_left() is not None
    return isinstance(error, ImportError | OSError | RuntimeError) and any(
        sign in str(error).lower() for sign in _SIGNS
    )


def _bytes_of_torch() -> int:
    """Estimate the address space that torch takes, from the files of its libraries."""
    spec = find_spec("torch")
    folders = [] if spec is None else spec.submodule_search_locations or []
    files = [file for folder in folders for file in Path(folder, "lib").glob("*.so*")]
    return sum(file.stat().st_size for file in files) + _BYTES_BESIDE_LIBRARIES
