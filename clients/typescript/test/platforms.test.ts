// The same session on every platform that is there: Node, Deno, Bun, and a page in Chromium.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as forward } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { installed, run } from "./installed.js";
import { body, listen, Service } from "./service.js";

/** How each platform runs a program that may use the network. */
const PLATFORMS: Record<string, string[]> = {
  node: [],
  deno: ["run", "--no-prompt", "--allow-net=127.0.0.1", "--node-modules-dir=manual"],
  bun: ["run"],
};

let service: Service;
let place: ReturnType<typeof installed>;
before(async () => {
  service = await Service.start();
  place = installed();
  copyFileSync(fileURLToPath(new URL("session.js", import.meta.url)), join(place.folder, "session.js"));
});
after(async () => {
  place.end();
  await service.end();
});

const went = (platform: string) => `accepted {"zone":"inner","other":"a window seat"} ${platform}_v1 zone,tickets,other`;
const found = (...programs: string[]) => programs.find((program) => isThere(program));

function isThere(program: string): boolean {
  try {
    return Boolean(run("/", program, "--version"));
  } catch {
    return false;
  }
}

for (const [platform, args] of Object.entries(PLATFORMS)) {
  const skip = !isThere(platform) && `${platform} is not installed, so that nothing was tried on it`;
  test(`a session in ${platform}`, { skip }, async () => {
    const program = join(place.folder, `${platform}.js`);
    writeFileSync(program, `import { session } from "./session.js";\nconsole.log(await session("${service.url}", "${platform}"));\n`);
    const { stdout } = await promisify(execFile)(platform, [...args, program], { cwd: place.folder, timeout: 120_000 });
    assert.equal(stdout.trim(), went(platform));
  });
}

const browser = found("chromium", "chromium-browser");
test("a session in a page", { skip: !browser && "chromium is not installed, so that nothing was tried in a browser" }, async () => {
  const page = `<!doctype html><script type="importmap">{ "imports": { "otherwise-client": "/node_modules/otherwise-client/dist/index.js" } }</script>
    <script type="module">
      const told = (text) => fetch("/told", { method: "POST", body: text });
      import("/session.js").then(({ session }) => session(location.origin, "page")).then(told, (error) => told(String(error.stack)));
    </script>`;
  let tell!: (text: string) => void;
  const told = new Promise<string>((resolve) => (tell = resolve));
  // The page and the service behind one address, as behind a proxy; the service itself refuses what pages from elsewhere ask.
  const front = await listen(async (request, response) => {
    const url = request.url ?? "/";
    if (url === "/told") {
      tell(await body(request));
      response.end();
    } else if (url.startsWith("/v1/")) {
      const { origin: _, ...headers } = request.headers;
      request.pipe(forward(service.url + url, { method: request.method, headers }, (answer) => answer.pipe(response.writeHead(answer.statusCode!, answer.headers))));
    } else if (/^\/(session|node_modules\/otherwise-client\/dist\/\w+)\.js$/.test(url)) {
      response.writeHead(200, { "Content-Type": "text/javascript" }).end(readFileSync(join(place.folder, url)));
    } else {
      response.writeHead(url === "/" ? 200 : 404, { "Content-Type": "text/html" }).end(url === "/" ? page : "");
    }
  });
  const profile = mkdtempSync(join(tmpdir(), "otherwise-page-"));
  const child = spawn(browser!, ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", `--user-data-dir=${profile}`, front.url], { stdio: "ignore", detached: true });
  try {
    const late = setTimeout(() => tell("the page did not end within a minute"), 60_000);
    assert.equal(await told, went("page"));
    clearTimeout(late);
  } finally {
    const exit = new Promise((resolve) => child.once("exit", resolve));
    process.kill(-child.pid!, "SIGKILL"); // The browser with all of its processes.
    await exit;
    await front.end();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
});
