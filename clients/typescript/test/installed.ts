// The package as a user has it: packed, and unpacked into a folder of its own.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The package's own folder. */
export const here = fileURLToPath(new URL("../..", import.meta.url));

/** What a program says. */
export const run = (cwd: string, program: string, ...args: string[]) => execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 120_000 });

/** A folder with the package in its node_modules, and the files that were packed. */
export function installed(): { folder: string; files: string[]; end: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "otherwise-package-"));
  const said = run(here, "npm", "pack", "--ignore-scripts", "--json", "--pack-destination", folder);
  const [{ filename, files }] = JSON.parse(said) as [{ filename: string; files: { path: string }[] }];
  const place = join(folder, "node_modules/otherwise-client");
  mkdirSync(place, { recursive: true });
  run(folder, "tar", "-xzf", filename, "-C", place, "--strip-components", "1");
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  return { folder, files: files.map(({ path }) => path), end: () => rmSync(folder, { recursive: true }) };
}
