#!/usr/bin/env python3
"""Say which texts stand twice in this folder, and which of them stand in the streams of another: `training/apart.py FOLDER`.

A stream is a `*.jsonl` of {"payload": {"other"}, "utterance"?} a line.  Texts are compared without case, signs and blanks.
"""
import collections, glob, json, os, re, sys, unicodedata

HERE = os.path.dirname(os.path.abspath(__file__))


def plain(text):
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).lower()))


def own():
    """-> {plain text: [file]}"""
    texts = collections.defaultdict(list)
    for path in sorted(glob.glob(f"{HERE}/*/*.txt")):
        is_noise = False
        for line in open(path, encoding="utf-8").read().splitlines():
            if "/corpus/" in path and line.startswith(("# ", "=== ")):
                is_noise = line == "# noise"
            elif line.strip():
                marked = is_noise or "/corpus/" not in path
                texts[plain(line[2:] if marked else line)].append(os.path.basename(path))
    return texts


def said(folder):
    for path in glob.glob(f"{folder}/**/*.jsonl", recursive=True):
        for line in open(path, encoding="utf-8"):
            line = json.loads(line)
            other = line.get("payload", {}).get("other")
            parts = other.values() if isinstance(other, dict) else other if isinstance(other, list) else [other]
            yield from (plain(text) for text in [*parts, line.get("utterance")] if isinstance(text, str))


texts = own()
twice = {text: paths for text, paths in texts.items() if len(paths) > 1}
print(f"{len(texts)} texts, {sum(len(paths) - 1 for paths in twice.values())} of them twice")
for text, paths in twice.items():
    print("  twice:", text or "(signs alone)", *paths)
if sys.argv[1:]:
    also = sorted(set(said(sys.argv[1])) & set(texts))
    print(f"{len(also)} stand there as well")
    for text in also:
        print("  also:", text, *texts[text])
