/** `p4loom lab --static DIR`: the page with its projects as files for any web server; compiler, switch and simulator run in the browser. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { defined, fail } from "../../base/index.js";
import type { LabProject } from "../../course/lab/index.js";
import { pageFolder } from "../../course/lab-server/index.js";
import { writeFiles } from "../../toolchain/loading/index.js";
import { CODES } from "../codes.js";

/** Says which projects a folder of a page has, and that it is one. */
const LIST = "projects.json";

interface StaticProject {
  /** Path that the project was read from. */
  readonly path: string;
  readonly project: LabProject;
}

/** What a page has beside its own files. */
interface StaticParts {
  readonly projects: readonly StaticProject[];
  /** Files of the languages by their names. */
  readonly languages: ReadonlyMap<string, Buffer>;
}

/**
 * Writes the page, its projects and its languages into `folder`, all files or none; returns their number. Fails with P46055 where the page was
 * not built, with P46100 where the folder has files and is no page, with P40003 where it cannot be written.
 */
export function writeStaticPage(folder: string, { projects, languages }: StaticParts): number {
  checkFolder(folder);
  const page = pageFolder();
  const read = (name: string) => ({ name, content: readFileSync(join(page, name)) });
  const names = uniqueNames(projects.map(({ path }) => path));
  const list = projects.map(({ project: { title } }, i) => ({
    name: defined(names[i]),
    title,
    file: `project-${defined(names[i])}.json`,
  }));
  const files = withOffline([
    ...readdirSync(page)
      .filter((name) => !name.startsWith("room."))
      .sort()
      .map(read),
    ...[...languages].map(([name, content]) => ({ name, content })),
    ...projects.map(({ project }, i) => ({ name: defined(list[i]).file, content: JSON.stringify(project) })),
    { name: LIST, content: `${JSON.stringify({ projects: list }, undefined, 2)}\n` },
  ]);
  const before = listedFiles(folder);
  writeFiles(files.map(({ name, content }) => ({ path: join(folder, name), content })));
  // A project or language that is no longer in the list would still be served by its address.
  for (const name of before)
    if (!files.some((file) => file.name === name)) rmSync(join(folder, name), { force: true });
  return files.length;
}

interface PageFile {
  readonly name: string;
  readonly content: string | Buffer;
}

/** The script that keeps the page's files in the browser, and the page as an application (Web Application Manifest, W3C). */
const OFFLINE = "offline.js";
const MANIFEST = {
  name: "p4loom lab",
  ...{ id: ".", start_url: ".", scope: ".", display: "standalone" },
  ...{ background_color: "#f4f5f7", theme_color: "#0b5cad" },
  icons: [{ src: "icon.svg", sizes: "any", type: "image/svg+xml" }],
};

/** Adds the manifest, and writes the list of all files in front of the script; its version changes with the bytes of any of them. */
function withOffline(files: readonly PageFile[]): PageFile[] {
  const manifest = { name: "manifest.webmanifest", content: `${JSON.stringify(MANIFEST, undefined, 2)}\n` };
  const all = [...files.filter(({ name }) => name !== OFFLINE), manifest];
  const digest = createHash("sha256");
  for (const { name, content } of all) digest.update(`${name}\n`).update(content);
  const list = { version: digest.digest("hex").slice(0, 16), files: [".", ...all.map(({ name }) => name)] };
  return [
    ...all,
    ...files
      .filter(({ name }) => name === OFFLINE)
      .map(({ name, content }) => ({
        name,
        content: `globalThis.OFFLINE = ${JSON.stringify(list)};\n${content.toString()}`,
      })),
  ];
}

/** The files of projects and languages of the page that was written into this folder before. */
function listedFiles(folder: string): string[] {
  try {
    const { projects } = JSON.parse(readFileSync(join(folder, LIST), "utf8")) as {
      projects: readonly { file: string }[];
    };
    const languages = readdirSync(folder).filter((name) => /^language-[A-Za-z0-9-]+\.json$/.test(name));
    return [
      ...projects.map(({ file }) => file).filter((file) => /^project-[a-z0-9-]+\.json$/.test(file)),
      ...languages,
    ];
  } catch {
    return [];
  }
}

/** Files in the folder are not mixed with a page, unless they are an older page. */
function checkFolder(folder: string): void {
  const status = statSync(folder, { throwIfNoEntry: false });
  if (status === undefined) return;
  if (!status.isDirectory())
    fail(CODES.notForPage, undefined, `${folder} is a file; --static takes a folder`);
  if (readdirSync(folder).length > 0 && !existsSync(join(folder, LIST)))
    fail(
      CODES.notForPage,
      undefined,
      `${folder} has files that are no page of a lab`,
      "--static writes into a new folder, an empty one, or one that it has written before",
    );
}

/** Names for files and addresses from the ends of paths: small letters, digits and dashes, each once. */
function uniqueNames(paths: readonly string[]): string[] {
  const used = new Set<string>();
  return paths.map((path) => {
    const plain = basename(resolve(path))
      .replace(/\.\w+$/, "")
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "");
    const name = plain === "" ? "lab" : plain;
    let unique = name;
    for (let n = 2; used.has(unique); n++) unique = `${name}-${n}`;
    used.add(unique);
    return unique;
  });
}
