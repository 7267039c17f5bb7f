/** The files of a project, in memory. */
import { fail, isWithin, pathIn, SourceFile } from "../../base/index.js";
import type { ExerciseFiles } from "../exercises/index.js";
import { CODES } from "./codes.js";
import type { LabProject } from "./project.js";
import type { FileView } from "./protocol.js";

export class ProjectFiles implements ExerciseFiles {
  readonly #texts: Map<string, string>;
  readonly #readOnly: ReadonlySet<string>;
  #version = 0;

  constructor({ files, readOnly = [] }: LabProject) {
    this.#texts = new Map(Object.entries(files).map(([path, text]) => [pathIn("", path), text]));
    this.#readOnly = new Set(readOnly);
  }

  absolute(path: string): string {
    return pathIn("", path);
  }

  exists(path: string): boolean {
    return this.#texts.has(path) || this.list(path).length > 0;
  }

  list(folder: string): readonly string[] {
    const names = new Set<string>();
    for (const path of this.#texts.keys())
      if (path !== folder && isWithin(folder, path))
        names.add(path.slice(folder === "" ? 0 : folder.length + 1).split("/")[0]!);
    return [...names].sort();
  }

  text(path: string): string | undefined {
    return this.#texts.get(path);
  }

  /** Fails with P46001 if there is no such file. */
  read(path: string): string {
    return this.#texts.get(path) ?? fail(CODES.noFile, undefined, `the project has no file ${path}`);
  }

  source(path: string): SourceFile {
    return new SourceFile(path, this.read(path));
  }

  isReadOnly(path: string): boolean {
    return this.#readOnly.has(path);
  }

  /** Fails with P46010 if the file is read-only. */
  checkWritable(path: string): void {
    if (this.#readOnly.has(path)) fail(CODES.readOnly, undefined, `${path} is read-only in this lab`);
  }

  write(path: string, text: string): void {
    this.#texts.set(path, text);
    this.#version++;
  }

  /** Increases with each change of a file. */
  get version(): number {
    return this.#version;
  }

  /** The path in the form that the project uses. Fails with P46001 if it is not a path inside the project. */
  checkPath(path: string): string {
    const whole = pathIn("", path);
    if (whole === "" || !isWithin("", whole) || whole.includes("\0") || path.includes("\\"))
      fail(CODES.noFile, undefined, `${path} is not the path of a file in the project`);
    return whole;
  }

  all(): Record<string, string> {
    return Object.fromEntries([...this.#texts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  views(): FileView[] {
    return Object.entries(this.all()).map(([path, text]) => ({
      path,
      kind: kindOf(path),
      bytes: new TextEncoder().encode(text).length,
      ...(this.#readOnly.has(path) ? { readOnly: true as const } : {}),
    }));
  }
}

function kindOf(path: string): FileView["kind"] {
  if (/\.p4$/.test(path)) return "program";
  if (/(^|\/)topology\.json$/.test(path)) return "topology";
  if (/-runtime\.json$/.test(path)) return "runtime";
  if (/commands?\.txt$/.test(path)) return "commands";
  return /\.(md|txt|ya?ml|json|py|h|p4h|stf)$|(^|\/)Makefile$/.test(path) ? "text" : "other";
}
