#!/usr/bin/env python3
"""Train what the engine asks of a text beside its vector: does it ask for something, does it order a model about, is its meaning sensitive?

    train.py MODELS [--only NAME]

One logistic regression for each question and each model, on the sentence vector that the model gives, from the texts beside this file:
`corpus/` (wishes and lines that ask for nothing), `orders/`, `sensitive/`.  Writes MODELS/NAME/heads.json and prints what a model card
says.  Figures are of services (or of lines, where there are no services) that were left out in turn; the weights are of all of them.
Two runs give the same bytes: full batches in float64, no randomness.
"""
import argparse, glob, hashlib, json, os, re, sys
os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np, onnxruntime
from tokenizers import Tokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = {  # folder -> languages that it reads, as in the names of the files
    "minilm-l6-v2-w8": ["en"],
    "use-m-v3-w8": ["en", "de", "es", "fr", "it", "ja", "nl", "pl", "pt", "ru", "tr", "zh"],
}
RIDGE = 1.0      # of the weights' squares: what the usual packages take by themselves; .1 is a tie, .01 and 10 are worse on left-out services
FOLDS = 8        # services are left out an eighth at a time
TOKENS_MAX = 64  # longer texts are cut: a fragment that is read has at most 400 characters
PURITY = 0.91    # of clusters at the link threshold, on the corpus: where fragments of two wishes seldom meet
NOISE = dict(q="question", s="statement", t="chit_chat", n="nothing", b="boilerplate", g="gibberish")


def corpus(languages):
    """-> [(service, wish or None, kind of noise or None, text)]"""
    out = []
    for language in languages:
        for path in sorted(glob.glob(f"{HERE}/corpus/{language}_*.txt")):
            wish = service = None
            for line in open(path, encoding="utf-8"):
                line = line.rstrip("\n")
                if line.startswith("=== "): service = f"{language}_{line[4:]}"
                elif line.startswith("# "): wish = line[2:]
                elif not line.strip(): continue
                elif wish == "noise": out.append((service, None, NOISE[line[0]], line[2:]))
                else: out.append((service, wish, None, line))
    return out


def twins(folder, languages):
    """-> [(is it, text)] of orders or sensitive wishes with their harmless twins"""
    lines = [l.rstrip("\n") for lang in languages for l in open(f"{HERE}/{folder}/{lang}.txt", encoding="utf-8") if l.strip()]
    return [(l[0] == "+", l[2:]) for l in lines]


class Encoder:
    """Texts -> unit vectors, one text at a time so that no vector depends on its neighbours."""

    def __init__(self, folder):
        self.tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(TOKENS_MAX)
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
    """Logistic regression by Newton's method; balanced where both classes are to weigh the same. -> weights, bias"""
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


def left_out(x, y, groups, balanced):
    """Score of each, by weights that have not seen its group; 0 is an even chance."""
    names = sorted(set(groups))
    fold = {g: i % FOLDS for i, g in enumerate(names)}
    at, p = np.array([fold[g] for g in groups]), np.zeros(len(y))
    for f in range(FOLDS):
        w, b = fit(x[at != f], np.asarray(y)[at != f], balanced)
        p[at == f] = x[at == f] @ w + b
    return p


def average_link(x):
    """Likeness at which each pair of clusters is joined, by average linkage: [(likeness, a, b)] as indices grow. Small inputs."""
    n = len(x)
    s, size, alive, joins = x @ x.T, [1] * n, list(range(n)), []
    np.fill_diagonal(s, -2)
    live = np.ones(n, bool)
    for _ in range(n - 1):
        i, j = divmod(int(np.where(live[:, None] & live[None, :], s, -2).argmax()), n)
        i, j = min(i, j), max(i, j)
        joins.append((float(s[i, j]), i, j))
        row = (size[i] * s[i] + size[j] * s[j]) / (size[i] + size[j])
        s[i], s[:, i] = row, row
        s[i, i] = -2
        size[i] += size[j]
        live[j] = False
    return joins


