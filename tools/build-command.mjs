/**
 * Builds the programs: the command `p4loom` from `src/cli` (`dist/cli/main.js` starts it, `dist/cli/command.cjs` is all of
 * its code in one file), the agent of a host from `src/fabric/host-agent` (`main.cjs` and `process.cjs` in `dist/host-agent`), and the
 * page of `p4loom lab` (`tools/build-page.mjs`), and the manual page `dist/man/p4loom.1`.
 * `npm run build` calls this after `tsc`, which builds the library; the tests call it to test what users run.
 *
 *     node tools/build-command.mjs [--if-stale]
 *
 * `--if-stale`: does nothing when no source is newer than the programs.
 *
 * Why one file: a cold `p4loom compile` of a small program spends most of its time on finding, reading and compiling its 700
 * modules. From its second start on, V8 takes the compiled functions from a cache (`tools/launcher.cjs`; docs/dependencies.md,
 * "Start-up").
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { buildPage } from "./build-page.mjs";
import { partOfZod, unusedModules } from "./bundle-plugins.mjs";
import { licences } from "./licences.mjs";

const root = resolve(import.meta.dirname, "..");
const src = join(root, "src");
const page = join(root, "pages/lab");

/** The programs: the file with their code, the file that starts it, and the commands with a code cache of their own. */
const COMMAND = program("cli", "command.cjs", "main.js", {
  commands: ["compile", "check", "fit", "stf", "trace", "generate", "run", "switch", "shell", "grader"],
  shortNames: false,
});
// In a folder with modules of the library, so the extensions tell Node that they are scripts.
// Short names of variables save 100 KB of the archive. The command keeps them, whose internal errors users report with their stacks.
const AGENT = program("fabric/host-agent", "process.cjs", "main.cjs", { commands: [], shortNames: true });
const PROGRAMS = [COMMAND, AGENT];

/** Starts either program. */
const LAUNCHER = join(root, "tools/launcher.cjs");

/** The manual page. package.json names it, so that npm installs it where man finds it. */
const MANUAL = join(root, "dist/man/p4loom.1");

function program(room, code, launcher, { commands, shortNames }) {
  // Beside the modules of the library: `distUrl` in the code finds them from its folder's parent.
  const folder = join(root, "dist", basename(room));
  return {
    entry: `src/${room}/main.ts`,
    folder,
    codeName: code,
    code: join(folder, code),
    launcher: join(folder, launcher),
    commands,
    shortNames,
  };
}

/** A build that has run longer than this, in ms, is taken for killed. */
const LOCK_MS = 300_000;

/** Loaded from node_modules: koffi is native and optional, highs and pdfkit need files in their own folders. */
const EXTERNAL = ["koffi", "highs", "pdfkit"];

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

async function bundle({ entry, code, shortNames }) {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: code,
    bundle: true,
    platform: "node",
    format: "cjs",
    // For the places of internal errors; the published package does not have it.
    sourcemap: "external",
    sourcesContent: false,
    target: "node20",
    external: EXTERNAL,
    // A lazily loaded module is a function in the bundle, and `require` for the external ones.
    supported: { "dynamic-import": false },
    minifyWhitespace: true,
    minifySyntax: true,
    minifyIdentifiers: shortNames,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    plugins: [unusedModules(src), moduleUrls, partOfZod],
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

/** The launcher, with the name of the code, its hash, and the commands with caches of their own. */
function launcherText({ code, codeName, commands }) {
  const hash = createHash("sha256").update(readFileSync(code)).digest("hex").slice(0, 16);
  const bundle = `const BUNDLE = ${JSON.stringify({ code: codeName, hash, commands })};`;
  const text = readFileSync(LAUNCHER, "utf8").replace(/^const BUNDLE = .*$/m, () => bundle);
  if (!text.includes(bundle)) throw new Error(`${LAUNCHER} has no line "const BUNDLE = ..."`);
  return text;
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
  const tools = ["build-command.mjs", "launcher.cjs", "build-page.mjs", "bundle-plugins.mjs", "licences.mjs"].map((name) => join(root, "tools", name));
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
    writeFileSync(one.launcher, launcherText(one));
    chmodSync(one.launcher, 0o755);
  }
  // The package has ES modules, but the command is a script, because V8's code cache works for scripts only.
  writeFileSync(join(COMMAND.folder, "package.json"), '{ "type": "commonjs" }\n');
  writeManual();
  linkCommand();
});
