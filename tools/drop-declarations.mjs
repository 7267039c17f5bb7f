/**
 * Takes the declarations (`.d.ts`) out of `dist` that no subpath of the package leads to: nobody can import their modules, and they are
 * almost half of all declarations. `npm run build` calls this after `tsc`. `tsc` writes changed declarations alone, so one that a
 * change has made reachable again can be missing: then everything is compiled anew.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");
const { exports: subpaths } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
/** Relative modules that a declaration names: `from "./a.js"`, `import("./a.js")`, `import "./a.js"`. */
const MODULE = /(?:from|import)\s*\(?\s*["'](\.[^"']+)\.js["']/g;

/** Paths of the declarations to which the subpaths lead. */
function reachable() {
  const open = Object.values(subpaths)
    .filter((path) => path.endsWith(".js"))
    .map((path) => join(root, path.replace(/\.js$/, ".d.ts")));
  const found = new Set();
  while (open.length > 0) {
    const path = open.pop();
    if (found.has(path)) continue;
    found.add(path);
    if (!existsSync(path)) continue;
    for (const [, module] of readFileSync(path, "utf8").matchAll(MODULE)) open.push(join(dirname(path), `${module}.d.ts`));
  }
  return found;
}

let kept = reachable();
if ([...kept].some((path) => !existsSync(path))) {
  rmSync(join(dist, ".tsbuildinfo"), { force: true });
  const { status } = spawnSync("npx", ["--no-install", "tsc", "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
  kept = reachable();
}
for (const name of readdirSync(dist, { recursive: true })) {
  const path = join(dist, name);
  if (path.endsWith(".d.ts") && !kept.has(path)) rmSync(path);
}
