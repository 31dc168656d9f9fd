"""Gives every export to those who read it: llguidance, xgrammar, outlines-core, tsc, and tokenizers of OpenAI's models.

    check.py OTHERWISE NODE_MODULES TEMPLATE...

Every export of every template must compile wherever it is for; the templates in cases.json come with payloads that must be
taken and others that must not. What a decoder cannot read stands in CANNOT, and what stands there must still fail.
"""

import importlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import types

HERE = pathlib.Path(__file__).parent

# (decoder, form, template): why it cannot be compiled, from the decoder's own message.
CANNOT = {
    ("llguidance", "json-schema", "food_drink_order_v1"): "uniqueItems",
}
SCHEMAS = ["json-schema", "json-schema-strict", "openai-tool", "anthropic-tool", "mcp-tool"]


class Absent:
    """Stands where a library is named and never called: xgrammar names torch for its masks, which nothing here asks for."""

    def __init__(self, *_, **__):
        pass

    def __getattr__(self, _):
        return Absent

    def __call__(self, *_, **__):
        return self


def stand_in(name):
    module = types.ModuleType(name)
    module.__getattr__ = lambda attribute: type(attribute, (Absent,), {})
    sys.modules[name] = module


def schema_of(form, text):
    document = json.loads(text)
    if form == "openai-tool":
        return document["function"]["parameters"]
    return document.get("input_schema") or document.get("inputSchema") or document


def xgrammar():
    importlib.import_module("tvm_ffi")
    for name in ["torch", "transformers", "triton"]:
        stand_in(name)
    import xgrammar as xgr

    end = 256
    letters = [bytes([byte]) for byte in range(256)] + [b"</s>"]
    info = xgr.TokenizerInfo(letters, xgr.VocabType.RAW, vocab_size=len(letters), stop_token_ids=[end])
    compiler = xgr.GrammarCompiler(info)

    def compile_(form, text):
        if form == "gbnf":
            grammar = compiler.compile_grammar(text)
        else:
            grammar = compiler.compile_json_schema(json.dumps(schema_of(form, text)))

        def takes(payload):
            matcher = xgr.GrammarMatcher(grammar)
            return bool(matcher.accept_string(payload) and matcher.accept_token(end))

        return takes

    return compile_


def llguidance():
    import llguidance as ll
    from llguidance.gbnf_to_lark import any_to_lark

    tokenizer = ll.LLTokenizer("byte")

    def compile_(form, text):
        if form == "gbnf":
            grammar = ll.LLMatcher.grammar_from_lark(any_to_lark(text))
        else:
            grammar = ll.LLMatcher.grammar_from_json_schema(json.dumps(schema_of(form, text)))
        error = ll.LLMatcher.validate_grammar(grammar, tokenizer)
        if error:
            raise ValueError(error)

        def takes(payload):
            matcher = ll.LLMatcher(tokenizer, grammar)
            tokens = tokenizer.tokenize_str(payload)
            return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()

        return takes

    return compile_


def outlines_core():
    from outlines_core import json_schema

    def compile_(form, text):
        if form == "gbnf":
            return None
        pattern = re.compile(json_schema.build_regex_from_schema(json.dumps(schema_of(form, text))))
        return lambda payload: pattern.fullmatch(payload) is not None

    return compile_


def exports(program, path):
    said = subprocess.run([program, "export", str(path), "--all", "--json"], capture_output=True, text=True)
    if said.returncode:
        sys.exit(f"{path}: {said.stderr}")
    document = json.loads(said.stdout)
    return document["schema_id"], document["exports"]


def filled(schema, value):
    """A payload as a strict decoder writes it: in the schema's order, null for what was omitted."""
    for way in schema.get("anyOf", []):
        kind = {dict: "object", list: "array"}.get(type(value))
        if kind and way.get("type") == kind:
            schema = way
    if isinstance(value, dict) and "properties" in schema:
        named = {name: filled(below, value.get(name)) for name, below in schema["properties"].items()}
        return named | {name: left for name, left in value.items() if name not in named}
    if isinstance(value, list) and "items" in schema:
        return [filled(schema["items"], element) for element in value]
    return value


def in_order(schema, payload):
    """A payload in the schema's order: decoders write in no other."""
    names = list(schema["properties"]) + list(payload)
    return {name: payload[name] for name in names if name in payload}


