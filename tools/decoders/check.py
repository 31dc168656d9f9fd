"""Gives every export to those who read it: llguidance, xgrammar, outlines-core, tsc, Pydantic, Zod, Ajv, google-genai, and tokenizers
of OpenAI's models.

    check.py OTHERWISE NODE_MODULES TEMPLATE...

Every export of every template must compile wherever it is for; the templates in cases.json come with payloads that must be
taken and others that must not. What a decoder cannot read stands in CANNOT, and what stands there must still fail. Programs
(Pydantic, Zod, Gemini's schema) must judge those payloads, and many that differ from them in one key, as Ajv does by
`json-schema`, but for the keys that their export tells as lost.
"""

import importlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import types
import warnings

HERE = pathlib.Path(__file__).parent

# (decoder, form, template): why it cannot be compiled, from the decoder's own message.
CANNOT = {
    ("llguidance", "json-schema", "agent_context_v1"): "uniqueItems",
    ("llguidance", "json-schema", "food_drink_order_v1"): "uniqueItems",
    ("llguidance", "json-schema", "task_context_v1"): "uniqueItems",
}
# The forms that hold a schema, with the one that they hold.
SCHEMAS = {
    "json-schema": "json-schema",
    "json-schema-strict": "json-schema-strict",
    "openai-tool": "json-schema-strict",
    "openai-response-format": "json-schema-strict",
    "openai-responses-tool": "json-schema-strict",
    "anthropic-tool": "json-schema",
    "mcp-tool": "json-schema",
}
GRAMMARS = {"gbnf": "gbnf", "lark": "lark"}
# What a key of a payload is replaced by, in turn.
VALUES = [True, 0, 1, -1, 7, 2.5, 100000, "", "x", "AB-0123", "2026-05-04", "2026-02-30", "a" * 60, [], ["a"], ["a", "a"], [1], {}, {"a": 1}]


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
    within = {
        "openai-tool": ["function", "parameters"],
        "openai-response-format": ["json_schema", "schema"],
        "openai-responses-tool": ["parameters"],
        "anthropic-tool": ["input_schema"],
        "mcp-tool": ["inputSchema"],
    }
    for member in within.get(form, []):
        document = document[member]
    return document


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
        if form == "lark":
            return None
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
        if form in GRAMMARS:
            grammar = ll.LLMatcher.grammar_from_lark(any_to_lark(text) if form == "gbnf" else text)
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
        if form in GRAMMARS:
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
            for form, own in (SCHEMAS | GRAMMARS).items():
                known = (decoder, own, schema_id) in CANNOT
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
                strict = own == "json-schema-strict"

                def text_of(payload):
                    ordered = filled(schema_of(form, texts[form]), payload) if strict else in_order(plain, payload)
                    return json.dumps(ordered, ensure_ascii=False, separators=(", ", ": ") if decoder == "outlines-core" else (",", ":"))

                for payload in case["accepted"]:
                    taken += 1
                    if not takes(text_of(payload)):
                        failures.append(f"{decoder}, {form} of {schema_id} does not take {text_of(payload)}")
                for wrong in case["refused"]:
                    if own in wrong["by"]:
                        refused += 1
                        if takes(text_of(wrong["payload"])):
                            failures.append(f"{decoder}, {form} of {schema_id} takes {text_of(wrong['payload'])}")
        print(f"{decoder}: {compiled} exports compiled, {taken} payloads taken, {refused} refused")
    failures += typescript(modules, templates, by_id, scratch)
    failures += programs(modules, templates, by_id)
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


def pydantic(text):
    """Whether the exported model takes a payload, and gives it back as it was."""
    module = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(compile(text, "pydantic", "exec"), module)
        model = module[module["__all__"][0]]
        model.model_json_schema()

    def takes(payload):
        try:
            read = model.model_validate_json(json.dumps(payload))
        except ValueError:
            return False
        given = read.model_dump(mode="json", exclude_unset=True, by_alias=True)
        if given != payload:
            raise ValueError(f"{payload} became {given}")
        return True

    return takes


def gemini():
    """The reader of google-genai's types alone: its package would load what calls Gemini."""
    folders = (pathlib.Path(path) / "google" / "genai" for path in sys.path)
    folder = next(folder for folder in folders if folder.is_dir())
    for name, at in [("google", folder.parent), ("google.genai", folder)]:
        package = types.ModuleType(name)
        package.__path__ = [str(at)]
        sys.modules[name] = package
    declared = importlib.import_module("google.genai.types")

    def read(text):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tool = declared.FunctionDeclaration.model_validate_json(text)
            declared.Schema.model_validate(json.loads(text)["parameters"])
        return tool.parameters.json_schema.model_dump(mode="json", by_alias=True, exclude_none=True)

    return read


