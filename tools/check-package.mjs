/**
 * Checks the archive that npm would publish: its size, publint (exports, files, types), and whether TypeScript resolves each subpath
 * (attw, ESM only). Builds first if the library was never built; `make check` builds whenever a source is newer.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const MOST_PACKED = 6_400_000;
const MOST_UNPACKED = 25_000_000;

function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8", ...options });
  if (result.status === 0) return result.stdout;
  console.error(`${[command, ...args].join(" ")} failed:\n${result.stdout ?? ""}${result.stderr ?? ""}`);
  process.exit(1);
}

if (!existsSync(join(root, "dist/api/compile.js"))) run("npm", ["run", "--silent", "build"], { stdio: "inherit" });

const folder = mkdtempSync(join(tmpdir(), "p4loom-package-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const [{ filename, size, unpackedSize }] = JSON.parse(
  run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], { maxBuffer: 1 << 26 }),
);
const inMegabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
console.log(`package: ${inMegabytes(size)} packed, ${inMegabytes(unpackedSize)} unpacked`);
if (size > MOST_PACKED || unpackedSize > MOST_UNPACKED) {
  console.error(`the limits are ${inMegabytes(MOST_PACKED)} packed and ${inMegabytes(MOST_UNPACKED)} unpacked`);
  process.exit(1);
}
const archive = join(folder, filename);
run("npx", ["--no-install", "publint", "run", archive, "--strict"]);
run("npx", ["--no-install", "attw", archive, "--profile", "esm-only", "--no-emoji", "--quiet"]);