def main():
    program, modules, *paths = sys.argv[1:]
    scratch = pathlib.Path(tempfile.mkdtemp())
    cases = json.loads((HERE / "cases.json").read_text())
    for case in cases:
        path = scratch / f"{case['template']['schema_id']}.json"
        path.write_text(json.dumps(case["template"]))
        paths.append(path)
    templates = dict(exports(program, path) for path in paths)
    by_id = {case["template"]["schema_id"]: case for case in cases}
    failures = []
    decoders = {"llguidance": llguidance(), "xgrammar": xgrammar(), "outlines-core": outlines_core()}
    for decoder, compile_ in decoders.items():
        compiled = taken = refused = 0
        for schema_id, written in templates.items():
            texts = {export["format"]: export["text"] for export in written}
            plain = schema_of("json-schema", texts["json-schema"])
            for form in SCHEMAS + ["gbnf"]:
                known = (decoder, "json-schema" if form in ("anthropic-tool", "mcp-tool") else form, schema_id) in CANNOT
                try:
                    takes = compile_(form, texts[form])
                except Exception as error:  # whatever a decoder throws at what it cannot read
                    if not known:
                        failures.append(f"{decoder} cannot read {form} of {schema_id}: {error}")
                    continue
                if known:
                    failures.append(f"{decoder} reads {form} of {schema_id} now: take it from CANNOT")
                if takes is None:
                    continue
                compiled += 1
                case = by_id.get(schema_id, {"accepted": [], "refused": []})
                strict = form in ("json-schema-strict", "openai-tool")

                def text_of(payload):
                    ordered = filled(schema_of(form, texts[form]), payload) if strict else in_order(plain, payload)
                    return json.dumps(ordered, ensure_ascii=False, separators=(", ", ": ") if decoder == "outlines-core" else (",", ":"))

                for payload in case["accepted"]:
                    taken += 1
                    if not takes(text_of(payload)):
                        failures.append(f"{decoder}, {form} of {schema_id} does not take {text_of(payload)}")
                for wrong in case["refused"]:
                    own = {"openai-tool": "json-schema-strict", "anthropic-tool": "json-schema", "mcp-tool": "json-schema"}
                    if own.get(form, form) in wrong["by"]:
                        refused += 1
                        if takes(text_of(wrong["payload"])):
                            failures.append(f"{decoder}, {form} of {schema_id} takes {text_of(wrong['payload'])}")
        print(f"{decoder}: {compiled} exports compiled, {taken} payloads taken, {refused} refused")
    failures += typescript(modules, templates, by_id, scratch)
    tokens(modules, templates)
    for failure in failures:
        print(failure, file=sys.stderr)
    sys.exit(1 if failures else 0)


def typescript(modules, templates, by_id, scratch):
    files, payloads = [], 0
    for schema_id, written in templates.items():
        text = next(export["text"] for export in written if export["format"] == "typescript")
        name = re.search(r"export interface (\w+)", text).group(1)
        case = by_id.get(schema_id, {"accepted": [], "refused": []})
        lines = [text]
        for n, payload in enumerate(case["accepted"]):
            lines.append(f"export const accepted{n}: {name} = {json.dumps(payload)};")
        for n, wrong in enumerate(case["refused"]):
            if "typescript" in wrong["by"]:
                lines.append(f"// @ts-expect-error\nexport const refused{n}: {name} = {json.dumps(wrong['payload'])};")
        payloads += len(lines) - 1
        path = scratch / f"{schema_id}.ts"
        path.write_text("\n".join(lines))
        files.append(str(path))
    tsc = pathlib.Path(modules) / "typescript" / "bin" / "tsc"
    said = subprocess.run(["node", str(tsc), "--strict", "--noEmit", *files], capture_output=True, text=True, cwd=scratch)
    print(f"tsc: {len(files)} types, {payloads} payloads")
    return [line for line in said.stdout.splitlines() if line.strip()] if said.returncode else []


COUNT = """
const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const counts = ['o200k_base', 'cl100k_base'].map((name) => {
  const { encode } = require('gpt-tokenizer/encoding/' + name);
  return texts.map((text) => encode(text).length);
});
console.log(JSON.stringify(counts));
"""


def tokens(modules, templates):
    """The estimate's error: its mean size, and the farthest below and above."""
    all_ = [export for written in templates.values() for export in written]
    said = subprocess.run(
        ["node", "-e", COUNT], input=json.dumps([export["text"] for export in all_]), capture_output=True, text=True,
        env={"NODE_PATH": modules, "PATH": "/usr/local/bin:/usr/bin:/bin"}, check=True,
    )
    for name, counts in zip(["o200k_base", "cl100k_base"], json.loads(said.stdout)):
        forms = {}
        for export, count in zip(all_, counts):
            error = 100 * (export["tokens"] - count) / count
            forms.setdefault(export["format"], []).append(error)
            forms.setdefault("all", []).append(error)
        for form, errors in forms.items():
            size = sum(abs(error) for error in errors) / len(errors)
            print(f"tokens of {name}, {form}: off by {size:.1f} % on average, {min(errors):+.1f} to {max(errors):+.1f} %")


main()
