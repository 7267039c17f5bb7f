/**
 * Takes the comments out of the library's modules in `dist`: the declarations beside them (`.d.ts`) have those that users read, and the
 * modules are a sixth smaller in the archive without them. `npm run build` calls this after `tsc`, which writes changed modules alone;
 * a module that is older than the last call is left as it is. Comments of licences stay.
 */
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { transform } from "esbuild";

const dist = resolve(import.meta.dirname, "../dist");
/** Folders of modules that `tsc` writes. */
const FOLDERS = readdirSync(resolve(import.meta.dirname, "../src"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  // The command is one file with a launcher beside it (`build-command.mjs`).
  .filter((name) => name !== "cli" && existsSync(join(dist, name)));
const stamp = join(dist, ".stripped");

const before = existsSync(stamp) ? statSync(stamp).mtimeMs : 0;
const now = new Date();
const modules = FOLDERS.flatMap((folder) =>
  readdirSync(join(dist, folder), { recursive: true })
    .map((path) => join(dist, folder, path))
    .filter((path) => path.endsWith(".js") && statSync(path).mtimeMs > before),
);
await Promise.all(
  modules.map(async (path) => {
    const text = readFileSync(path, "utf8");
    const { code } = await transform(text, { loader: "js", charset: "utf8", legalComments: "inline", target: "esnext" });
    if (code !== text) writeFileSync(path, code);
    utimesSync(path, now, now);
  }),
);
writeFileSync(stamp, "");
utimesSync(stamp, now, now);
