"""Products of a network of OpenVINO in 8-bit integers: weights alone, or activations with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LARGEST = 127.0
_SMOOTHING = 0.85
"""How much of a channel's range moves from the activation into the weights. For all-MiniLM-L6-v2 the
velocity is as near to float32 from .8 to .95 (r .996), and less at .7 (.993) and at 1 (.991)."""
_STEPS = 8
"""Ranges are rounded up to a power of two by so many steps an octave: the last bits of a processor's
arithmetic then play no part, and there is some room for what calibration did not see."""
_SMALLEST = 1e-4


def products(network: Any) -> list[Any]:
    """The products with a constant matrix, in order."""
    return [
        node
        for node in network.get_ordered_ops()
        if node.get_type_name() == "MatMul"
        and node.input(1).get_source_output().get_node().get_type_name() == "Constant"
        and len(node.input(1).get_source_output().get_shape()) == 2
    ]


def round_weights(network: Any) -> int:
    """Round the constant matrices of all products to 8 bits; gives how many there were.

    Symmetric, a scale for each output channel: ``w ~ q * max|w| / 127``. Activations are left to
    the engine, which rounds them as they come.
    """
    found = products(network)
    for node in found:
        _set_weights(node, _weights(node))
    return len(found)


def round_all(network: Any, inputs: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> int:
    """Round weights and activations of all products to 8 bits; gives how many there were.

    An activation has one scale, fixed by the largest values that it takes for some inputs. Its
    channels differ by a factor of ten and more, so each is divided by ``max|x|^a / max|w|^(1-a)``
    before and its weights are multiplied by it (SmoothQuant, Xiao et al. 2022, arXiv:2211.10438).

    Parameters
    ----------
    network : openvino.Model
        In float32; it is changed.
    inputs : sequence of (ids, mask)
        What to see the ranges from, each (windows, length), without padding.
    """
    from openvino import opset13

    def constant(values: Any) -> Any:
        return opset13.constant(np.asarray(values, np.float32))

    groups = _by_activation(products(network))
    for nodes, largest in zip(groups, _largest_activations(network, inputs), strict=True):
        weights = [_weights(node) for node in nodes]
        heaviest = np.max([np.abs(w).max(axis=1) for w in weights], axis=0)
        smooth = _smoothing(largest, heaviest)
        limit = float((largest / smooth).max())
        low, high = constant(-limit * (_LARGEST + 1) / _LARGEST), constant(limit)
        smoothed = opset13.multiply(nodes[0].input(0).get_source_output(), constant(1 / smooth))
        rounded = opset13.fake_quantize(smoothed, low, high, low, high, 256).output(0)
        for node, w in zip(nodes, weights, strict=True):
            node.input(0).replace_source_output(rounded)
            _set_weights(node, w * smooth[:, None])
    return sum(map(len, groups))


def calibration_inputs(
    ids: NDArray[np.int32], before: Sequence[int], after: Sequence[int], window: int
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Tokens as inputs of a model, ``window`` at a time between its special tokens."""
    parts = [ids[at : at + window] for at in range(0, len(ids), window)]
    rows = [np.array([[*before, *part, *after]], np.int64) for part in parts]
    return [(row, np.ones_like(row)) for row in rows]


def _smoothing(largest: NDArray[np.float32], heaviest: NDArray[np.float32]) -> NDArray[np.float32]:
    """The divisor of each channel, with a geometric mean of 1."""
    factors = largest**_SMOOTHING / np.maximum(heaviest, _SMALLEST) ** (1 - _SMOOTHING)
    return np.asarray(factors / np.exp(np.log(factors).mean()), np.float32)


def _largest_activations(
    network: Any, inputs: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]]
) -> list[NDArray[np.float32]]:
    """The largest absolute value of each channel that the products are given, by activation."""
    from vchunk.adapters.encoders.openvino_model import import_openvino

    seen = network.clone()
    states = len(seen.outputs)
    seen.add_outputs([nodes[0].input(0).get_source_output() for nodes in _by_activation(products(seen))])
    compiled = import_openvino().Core().compile_model(seen, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    largest: list[NDArray[np.float32]] = []
    for ids, mask in inputs:
        results = compiled([ids, mask])
        channels = [
            np.abs(results[at].reshape(-1, results[at].shape[-1])).max(axis=0)
            for at in range(states, len(seen.outputs))
        ]
        largest = [np.maximum(*pair) for pair in zip(largest, channels, strict=True)] if largest else channels
    return [np.exp2(np.ceil(np.log2(np.maximum(one, _SMALLEST)) * _STEPS) / _STEPS) for one in largest]


def _by_activation(nodes: Sequence[Any]) -> list[list[Any]]:
    """Products of the same activation together, in order."""
    groups: dict[tuple[str, int], list[Any]] = {}
    for node in nodes:
        source = node.input(0).get_source_output()
        groups.setdefault((source.get_node().get_friendly_name(), source.get_index()), []).append(node)
    return list(groups.values())


def _weights(node: Any) -> NDArray[np.float32]:
    """The matrix of a product, (input channels, output channels)."""
    weights: NDArray[np.float32] = node.input(1).get_source_output().get_node().get_data()
    return weights.T if node.get_attributes()["transpose_b"] else weights


def _set_weights(node: Any, weights: NDArray[np.float32]) -> None:
    """Give a product a matrix, (input channels, output channels), in 8 bits with a scale an output channel."""
    from openvino import opset13

    scale = np.abs(weights).max(axis=0, keepdims=True) / np.float32(_LARGEST)
    scale[scale == 0] = 1.0
    if node.get_attributes()["transpose_b"]:
        weights, scale = weights.T, scale.T
    rounded = opset13.constant(np.rint(weights / scale).astype(np.int8), dtype=np.int8)
    weighed = opset13.multiply(opset13.convert(rounded, "f32"), opset13.constant(scale.astype(np.float32)))
    node.input(1).replace_source_output(weighed.output(0))
