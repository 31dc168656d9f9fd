// The package as it is packed and installed, and its words: types, README, version.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { here, installed, run } from "./installed.js";
import { root, Service } from "./service.js";

const about = JSON.parse(readFileSync(join(here, "package.json"), "utf8")) as Record<string, unknown>;

test("the types of the API are those of the description of the HTTP interface", () => {
  const folder = mkdtempSync(join(tmpdir(), "otherwise-types-"));
  run(here, process.execPath, "scripts/types.mjs", `${root}/docs/openapi.json`, join(folder, "api.ts"));
  const [found, expected] = [join(here, "src/api.ts"), join(folder, "api.ts")].map((path) => readFileSync(path, "utf8"));
  rmSync(folder, { recursive: true });
  assert.equal(found, expected, "run `npm run types` in clients/typescript");
});

test("the package holds what is needed, asks for nothing, and compiles where neither zod nor ai is", () => {
  const { folder, files, end } = installed();
  try {
    const sources = readdirSync(join(here, "src")).map((name) => name.replace(/\.ts$/, ""));
    const expected = ["LICENSE", "README.md", "package.json", ...sources.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`])];
    assert.deepEqual(files.sort(), expected.sort());
    assert.deepEqual([about["dependencies"], about["version"]], [undefined, "0.1.0"]);
    assert.match(readFileSync(join(here, "src/version.ts"), "utf8"), new RegExp(`/${about["version"]}"`));
    assert.equal(readFileSync(join(here, "LICENSE"), "utf8"), readFileSync(`${root}/LICENSE`, "utf8"));

    const program = `import { Otherwise } from "otherwise-client";
      const scenario = new Otherwise("http://127.0.0.1:1").scenario("tram", { pin: "^1" });
      export const keys: Promise<string[]> = scenario.template().then(({ keys }) => keys.map((key) => key.key_name));
      // @ts-expect-error its own entry point brings it
      scenario.zod;
      console.log(scenario.name);`;
    writeFileSync(join(folder, "program.ts"), program);
    const tsc = join(here, "node_modules/typescript/bin/tsc");
    run(folder, process.execPath, tsc, "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom", "program.ts");
    writeFileSync(join(folder, "name.js"), 'import { Otherwise } from "otherwise-client"; console.log(new Otherwise("http://127.0.0.1:1").scenario("tram").name);');
    assert.equal(run(folder, process.execPath, "name.js"), "tram\n");
  } finally {
    end();
  }
});

test("README: 60 lines at most, and what it shows runs as it stands", async () => {
  assert.ok(readFileSync(join(here, "README.md"), "utf8").trimEnd().split("\n").length <= 60);
  const service = await Service.start();
  // Beside the others, since it is a program of this package; it talks to this service rather than to the one that it names.
  const program = fileURLToPath(new URL("../snippets/readme_here.js", import.meta.url));
  try {
    const text = readFileSync(fileURLToPath(new URL("../snippets/readme.js", import.meta.url)), "utf8");
    assert.ok(text.includes("http://127.0.0.1:8080"));
    writeFileSync(program, text.replace("http://127.0.0.1:8080", service.url));
    const { stdout: said } = await promisify(execFile)(process.execPath, [program], { timeout: 60_000 });
    assert.match(said, /^accepted \{[^}]*cabin_class: 'business'/);
    assert.match(said, /`destination` is required/);
    assert.match(said, /cabin_class: 'sha256:[0-9a-f]{64}'/);
  } finally {
    rmSync(program, { force: true });
    await service.end();
  }
});
