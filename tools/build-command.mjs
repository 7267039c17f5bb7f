/**
 * Builds the programs: the command `p4loom` from `src/cli` (`dist/cli/main.js` starts it, `dist/cli/command.cjs` is all of
 * its code in one file), the agent of a host from `src/fabric/host-agent` (`main.cjs` and `process.cjs` in `dist/host-agent`), and the
 * page of `p4loom lab` (`tools/build-page.mjs`), and the manual page `dist/man/p4loom.1`.
 * `npm run build` calls this after `tsc`, which builds the library; the tests call it to test what users run.
 *
 *     node tools/build-command.mjs [--if-stale] [--no-cache]
 *
 * `--if-stale`: does nothing when no source is newer than the programs. `--no-cache`: without code caches.
 *
 * Why one file with code caches: a cold `p4loom compile` of a small program spends most of its time on finding, reading
 * and compiling its 700 modules. V8 takes the compiled functions from a cache instead (docs/dependencies.md, "Start-up").
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { buildPage } from "./build-page.mjs";
import { noLocales, unusedModules } from "./bundle-plugins.mjs";
import { licences } from "./licences.mjs";

const root = resolve(import.meta.dirname, "..");
const src = join(root, "src");
const page = join(root, "pages/lab");

/** The programs: the file with their code, the file that starts it, and the runs that fill the code caches. */
const COMMAND = program("cli", "command.cjs", "main.js", commandRuns);
// In a folder with modules of the library, so the extensions tell Node that they are scripts.
const AGENT = program("fabric/host-agent", "process.cjs", "main.cjs", agentRuns);
const PROGRAMS = [COMMAND, AGENT];

/** The manual page. package.json names it, so that npm installs it where man finds it. */
const MANUAL = join(root, "dist/man/p4loom.1");

function program(room, code, launcher, runs) {
  // Beside the modules of the library: `distUrl` in the code finds them from its folder's parent.
  const folder = join(root, "dist", basename(room));
  return {
    entry: `src/${room}/main.ts`,
    folder,
    codeName: code,
    code: join(folder, code),
    launcher: join(folder, launcher),
    runs,
  };
}

/** A build that has run longer than this, in ms, is taken for killed. */
const LOCK_MS = 300_000;

/** Loaded from node_modules: koffi is native and optional, highs needs its WebAssembly file in its own folder. */
const EXTERNAL = ["koffi", "highs"];

/** `import.meta.url` of a module is the place that the module would have in `dist`, so relative paths keep their meaning. */
const moduleUrls = {
  name: "module-urls",
  setup(esbuild) {
    esbuild.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (!path.startsWith(src)) return undefined;
      const place = relative(src, path).replaceAll("\\", "/").replace(/\.ts$/, ".js");
      const text = readFileSync(path, "utf8");
      return {
        contents: text.replaceAll("import.meta.url", `distUrl(${JSON.stringify(place)})`),
        loader: "ts",
      };
    });
  },
};

async function bundle({ entry, code }) {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: code,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    external: EXTERNAL,
    // A lazily loaded module is a function in the bundle, and `require` for the external ones.
    supported: { "dynamic-import": false },
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: "external",
    sourcesContent: false,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    plugins: [unusedModules(src), moduleUrls, noLocales],
    banner: {
      js: 'const distUrl=(place)=>new URL(place,require("node:url").pathToFileURL(require("node:path").dirname(__dirname)+"/")).href;',
    },
  });
  // ASCII is read without decoding. Outside of comments, an escape means the same in every place that esbuild leaves.
  const text = readFileSync(code, "utf8")
    .replace(/^#!.*\n/, "\n")
    .replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  writeFileSync(code, text);
  return Object.keys(result.metafile.inputs);
}

