"""Networks of OpenVINO: made from a model's weights, rounded to int8, kept in a folder."""

from __future__ import annotations

import shutil
import uuid
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from vchunk.adapters.encoders import calibration_text
from vchunk.adapters.encoders.framing import make_frame
from vchunk.adapters.encoders.openvino_int8 import calibration_inputs, round_all, round_weights
from vchunk.adapters.encoders.openvino_model import INT8, INT8_STATIC, import_openvino, openvino_version
from vchunk.adapters.encoders.torch_device import Device
from vchunk.adapters.encoders.torch_model import load_module, quiet
from vchunk.adapters.encoders.weights import ModelFolder, file_digest
from vchunk.domain.errors import ModelError

_RECIPE = 1
"""Raised whenever the same weights would give another network."""

_FILES = ("network.xml", "network.bin")
_DIGESTS = "digests"
_ALIKE = 1e-2
"""Most relative difference to torch, in float32, at which a converted network is trusted."""
_NEAR = 0.3
"""The same, of int8 with static activations to float32."""
_CALIBRATION_LENGTH = 254
"""Tokens of an input that is calibrated on, special ones included."""


def load_network(folder: ModelFolder, cache: Path | None, dtype: str) -> Any:
    """The network of a model, with inputs ids and attention mask and one output of hidden states.

    Parameters
    ----------
    cache : Path, optional
        A folder that keeps converted networks; one that cannot be written is not used.
    dtype : str
        ``int8`` rounds the weights of products, ``int8-static`` their activations too, by ranges that
        some passages of many kinds give; anything else leaves float32.

    Raises
    ------
    ModelError
        If the model cannot be converted.
    """
    openvino = import_openvino()
    name = f"{folder.content}-openvino-{openvino_version()}-{_kind(dtype)}-{_RECIPE}"
    kept = None if cache is None else cache / name
    if kept is not None and kept.is_dir():
        if _is_whole(kept):
            return openvino.Core().read_model(kept / _FILES[0])
        shutil.rmtree(kept, ignore_errors=True)  # damaged: made again
    network = _convert(folder)
    if dtype == INT8:
        round_weights(network)
    elif dtype == INT8_STATIC:
        _round_all(folder, network)
    if kept is not None:
        _keep(network, kept)
    return network


def _kind(dtype: str) -> str:
    if dtype == INT8_STATIC:
        return f"{dtype}-{calibration_text.VERSION}"
    return dtype if dtype == INT8 else "float32"


def _round_all(folder: ModelFolder, network: Any) -> None:
    """Round activations too, and hold the network against what it was.

    Raises
    ------
    ModelError
        If it is far from that.
    """
    frame = make_frame(folder, window=None, default=_CALIBRATION_LENGTH)
    ids = folder.tokenizer.tokenize("\n\n".join(calibration_text.PASSAGES)).ids
    inputs = calibration_inputs(ids, frame.before, frame.after, frame.window)
    exact = network.clone()
    round_all(network, inputs)
    core, hint = import_openvino().Core(), {"INFERENCE_PRECISION_HINT": "f32"}
    expected, found = (core.compile_model(each, "CPU", hint)(list(inputs[0]))[0] for each in (exact, network))
    difference = np.linalg.norm(found - expected) / max(float(np.linalg.norm(expected)), 1e-9)
    if not difference < _NEAR:
        raise ModelError(f"{folder.name}: {INT8_STATIC} is too coarse for it; use --dtype int8")


def _keep(network: Any, place: Path) -> None:
    """Write a network under a name of its own, then give it its name; whoever is first wins."""
    openvino = import_openvino()
    try:
        made = place.parent / f".making-{uuid.uuid4().hex}"
        made.mkdir(parents=True)
    except OSError:
        return
    try:
        openvino.save_model(network, made / _FILES[0], compress_to_fp16=False)
        (made / _DIGESTS).write_text(_digests(made))
        made.replace(place)
    except (OSError, RuntimeError):
        shutil.rmtree(made, ignore_errors=True)


def _is_whole(place: Path) -> bool:
    """Whether a kept network is what was written."""
    try:
        return (place / _DIGESTS).read_text() == _digests(place)
    except (OSError, ModelError):
        return False


def _digests(place: Path) -> str:
    return "\n".join(file_digest(place / name) for name in _FILES)


def _convert(folder: ModelFolder) -> Any:
    import torch

    openvino = import_openvino()
    module = load_module(folder, "AutoModel", Device(("cpu",), "", "float32"))

    class States(torch.nn.Module):
        """Only what is wanted, so that a pooler is not computed."""

        def __init__(self) -> None:
            super().__init__()
            self.inner = module

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            return self.inner(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state

    example = _example(2, 24)
    with quiet(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of tracing
        try:
            with torch.inference_mode():
                network = openvino.convert_model(States().eval(), example_input=example)
        except Exception as error:  # errors of several libraries
            reason = " ".join(str(error).split())[:160] or type(error).__name__
            raise ModelError(
                f"{folder.name}: OpenVINO cannot convert it ({reason}); use --engine torch"
            ) from error
    _check(folder, network, module)
    return network


def _check(folder: ModelFolder, network: Any, module: Any) -> None:
    """Hold the network against torch at another shape than it was traced with.

    Raises
    ------
    ModelError
        If they disagree.
    """
    import torch

    inputs = _example(3, 40)
    compiled = import_openvino().Core().compile_model(network, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    found = compiled([value.numpy() for value in inputs.values()])[0]
    with torch.inference_mode():
        expected = module(**inputs).last_hidden_state.numpy()
    kept = inputs["attention_mask"].numpy().astype(bool)
    difference = np.linalg.norm(found[kept] - expected[kept]) / max(float(np.linalg.norm(expected[kept])), 1e-9)
    if not difference < _ALIKE:
        raise ModelError(f"{folder.name}: OpenVINO computes something else than torch; use --engine torch")


def _example(rows: int, length: int) -> dict[str, Any]:
    """Ids that every vocabulary has; the last row is padded."""
    import torch

    ids = (torch.arange(rows * length) % 7).reshape(rows, length)
    mask = torch.ones_like(ids)
    mask[-1, length // 2 :] = 0
    return {"input_ids": ids, "attention_mask": mask}
