#!/usr/bin/env python3
"""Train what the engine asks of a sentence beside its vector: does it order a model about?

A logistic regression on the vector that the model gives, from the texts beside this file: `orders/` with their harmless twins, and the
wishes of `corpus/`.  Figures are of texts that were left out in turn; the weights are of all of them.
Two runs give the same bytes: full batches in float64, no randomness.
"""
import argparse, glob, hashlib, json, os
os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np, onnxruntime
from tokenizers import Tokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
NETWORK, TOKENIZER, MODEL = "minilm-l6-v2-w8.onnx", "tokenizer.json", "all-minilm-l6-v2-w8/384"
LANGUAGES = ["en"]  # that the model reads, as in the names of the files
RIDGE = 1.0        # of the weights' squares, what the usual packages take by themselves; .1 is a tie on texts left out
FOLDS = 8          # an eighth of the texts is left out at a time
TOKENS_MAX = 256  # as many as the service gives the model


def wishes(languages):
    """-> the services' names, and every wording of a wish"""
    services, texts = [], []
    for path in sorted(p for language in languages for p in glob.glob(f"{HERE}/corpus/{language}_*.txt")):
        services.append(os.path.basename(path))
        wish = None
        for line in open(path, encoding="utf-8").read().splitlines():
            if line.startswith("# "): wish = line[2:]
            elif line and not line.startswith("=== ") and wish != "noise": texts.append(line)
    return services, texts


def twins(folder, languages):
    """-> [(is it, text)] with the harmless twins"""
    lines = [l.rstrip("\n") for lang in languages for l in open(f"{HERE}/{folder}/{lang}.txt", encoding="utf-8") if l.strip()]
    return [(l[0] == "+", l[2:]) for l in lines]


class Encoder:
    """Texts -> unit vectors, one text at a time so that no vector depends on its neighbours."""

    def __init__(self, folder):
        self.tokenizer = Tokenizer.from_file(f"{folder}/{TOKENIZER}")
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(TOKENS_MAX)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(f"{folder}/{NETWORK}", options)
        self.inputs = {i.name for i in self.session.get_inputs()}
        self.memory = {}

    def one(self, text):
        ids = np.array([self.tokenizer.encode(text).ids], np.int64)
        every = dict(input_ids=ids, attention_mask=np.ones_like(ids), token_type_ids=np.zeros_like(ids))
        out = self.session.run(None, {k: v for k, v in every.items() if k in self.inputs})[0][0]
        vector = out.mean(0) if out.ndim == 2 else out
        return vector / np.linalg.norm(vector)

    def __call__(self, texts):
        for text in texts:
            if text not in self.memory: self.memory[text] = self.one(text)
        return np.array([self.memory[t] for t in texts], np.float64)


def fit(x, y):
    """Logistic regression by Newton's method, both classes weighing the same. -> weights, bias"""
    x = np.hstack([x, np.ones((len(x), 1))])
    y = np.asarray(y, float)
    each = np.where(y > 0, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
    ridge = np.full(x.shape[1], RIDGE)
    ridge[-1] = 0
    w = np.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        step = np.linalg.solve((x * (each * p * (1 - p))[:, None]).T @ x + np.diag(ridge + 1e-9), x.T @ (each * (p - y)) + ridge * w)
        w -= step
        if np.abs(step).max() < 1e-10: break
    return w[:-1], w[-1]


def auc(y, p):
    order = np.argsort(np.argsort(p, kind="stable"), kind="stable") + 1
    n = sum(y)
    return (order[np.asarray(y, bool)].sum() - n * (n + 1) / 2) / (n * (len(y) - n))


def left_out(x, y):
    """Score of each text by weights that have not seen it; 0 is an even chance."""
    at, z = np.arange(len(y)) % FOLDS, np.zeros(len(y))
    for fold in range(FOLDS):
        weights, bias = fit(x[at != fold], y[at != fold])
        z[at == fold] = x[at == fold] @ weights + bias
    return z


def rounded(values):
    return [round(float(v), 6) for v in values]


def train(folder):
    encoder = Encoder(folder)
    orders, (services, texts) = twins("orders", LANGUAGES), wishes(LANGUAGES)
    # Wishes of the corpus stand beside the twins as no orders: nearly all real traffic is that.
    beside = [(False, t) for t in texts]
    lines = orders + beside
    x, y = encoder([t for _, t in lines]), np.array([is_it for is_it, _ in lines])
    z = left_out(x, y)
    weights, bias = fit(x, y)
    head = dict(bias=round(float(bias), 6), weights=rounded(weights))
    print(f"{MODEL}: {len(services)} services with {len(texts)} wishes, {y.sum()} orders of {len(y)} texts; of texts left out: "
          f"AUC {auc(y, z):.3f}, found {(z[y] >= 0).mean():.3f}, false alarms {(z[~y] >= 0).mean():.3f}")
    # What the service is held to: its chances of these texts are the same to a thousandth.
    with open(f"{HERE}/agreement.tsv", "w", encoding="utf-8") as file:
        for _, text in orders[:: len(orders) // 20] + beside[:: len(beside) // 10]:
            score = float(encoder([text])[0] @ np.array(head["weights"]) + head["bias"])
            file.write(f"{score:.6f}\t{text}\n")
    text = json.dumps(dict(model=MODEL, orders=head), separators=(",", ":"), sort_keys=True) + "\n"
    with open(f"{folder}/heads.json", "w") as file:
        file.write(text)
    print(f"  heads.json: SHA-256 {hashlib.sha256(text.encode()).hexdigest()}")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("models", help="folder of the network and its tokenizer; heads.json is written there")
    train(arguments.parse_args().models)
