/** The files of the page in the package. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fail } from "../../base/index.js";
import { packageFile } from "../../toolchain/loading/index.js";
import { CODES } from "./codes.js";
import type { PageFile } from "./server.js";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
};

const PAGE_FOLDER = "dist/lab-page";

/** The folder with the files of the page. Fails with P46055 if the page is not built. */
export function pageFolder(): string {
  const folder = fileURLToPath(packageFile(PAGE_FOLDER));
  if (existsSync(join(folder, "index.html"))) return folder;
  return fail(
    CODES.noPage,
    undefined,
    "the page of the lab is not built",
    "in a clone of the repository: npm run build",
  );
}

/**
 * Finds files by name among those that the folder lists, so that no name leads out of it, and the files of the
 * languages. Fails with P46055 if the page is not built.
 */
export function pageFiles(
  languages: ReadonlyMap<string, Uint8Array>,
): (name: string) => PageFile | undefined {
  const folder = pageFolder();
  const names: ReadonlySet<string> = new Set(readdirSync(folder));
  const read = new Map<string, PageFile>();
  return (name) => {
    const type = TYPES[extname(name)];
    const language = languages.get(name);
    if (language !== undefined && type !== undefined) return { type, bytes: language };
    if (!names.has(name) || type === undefined) return undefined;
    let file = read.get(name);
    if (file === undefined) {
      file = { type, bytes: readFileSync(join(folder, name)) };
      read.set(name, file);
    }
    return file;
  };
}
