/** Finds the submissions: folders, archives and single files, in a folder or in one archive. */
import { basename, dirname } from "node:path";
import { type Diagnostics, fail } from "../../base/index.js";
import { CODES } from "./codes.js";
import { archiveIn, DiskFolder, type Place } from "./place.js";
import { NotRead } from "./zip.js";

export interface FoundSubmission {
  readonly name: string;
  /** Texts of the files of `hands_in`, by their paths. */
  readonly files: ReadonlyMap<string, string>;
  /** Of files that are missing: the name of a file in their place that differs only in upper and lower case. */
  readonly similar?: ReadonlyMap<string, string>;
  /** Why the whole submission was not read; it then has no files. */
  readonly refused?: string;
}

type Read = Pick<FoundSubmission, "files" | "similar" | "refused">;

/** Maximum size of a file; the files of students have a few kilobytes. */
const MAX_FILE_BYTES = 1 << 20;
/** Maximum nesting of archives in archives and of folders that contain only one folder. */
const MAX_DEPTH = 3;
const ARCHIVE = /\.zip$/i;

/**
 * The submissions in a folder, or in a ZIP archive of the same form, by name. An entry is a folder or an archive with the
 * files of `handsIn`, or the only file of `handsIn` itself, under any name with the same extension. The files of an entry
 * may also be in its only folder or its only archive. Files that cannot be read are warnings (P46311). Fails with P46310
 * if there is no submission.
 */
export function findSubmissions(
  path: string,
  handsIn: readonly string[],
  diagnostics: Diagnostics,
): FoundSubmission[] {
  const place = placeOf(path);
  const [only, ...more] = handsIn;
  const ending = more.length > 0 ? undefined : /\.[^.]+$/.exec(only ?? "")?.[0];
  const found = new Map<string, Read>();
  const add = (name: string, plain: string, read: Read): void => {
    // A submission may consist of both a folder and a file.
    found.set(found.has(plain) ? name : plain, read);
  };
  /** A submission that cannot be read stays in the results, with the reason. */
  const refuse = (name: string, why: string): Read => {
    diagnostics.warning(CODES.notRead, undefined, `${place.path}/${name}: ${why}; it is not read`);
    return { files: new Map(), refused: why };
  };
  for (const { name, kind } of place.list()) {
    if (kind === "folder") {
      add(
        name,
        name,
        attempt(
          () => readDown(place.folder(name), handsIn, diagnostics, MAX_DEPTH),
          (why) => refuse(name, why),
        ),
      );
    } else if (kind === "file" && ARCHIVE.test(name)) {
      add(
        name,
        name.replace(ARCHIVE, ""),
        attempt(
          () => readDown(archiveIn(place, name), handsIn, diagnostics, MAX_DEPTH),
          (why) => refuse(name, why),
        ),
      );
    } else if (ending !== undefined && name.endsWith(ending)) {
      const text = readText(place, name, diagnostics);
      add(name, name.slice(0, -ending.length), { files: new Map(text === undefined ? [] : [[only!, text]]) });
    } else {
      const why = `neither a folder nor an archive with ${handsIn.join(", ")}`;
      diagnostics.warning(CODES.notRead, undefined, `${place.path}/${name}: ${why}; left out`);
    }
  }
  if (found.size === 0) {
    diagnostics.error(
      CODES.noSubmissions,
      undefined,
      `--submissions ${path}: there is no submission`,
      `a submission is a folder or a .zip with ${handsIn.join(", ")}${more.length === 0 ? ", or a file in place of it" : ""}`,
    );
    // The warnings of files that were not read are thrown with the error.
    diagnostics.throwIfErrors();
  }
  return [...found].map(([name, read]) => ({ name, ...read }));
}

/** Opens a folder or an archive. Fails with P46310. */
function placeOf(path: string): Place {
  const none = (why: string): never => fail(CODES.noSubmissions, undefined, `--submissions ${path}: ${why}`);
  try {
    if (!ARCHIVE.test(path)) {
      const folder = new DiskFolder(path);
      folder.list();
      return folder;
    }
  } catch {
    return none("there is no such folder");
  }
  return attempt(() => archiveIn(new DiskFolder(dirname(path)), basename(path)), none);
}

/** The files at the top level of one submission. A missing file is missing in the result. */
export function readHandedIn(folder: string, handsIn: readonly string[], diagnostics: Diagnostics): Read {
  return readAt(new DiskFolder(folder), handsIn, diagnostics);
}

/** The files at the level of the first file that is found: the top level, or the only folder or archive there. */
function readDown(place: Place, handsIn: readonly string[], diagnostics: Diagnostics, depth: number): Read {
  const entries = place.list();
  const tops = handsIn.map((path) => path.split("/")[0]);
  if (depth === 0 || entries.some(({ name }) => tops.includes(name)))
    return readAt(place, handsIn, diagnostics);
  const inner = entries.filter(
    ({ name, kind }) => kind === "folder" || (kind === "file" && ARCHIVE.test(name)),
  );
  if (inner.length !== 1) return readAt(place, handsIn, diagnostics);
  const { name, kind } = inner[0]!;
  const next =
    kind === "folder"
      ? place.folder(name)
      : attempt(
          () => archiveIn(place, name),
          (why) =>
            void diagnostics.warning(
              CODES.notRead,
              undefined,
              `${place.path}/${name}: ${why}; it is not read`,
            ),
        );
  return next === undefined ? { files: new Map() } : readDown(next, handsIn, diagnostics, depth - 1);
}

function readAt(place: Place, handsIn: readonly string[], diagnostics: Diagnostics): Read {
  const files = new Map<string, string>();
  const similar = new Map<string, string>();
  for (const path of handsIn) {
    const text = readText(place, path, diagnostics);
    if (text !== undefined) files.set(path, text);
    else {
      const other = place
        .list()
        .find(
          ({ name, kind }) => kind === "file" && name !== path && name.toLowerCase() === path.toLowerCase(),
        );
      if (other !== undefined) similar.set(path, other.name);
    }
  }
  return { files, ...(similar.size === 0 ? {} : { similar }) };
}

/** The text of a file of a place; undefined if it does not exist, or after P46311. */
function readText(place: Place, path: string, diagnostics: Diagnostics): string | undefined {
  const read = (): string | undefined => {
    const bytes = place.read(path, MAX_FILE_BYTES);
    if (bytes === undefined) return undefined;
    const text = Buffer.from(bytes).toString("utf8");
    if (!Buffer.from(text, "utf8").equals(bytes)) throw new NotRead("not UTF-8 text");
    return text;
  };
  return attempt(
    read,
    (why) =>
      void diagnostics.warning(CODES.notRead, undefined, `${place.path}/${path}: ${why}; it is not read`),
  );
}

/** The result of `read`, or that of `refused` for the reason why the file cannot be read. */
function attempt<T, R>(read: () => T, refused: (why: string) => R): T | R {
  try {
    return read();
  } catch (error) {
    if (error instanceof NotRead) return refused(error.message);
    throw error;
  }
}
