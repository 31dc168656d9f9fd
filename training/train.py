#!/usr/bin/env python3
"""Train what the engine asks of a sentence beside its vector: does it order a model about, is it a wish that a person should look at, does
it ask for anything?

Logistic regressions on the vectors of each model, from the texts beside this file in the languages that the model reads: `orders/` and
`sensitive/` with their harmless twins, and the wishes and the noise of `corpus/`.  Figures are of texts that were left out in turn, those of
one service together; the weights are of all of them.  Two runs give the same bytes: full batches in float64, no randomness.
"""
import argparse, glob, hashlib, json, os, tomllib
os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np, onnxruntime
from tokenizers import Tokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
RIDGE = 0.3        # of the weights' squares: for orders and demand a tie with 1, which the usual packages take; for sensitive wishes better
FOLDS = 8          # an eighth of the texts is left out at a time
SHOWN = 10         # texts of either side of each head by which the service is held to the same scores


def corpus(languages):
    """-> [(is it a wish, service, text)], every wording and every line that asks for nothing"""
    lines = []
    for path in sorted(p for language in languages for p in glob.glob(f"{HERE}/corpus/{language}_*.txt")):
        wish = None
        for line in open(path, encoding="utf-8").read().splitlines():
            if line.startswith("# "): wish = line[2:]
            elif line and not line.startswith("=== "):
                # Noise begins with a letter for its kind.
                lines.append((wish != "noise", os.path.basename(path), line[2:] if wish == "noise" else line))
    return lines


def twins(folder, languages):
    """-> [(is it, text)] with the harmless twins"""
    paths = [p for language in languages for p in glob.glob(f"{HERE}/{folder}/{language}.txt")]
    lines = [l.rstrip("\n") for path in paths for l in open(path, encoding="utf-8") if l.strip()]
    return [(l[0] == "+", l[2:]) for l in lines]


def material(head, languages):
    """-> [(is it, text)], the fold of each, whether both sides weigh the same"""
    lines = corpus(languages)
    services = sorted({service for _, service, _ in lines})
    if head == "demand":
        # Whoever orders a model about asks for something that is no wish: its harmless twins are, and all that is sensitive.
        own = [(True, text) for is_it, text in twins("orders", languages) if not is_it]
        own += [(True, text) for _, text in twins("sensitive", languages)]
        beside = lines
    else:
        # Wishes of the corpus stand beside the twins as none: nearly all real traffic is that.
        own, beside = twins(head, languages), [(False, service, text) for is_wish, service, text in lines if is_wish]
    folds = [i % FOLDS for i in range(len(own))] + [services.index(service) % FOLDS for _, service, _ in beside]
    return own + [(is_it, text) for is_it, _, text in beside], np.array(folds), head != "demand"


class Encoder:
    """Texts -> unit vectors, one text at a time so that no vector depends on its neighbours."""

    def __init__(self, folder):
        with open(f"{folder}/calibration.toml", "rb") as file:
            calibration = tomllib.load(file)
        self.model, self.languages = f"{calibration['name']}/{calibration['width']}", calibration["languages"]
        self.tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(calibration["tokens_max"])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(f"{folder}/model.onnx", options)
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


def fit(x, y, balanced):
    """Logistic regression by Newton's method. -> weights, bias"""
    x = np.hstack([x, np.ones((len(x), 1))])
    y = np.asarray(y, float)
    each = np.where(y > 0, 0.5 / y.mean(), 0.5 / (1 - y.mean())) if balanced else np.ones(len(y))
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


def left_out(x, y, folds, balanced):
    """Score of each text by weights that have not seen it; 0 is an even chance."""
    z = np.zeros(len(y))
    for fold in range(FOLDS):
        weights, bias = fit(x[folds != fold], y[folds != fold], balanced)
        z[folds == fold] = x[folds == fold] @ weights + bias
    return z


def rounded(values):
    return [round(float(v), 6) for v in values]


def asked(languages):
    """-> the heads of a model.  On vectors of the small one for English a head for sensitive wishes flags one harmless wish in four."""
    return ["demand", "orders"] + ["sensitive"] * (len(languages) > 1)


def train(folder, agreement):
    encoder = Encoder(folder)
    heads = dict(model=encoder.model)
    print(f"{encoder.model}, {len(encoder.languages)} languages")
    for name in asked(encoder.languages):
        lines, folds, balanced = material(name, encoder.languages)
        x, y = encoder([t for _, t in lines]), np.array([is_it for is_it, _ in lines])
        z = left_out(x, y, folds, balanced)
        weights, bias = fit(x, y, balanced)
        head = heads[name] = dict(bias=round(float(bias), 6), weights=rounded(weights))
        print(f"  {name}: {y.sum()} of {len(y)} texts; of texts left out: AUC {auc(y, z):.3f}, found {(z[y] >= 0).mean():.3f}, "
              f"false alarms {(z[~y] >= 0).mean():.3f}")
        # What the service is held to: its chances of these texts are the same to a thousandth.
        for side in (True, False):
            texts = [text for is_it, text in lines if is_it == side]
            for text in texts[:: len(texts) // SHOWN][:SHOWN]:
                score = float(encoder([text])[0] @ np.array(head["weights"]) + head["bias"])
                agreement.write(f"{encoder.model}\t{name}\t{score:.6f}\t{text}\n")
    text = json.dumps(heads, separators=(",", ":"), sort_keys=True) + "\n"
    with open(f"{folder}/heads.json", "w") as file:
        file.write(text)
    print(f"  heads.json: SHA-256 {hashlib.sha256(text.encode()).hexdigest()}")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("models", help="folder of the models' folders; heads.json is written into each")
    models = arguments.parse_args().models
    with open(f"{HERE}/agreement.tsv", "w", encoding="utf-8") as file:
        for calibration in sorted(glob.glob(f"{models}/*/calibration.toml")):
            train(os.path.dirname(calibration), file)
