/** A place with submitted files: a folder on disk, or a folder in a ZIP archive. Links are not followed. */
import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isWithin, systemErrorReason } from "../../base/index.js";
import { NotRead, ZipArchive } from "./zip.js";

export interface Place {
  /** The path for messages. */
  readonly path: string;
  /** Names of its entries in order, without the files that editors and systems create. Throws NotRead if it cannot be read. */
  list(): readonly PlacedEntry[];
  /** A subfolder. */
  folder(name: string): Place;
  /** The content of a file; undefined if it does not exist. Throws NotRead if it cannot be read. */
  read(path: string, limit: number): Uint8Array | undefined;
}

interface PlacedEntry {
  readonly name: string;
  readonly kind: "folder" | "file" | "other";
}

/** Maximum size of an archive, which is read as a whole. */
const MAX_ARCHIVE_BYTES = 64 << 20;

const isHidden = (name: string): boolean => name.startsWith(".") || name === "__MACOSX";

/** Converts an error of the operating system to NotRead. */
function named<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new NotRead(systemErrorReason(error));
  }
}

export class DiskFolder implements Place {
  constructor(readonly path: string) {}

  list(): PlacedEntry[] {
    return named(() => readdirSync(this.path))
      .filter((name) => !isHidden(name))
      .sort()
      .map((name) => {
        const found = lstatSync(join(this.path, name));
        return { name, kind: found.isDirectory() ? "folder" : found.isFile() ? "file" : "other" };
      });
  }

  folder(name: string): Place {
    return new DiskFolder(join(this.path, name));
  }

  read(path: string, limit: number): Uint8Array | undefined {
    const whole = join(this.path, path);
    let found: ReturnType<typeof lstatSync>;
    try {
      found = lstatSync(whole);
    } catch {
      return undefined;
    }
    if (found.isSymbolicLink()) throw new NotRead("a symbolic link");
    if (!found.isFile()) throw new NotRead("not a file");
    // A folder in the path may also be a link.
    if (!isWithin(realpathSync(this.path), realpathSync(whole)))
      throw new NotRead("it is outside the submission");
    if (found.size > limit) throw new NotRead(`${found.size} bytes; the maximum is ${limit}`);
    return named(() => readFileSync(whole));
  }
}

class ZipFolder implements Place {
  constructor(
    readonly path: string,
    readonly archive: ZipArchive,
    /** Path of the folder in the archive: empty, or with `/` at its end. */
    readonly prefix: string,
  ) {}

  list(): PlacedEntry[] {
    const kinds = new Map<string, PlacedEntry["kind"]>();
    for (const [path, kind] of this.archive.entries()) {
      if (!path.startsWith(this.prefix)) continue;
      const [name, ...below] = path.slice(this.prefix.length).split("/");
      if (isHidden(name!)) continue;
      kinds.set(name!, below.length > 0 ? "folder" : kind === "link" ? "other" : kind);
    }
    return [...kinds].map(([name, kind]) => ({ name, kind })).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  folder(name: string): Place {
    return new ZipFolder(`${this.path}/${name}`, this.archive, `${this.prefix}${name}/`);
  }

  read(path: string, limit: number): Uint8Array | undefined {
    return this.archive.read(this.prefix + path, limit);
  }
}

/** The archive in a file of a place. Throws NotRead if it cannot be read. */
export function archiveIn(place: Place, name: string): Place {
  const bytes = place.read(name, MAX_ARCHIVE_BYTES);
  if (bytes === undefined) throw new NotRead("there is no such file");
  return new ZipFolder(`${place.path}/${name}`, new ZipArchive(bytes), "");
}
