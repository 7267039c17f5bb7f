/**
 * A copy of the project whose sources and built programs hold mutants, for tests that start processes. The process of the tests hands
 * out the mutants (`globalThis.p4loomMutants`, tools/mutants/runner.ts); every other process finds the active one in a file when it loads
 * the code, and appends the mutants that it reaches to another file. Files reach more processes than the environment does: graders and
 * hosts get an environment of their own. They are in `dist`, which graders may read.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The files of a tree by which its processes and the runner communicate. */
export const activeFile = (tree) => join(tree, "dist", "mutant");
export const reachedFile = (tree) => join(tree, "dist", "mutants-reached");

/** The object that instrumented code calls in processes of the tree other than that of the tests. It stays inactive in a browser. */
const preludeOf = (tree) => `// @ts-nocheck
const stryMutants_9fa48 = (globalThis.p4loomMutants ??= (() => {
  const fs = globalThis.process?.getBuiltinModule?.("node:fs");
  const seen = new Set();
  let active = "";
  try {
    active = fs?.readFileSync(${JSON.stringify(activeFile(tree))}, "latin1") ?? "";
  } catch {}
  const reach = (id) => {
    if (seen.has(id)) return;
    seen.add(id);
    try {
      fs?.appendFileSync(${JSON.stringify(reachedFile(tree))}, id + "\\n");
    } catch {}
  };
  return { isActive: (id) => id === active, cover: (ids) => active === "" && ids.forEach(reach) };
})());
function stryMutAct_9fa48(id) { return stryMutants_9fa48.isActive(id); }
function stryCov_9fa48(...ids) { stryMutants_9fa48.cover(ids); }
function stryStep_9fa48() { const m = stryMutants_9fa48; if (++m.steps > m.limit) m.stop(); }
`;

/**
 * Writes the copy and builds its programs.
 * @param code the instrumented sources by their paths in the project, with this prelude instead of their own
 */
export function makeTree(root, tree, code, prelude) {
  rmSync(tree, { recursive: true, force: true });
  const listed = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" });
  for (const path of listed.stdout.split("\0").filter((path) => path !== "" && existsSync(join(root, path)))) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    copyFileSync(join(root, path), join(tree, path));
  }
  symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
  for (const [path, text] of code) writeFileSync(join(tree, path), text.replace(prelude, () => preludeOf(tree)));
  mkdirSync(join(tree, "dist"), { recursive: true });
  writeFileSync(activeFile(tree), "");
  writeFileSync(reachedFile(tree), "");
  // Processes of other users write too.
  chmodSync(reachedFile(tree), 0o666);
  const built = spawnSync(process.execPath, ["tools/build-command.mjs", "--no-cache"], { cwd: tree, encoding: "utf8" });
  if (built.status !== 0) throw new Error(`the programs with mutants cannot be built: ${built.stderr}`);
}