const launcherText = ({ codeName }) => `#!/usr/bin/env node
// Starts the program from its bundle, with the functions that V8 compiled when it was built; see tools/build-command.mjs.
"use strict";
const { readFileSync } = require("node:fs");
const Module = require("node:module");
const { join } = require("node:path");
const { Script } = require("node:vm");

const file = join(__dirname, "${codeName}");

// import() does not work in a script with a cache: modules of users are imported here.
globalThis[Symbol.for("p4loom.import")] = (url) => import(url);

function readCache(name) {
  try {
    return readFileSync(join(__dirname, "cache", \`\${name}-\${process.version}-\${process.arch}\`));
  } catch {
    return undefined;
  }
}

const cachedData = (/^[a-z]+$/.test(process.argv[2]) && readCache(process.argv[2])) || readCache("any");
if (cachedData === undefined) {
  // Built by another version of Node. From 22.1 on, Node keeps a cache itself.
  Module.enableCompileCache?.();
  require(file);
} else {
  // V8 checks the cache, and compiles as usual if it does not fit.
  const script = new Script(Module.wrap(readFileSync(file, "latin1")), { filename: file, cachedData });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, Module.createRequire(file), module, file, __dirname);
}
`;

/**
 * Runs a program in this process as the launcher does, and writes the functions that V8 has compiled by its end. Those
 * that do not end by themselves are stopped.
 */
const WARM_UP = `"use strict";
const { readFileSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { dirname } = require("node:path");
const { Script } = require("node:vm");

const [file, cache] = process.argv.splice(2, 2);
const script = new Script(Module.wrap(readFileSync(file, "latin1")), { filename: file });
const exit = process.exit.bind(process);
process.exit = () => {
  writeFileSync(cache, script.createCachedData());
  exit(0);
};
process.argv[1] = file;
const module_ = { exports: {} };
script.runInThisContext()(module_.exports, Module.createRequire(file), module_, file, dirname(file));
module_.exports.finished?.finally(() => process.exit());
// Servers end in their own time after a signal; what waits for a switch that is not there does not end.
setTimeout(() => process.emit("SIGTERM"), 3_000).unref();
setTimeout(() => process.exit(), 6_000).unref();
`;

/** One run of each command whose start should be short. `any` is for all others, and for help. */
function commandRuns(folder) {
  const program = "p4/pecmp/tor.p4";
  const compiled = join(folder, "tor.json");
  const packet = "ffffffffffff00000000000108004500002800000000400600000a0000010a000002";
  const args = {
    any: ["--help"],
    compile: ["compile", program, "-o", compiled, "--p4runtime-files", join(folder, "tor.p4info.txtpb")],
    check: ["check", "test/bad/p4/types-unknown-name.p4"],
    fit: ["fit", program],
    stf: ["stf", program, "p4/pecmp/tor.stf"],
    trace: ["trace", program, "--packet", packet],
    generate: ["generate", "pecmp", "-o", folder],
    run: ["run", "examples/pecmp-failover-small.yaml", "--out", join(folder, "run")],
    switch: ["switch", compiled, "--grpc-server-addr", "127.0.0.1:0"],
    shell: ["shell", "127.0.0.1:9", "-c", "help"],
  };
  const runs = Object.fromEntries(Object.entries(args).map(([name, words]) => [name, { args: words }]));
  return { ...runs, grader: { args: ["grader"], input: graderInput() } };
}

/** The job of the process that grades a submission: the solution of the first exercise. */
function graderInput() {
  const folder = join(root, "examples/course/01-forwarding");
  const text = (path) => readFileSync(join(folder, path), "utf8");
  const paths = ["exercise.yaml", "topology.json", "s1-runtime.json", "s2-runtime.json", "tests/one-switch.stf"];
  return `${JSON.stringify({
    exercise: Object.fromEntries(paths.map((path) => [path, text(path)])),
    handedIn: { "forwarding.p4": text("solution/forwarding.p4") },
    targets: {},
    controller: [],
  })}\n`;
}