# Reads [{zod, schema, gemini, payloads}], gives for each payload what Ajv says of the schema, Zod, and Ajv of Gemini's.
JUDGE = """
const { default: Ajv } = require('ajv/dist/2020');
const formats = require('ajv-formats').default;
const ts = require('typescript');
const judge = (schema) => {
  const ajv = formats(new Ajv({ allErrors: true, strict: false }));
  return ajv.compile(schema);
};
const key = (error) => error.params.missingProperty && !error.instancePath ? error.params.missingProperty
  : error.params.additionalProperty && !error.instancePath ? error.params.additionalProperty
  : error.instancePath.split('/')[1];
const all = JSON.parse(require('fs').readFileSync(0, 'utf8')).map(({ zod, schema, gemini, payloads }) => {
  const options = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, strict: true };
  const { outputText, diagnostics } = ts.transpileModule(zod, { compilerOptions: options, reportDiagnostics: true });
  if (diagnostics.length) throw new Error(JSON.stringify(diagnostics.map((one) => one.messageText)));
  const module = {};
  new Function('require', 'exports', outputText)(require, module);
  const [whole, declared, [model]] = [judge(schema), judge(gemini), Object.values(module)];
  return payloads.map((payload) => {
    const right = whole(payload);
    const wrong = right ? [] : [...new Set(whole.errors.map(key))];
    const read = model.safeParse(payload);
    return { wrong, zod: read.success, 'gemini-tool': declared(payload) };
  });
});
console.log(JSON.stringify(all));
"""


def variants(case):
    """The payloads of a case, and what comes of the accepted ones when one key is left out, is another, or is added."""
    for payload in case["accepted"]:
        yield payload
        yield payload | {"stranger": 1}
        for name in [key["key_name"] for key in case["template"]["keys"]] + ["other"]:
            yield {kept: value for kept, value in payload.items() if kept != name}
            for value in VALUES:
                yield payload | {name: value}
    for wrong in case["refused"]:
        yield wrong["payload"]


def programs(modules, templates, by_id):
    read, failures, asked, models = gemini(), [], [], {}
    for schema_id, written in templates.items():
        export = {export["format"]: export for export in written}
        text = {form: export["text"] for form, export in export.items()}
        try:
            models[schema_id], declared = pydantic(text["pydantic"]), read(text["gemini-tool"])
        except Exception as error:  # whatever they throw at what they cannot read
            failures.append(f"{schema_id} cannot be read: {error!r}")
            continue
        case = by_id.get(schema_id)
        payloads = list(variants(case)) if case else [{}]
        schema = json.loads(text["json-schema"])
        asked.append({"id": schema_id, "export": export, "zod": text["zod"], "schema": schema, "gemini": declared, "payloads": payloads})
    given = [{name: one[name] for name in ("zod", "schema", "gemini", "payloads")} for one in asked]
    said = subprocess.run(
        ["node", "-e", JUDGE], input=json.dumps(given), capture_output=True, text=True,
        env={"NODE_PATH": modules, "PATH": "/usr/local/bin:/usr/bin:/bin"},
    )
    if said.returncode:
        return failures + [f"zod and Ajv: {said.stderr[-2000:]}"]
    counts = {form: {"alike": 0, "told": 0} for form in ("zod", "pydantic", "gemini-tool")}
    for one, verdicts in zip(asked, json.loads(said.stdout)):
        for payload, verdict in zip(one["payloads"], verdicts):
            try:
                verdict["pydantic"] = models[one["id"]](payload)
            except ValueError as error:
                failures.append(f"pydantic of {one['id']}: {error}")
                continue
            for form, count in counts.items():
                lost = one["export"][form]["lost"]
                told = {effect: {loss["key_name"] for loss in lost if loss["effect"] == effect} for effect in ("unenforced", "narrowed")}
                wrong, takes = set(verdict["wrong"]), verdict[form]
                if takes == (not wrong):
                    count["alike"] += 1
                elif takes and wrong <= told["unenforced"] | ({"stranger"} if form == "gemini-tool" else set()):
                    count["told"] += 1
                elif not takes and told["narrowed"] & set(payload):
                    count["told"] += 1
                else:
                    failures.append(f"{form} of {one['id']} {'takes' if takes else 'refuses'} {json.dumps(payload)}; wrong is {wrong or 'nothing'}")
    for form, count in counts.items():
        print(f"{form}: {len(asked)} exports read, {count['alike']} payloads judged as by json-schema, {count['told']} otherwise where that is told")
    return failures


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