def purity_at(joins, labels, link):
    """B-cubed purity and recall of the clusters whose likeness reaches a link threshold."""
    group = list(range(len(labels)))
    def root(i):
        while group[i] != i: i = group[i]
        return i
    for s, i, j in joins:
        if s < link: break
        group[root(j)] = root(i)
    g, y = np.array([root(i) for i in range(len(labels))]), np.array(labels)
    same, alike = g[:, None] == g, y[:, None] == y
    return ((same & alike).sum(1) / same.sum(1)).mean(), ((same & alike).sum(1) / alike.sum(1)).mean()


def link(encoder, rows):
    """The lowest link threshold whose clusters are pure enough, on each service's own wishes."""
    by = {}
    for service, wish, _, text in rows:
        if wish: by.setdefault(service, []).append((wish, text))
    made = []
    for lines in by.values():
        v = encoder([t for _, t in lines])
        v = v - v.mean(0)
        made.append((average_link(v / np.linalg.norm(v, axis=1, keepdims=True)), [w for w, _ in lines]))
    for threshold in np.arange(0.06, 0.6, 0.01):
        figures = np.mean([purity_at(j, w, threshold) for j, w in made], 0)
        if figures[0] >= PURITY: return round(float(threshold), 2), figures
    sys.exit("no threshold makes clusters that are pure enough")


def rounded(values):
    return [round(float(v), 6) for v in values]


def train(folder, languages):
    name = os.path.basename(folder)
    encoder = Encoder(folder)
    rows, orders, sensitive = corpus(languages), twins("orders", languages), twins("sensitive", languages)
    wishes = [r[3] for r in rows if r[1]]
    heads, card = {}, []

    def head(name, lines, balanced):
        """lines: (group, is it, text)"""
        x, y = encoder([t for _, _, t in lines]), [is_it for _, is_it, _ in lines]
        z = left_out(x, y, [g for g, _, _ in lines], balanced)
        heads[name] = fit(x, y, balanced)
        told = np.asarray(y, bool)
        card.append(f"{name}: AUC {auc(y, z):.3f} on what is left out; found {(z[told] >= 0).mean():.3f}, false alarms {(z[~told] >= 0).mean():.3f}")
        return z

    # Wishes of the corpus stand beside the twins as neither orders nor sensitive: nearly all real traffic is that, a few of them are not.
    beside = [(f"wish {i:05}", False, t) for i, t in enumerate(wishes)]
    every = [(r[0], r[1] is not None, r[3]) for r in rows]
    # An order asks a model, not the service; its twin and what is sensitive ask the service.
    every += [(f"order {i:05}", not is_it, t) for i, (is_it, t) in enumerate(orders)]
    every += [(f"sensitive {i:05}", True, t) for i, (_, t) in enumerate(sensitive)]
    z = head("demand", every, False)
    for kind in ["wish", *NOISE.values()]:
        mine = [s >= 0 for s, r in zip(z, rows) if (r[2] or "wish") == kind]
        card.append(f"  taken for demand: {np.mean(mine):.2f} of {len(mine)} {kind}")
    head("orders", [(f"{i:05}", *p) for i, p in enumerate(orders)] + beside, True)
    head("sensitive", [(f"{i:05}", *p) for i, p in enumerate(sensitive)] + beside, True)
    threshold, (purity, recall) = link(encoder, rows)
    card.append(f"link: {threshold} where clusters of the corpus have a purity of {purity:.3f} (recall {recall:.3f})")
    out = dict(
        model=name, link=threshold, languages=sorted(languages), mean=rounded(encoder(wishes).mean(0)),
        **{name: dict(bias=round(float(bias), 6), weights=rounded(weights)) for name, (weights, bias) in heads.items()},
    )
    text = json.dumps(out, separators=(",", ":"), sort_keys=True) + "\n"
    with open(f"{folder}/heads.json", "w") as file: file.write(text)
    services = len({r[0] for r in rows})
    print(f"{name}: {services} services, {sum(r[1] is not None for r in rows)} wordings, {sum(r[1] is None for r in rows)} lines without demand")
    for line in card: print("  " + line)
    print(f"  heads.json SHA-256 {hashlib.sha256(text.encode()).hexdigest()}")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("models")
    arguments.add_argument("--only")
    given = arguments.parse_args()
    for name, languages in MODELS.items():
        if given.only in (None, name): train(os.path.join(given.models, name), languages)