/** The agent reads requests. It ends when it does not find the NIC, before it changes anything. */
function agentRuns() {
  const nic = { name: "p4loom-none", mac: "02:00:00:00:00:01", gateway: "02:00:00:00:00:02" };
  const start = { op: "start", ipv4: "10.0.0.1", ipv6: "fd00::1", tun: "p4loom-none", nics: [nic], field: "dscp", seed: 1 };
  const slice = { low: 0, width: 2 };
  const layout = {
    ...{ field: "dscp", control: "offset", versionBit: "none", shared: true, bits: 2 },
    ...{ slices: { tor: slice }, fanOuts: { tor: { least: 4, most: 4 } } },
  };
  const offsets = { rule: "odd", offsets: [1, 3], bits: 2 };
  const policy = { kind: "pecmp", failover: "probe", layout, offsets };
  return { any: { input: `${JSON.stringify({ ...start, policy })}\n` } };
}

function writeCaches({ folder: dist, code, runs }) {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-build-"));
  const caches = join(dist, "cache");
  rmSync(caches, { recursive: true, force: true });
  mkdirSync(caches, { recursive: true });
  try {
    const script = join(folder, "warm-up.cjs");
    writeFileSync(script, WARM_UP);
    for (const [name, { args = [], input = "" }] of Object.entries(runs(folder))) {
      const cache = join(caches, `${name}-${process.version}-${process.arch}`);
      const options = { cwd: root, encoding: "utf8", input };
      const { stderr } = spawnSync(process.execPath, [script, code, cache, ...args], options);
      if (!existsSync(cache)) throw new Error(`no code cache of ${code} ${args.join(" ")}: ${stderr}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes the output of `p4loom man`, which is generated from the definitions of the commands. */
function writeManual() {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND.launcher, "man"], { encoding: "utf8" });
  if (status !== 0) throw new Error(`no manual page: ${stderr}`);
  mkdirSync(dirname(MANUAL), { recursive: true });
  writeFileSync(MANUAL, stdout);
}

/** In a clone, `npx p4loom` runs this link; npm makes it for packages that it installs, but not for the clone itself. */
function linkCommand() {
  const bin = join(root, "node_modules", ".bin");
  // A node_modules that several checkouts share belongs to none of them.
  if (!existsSync(bin) || lstatSync(dirname(bin)).isSymbolicLink()) return;
  const link = join(bin, "p4loom");
  rmSync(link, { force: true });
  symlinkSync(relative(bin, join(root, "bin", "p4loom.cjs")), link);
}

function isFresh() {
  if (![...PROGRAMS.map(({ launcher }) => launcher), MANUAL].every((path) => existsSync(path))) return false;
  const built = Math.min(...PROGRAMS.map(({ launcher }) => statSync(launcher).mtimeMs));
  const sources = [src, page].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const tools = ["build-command.mjs", "build-page.mjs", "bundle-plugins.mjs", "licences.mjs"].map((name) => join(root, "tools", name));
  return [...sources, ...tools, join(root, "package.json")].every((file) => statSync(file).mtimeMs <= built);
}

/** Several test files may need the command at the same time: the first one builds it, the others wait. */
async function withLock(work) {
  const lock = join(root, "dist", ".command-lock");
  mkdirSync(dirname(lock), { recursive: true });
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
      // A killed build left this lock: no build takes so long.
      if (made !== undefined && Date.now() - made > LOCK_MS) rmSync(lock, { recursive: true, force: true });
      else await sleep(100);
    }
  }
  try {
    await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

await withLock(async () => {
  if (process.argv.includes("--if-stale") && isFresh()) return;
  await buildPage();
  for (const one of PROGRAMS) {
    mkdirSync(one.folder, { recursive: true });
    rmSync(one.launcher, { force: true });
    const inputs = await bundle(one);
    writeFileSync(join(one.folder, "THIRD-PARTY-LICENSES.txt"), licences(root, inputs));
    if (!process.argv.includes("--no-cache")) writeCaches(one);
    writeFileSync(one.launcher, launcherText(one));
    chmodSync(one.launcher, 0o755);
  }
  // The package has ES modules, but the command is a script, because V8's code cache works for scripts only.
  writeFileSync(join(COMMAND.folder, "package.json"), '{ "type": "commonjs" }\n');
  writeManual();
  linkCommand();
});
