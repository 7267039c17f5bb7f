/**
 * Builds the page of `p4loom lab` from `pages/lab` into `dist/lab-page`: HTML, one style sheet, the page's script and its
 * workers as modules that share their common code. Nothing in it loads from another host. `tools/build-command.mjs` calls
 * {@link buildPage}; by hand:
 *
 *     node tools/build-page.mjs [--sizes]
 *
 * `--sizes`: prints the bytes of each file, as it is and after gzip.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { partOfZod, unusedModules } from "./bundle-plugins.mjs";
import { licences } from "./licences.mjs";

const root = resolve(import.meta.dirname, "..");
const source = join(root, "pages/lab");
const PAGE = join(root, "dist/lab-page");

/** Rewrites `dist/lab-page`; returns the paths of its sources. */
export async function buildPage(folder = PAGE) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: "pages/lab/main.tsx", room: "pages/lab/room.tsx", worker: "pages/lab/worker.ts", offline: "pages/lab/offline.ts" },
    outdir: folder,
    bundle: true,
    splitting: true,
    chunkNames: "part-[hash]",
    platform: "browser",
    format: "esm",
    target: ["chrome111", "firefox115", "safari16.4"],
    // Exact stage placement, which no test of an exercise uses.
    external: ["highs"],
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    plugins: [unusedModules(join(root, "src")), partOfZod],
  });
  copyFileSync(join(source, "icon.svg"), join(folder, "icon.svg"));
  for (const name of ["index.html", "room.html"]) writeFileSync(join(folder, name), startPage(name));
  const inputs = Object.keys(metafile.inputs);
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), licences(root, inputs));
  return inputs;
}

/** The page before its script runs, and where a browser runs none: its words in every language. */
function startPage(name) {
  const languages = join(root, "data/languages");
  const words = readdirSync(languages)
    .sort((a, b) => Number(b === "en.json") - Number(a === "en.json") || (a < b ? -1 : 1))
    .map((name) => [name.replace(".json", ""), JSON.parse(readFileSync(join(languages, name), "utf8")).texts]);
  const code = (text) => `<code>${text}</code>`;
  const notStarted = words.map(([language, texts]) => {
    const text = texts["page.notStarted"]
      .replace("{command}", code("python3 -m http.server 8000"))
      .replace("{address}", code("http://localhost:8000"));
    return `<p class="not-started" lang="${language}" role="status">${text}</p>`;
  });
  const noScript = words.map(([language, texts]) => `<p lang="${language}">${texts["page.noScript"]}</p>`);
  return readFileSync(join(source, name), "utf8")
    .replace("{{notStarted}}", () => notStarted.join(""))
    .replace("{{noScript}}", () => noScript.join(""));
}

function printSizes() {
  let total = 0;
  for (const name of readdirSync(PAGE).sort()) {
    const bytes = readFileSync(join(PAGE, name));
    const packed = gzipSync(bytes).length;
    total += packed;
    console.log(`${name}: ${bytes.length} bytes, ${packed} after gzip`);
  }
  console.log(`${relative(root, PAGE)}: ${total} bytes after gzip`);
}

if (process.argv[1] === import.meta.filename) {
  await buildPage();
  if (process.argv.includes("--sizes")) printSizes();
}
