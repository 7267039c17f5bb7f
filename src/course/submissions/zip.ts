/**
 * Reads ZIP archives of bounded size in memory, and writes no files. Format: PKWARE's APPNOTE.TXT, sections 4.3.7 (local file
 * header), 4.3.12 (central directory), 4.3.16 (end of central directory); stored and deflated files.
 */
import { inflateRawSync } from "node:zlib";
import { Crc, findCrc } from "../../toolchain/hash/index.js";

/** The reason why an archive, or a file in it, cannot be read; a part of a sentence. */
export class NotRead extends Error {}

interface ZipEntry {
  /** Path with `/` between names; the path of a folder has no `/` at its end. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  readonly method: number;
  readonly encrypted: boolean;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  /** Offset of the local file header. */
  readonly offset: number;
}

/** Maximum number of entries; archives of courses have some thousands, submissions about ten. */
const MAX_ENTRIES = 20_000;

const END = { signature: 0x06054b50, bytes: 22, maxComment: 0xffff };
const CENTRAL = { signature: 0x02014b50, bytes: 46 };
const LOCAL = { signature: 0x04034b50, bytes: 30 };
const STORED = 0;
const DEFLATED = 8;
/** Bits of the flags: the file is encrypted; the name is UTF-8. */
const ENCRYPTED = 1;
/** Only files from Unix have a mode, with the type of the file in its highest bits. */
const MADE_ON_UNIX = 3;
const TYPE = 0xf000;
const TYPE_OF_LINK = 0xa000;
/** Marks a value that is stored in the 64-bit form. */
const IN_64_BIT_FORM = 0xffffffff;

const crc32 = new Crc(findCrc("CRC-32/ISO-HDLC")!);

export class ZipArchive {
  readonly #bytes: Buffer;
  readonly #entries = new Map<string, ZipEntry>();

  /** Throws NotRead for a file that is not an archive, or contains paths that lead out of it. */
  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    for (const entry of readDirectory(this.#bytes)) {
      if (this.#entries.has(entry.path)) throw new NotRead(`two entries have the name ${entry.path}`);
      this.#entries.set(entry.path, entry);
    }
  }

  /** Paths and kinds of all entries, without folders that have no entry of their own. */
  *entries(): Iterable<readonly [path: string, kind: ZipEntry["kind"]]> {
    for (const { path, kind } of this.#entries.values()) yield [path, kind];
  }

  /**
   * The content of a file; undefined if it does not exist. Throws NotRead if it cannot be read, or has more than
   * `limit` bytes.
   */
  read(path: string, limit: number): Uint8Array | undefined {
    const entry = this.#entries.get(path);
    if (entry === undefined) return undefined;
    const { kind, encrypted, method, size, crc } = entry;
    if (kind !== "file") throw new NotRead(kind === "link" ? "a symbolic link" : "not a file");
    if (encrypted) throw new NotRead("encrypted");
    if (size > limit) throw new NotRead(`${size} bytes; the maximum is ${limit}`);
    const content = unpack(dataOf(this.#bytes, entry), method, limit);
    if (content.length !== size || crc32.compute(content) !== crc)
      throw new NotRead("damaged: wrong checksum");
    return content;
  }
}

function unpack(data: Buffer, method: number, limit: number): Buffer {
  if (method === STORED) return data;
  if (method !== DEFLATED)
    throw new NotRead(`compression method ${method}; only stored and deflated files are supported`);
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(limit, 1) });
  } catch (error) {
    const tooLong = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw new NotRead(tooLong ? `more than ${limit} bytes` : "damaged: it cannot be unpacked");
  }
}

function dataOf(bytes: Buffer, { offset, packed }: ZipEntry): Buffer {
  const damaged = new NotRead("damaged: the archive's directory gives a wrong place for it");
  if (offset + LOCAL.bytes > bytes.length || bytes.readUInt32LE(offset) !== LOCAL.signature) throw damaged;
  const start = offset + LOCAL.bytes + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  if (start + packed > bytes.length) throw damaged;
  return bytes.subarray(start, start + packed);
}

function* readDirectory(bytes: Buffer): Iterable<ZipEntry> {
  const end = findEnd(bytes);
  const [disk, count, size, offset] = [
    bytes.readUInt16LE(end + 4),
    bytes.readUInt16LE(end + 10),
    bytes.readUInt32LE(end + 12),
    bytes.readUInt32LE(end + 16),
  ];
  if (disk !== 0) throw new NotRead("one part of a split archive");
  if (count === 0xffff || offset === IN_64_BIT_FORM) throw new NotRead("an archive in the 64-bit form");
  if (count > MAX_ENTRIES) throw new NotRead(`an archive of ${count} entries; the maximum is ${MAX_ENTRIES}`);
  if (offset + size > end) throw new NotRead("damaged: its end record gives a wrong place of the directory");
  let at = offset;
  for (let index = 0; index < count; index++) {
    if (at + CENTRAL.bytes > end || bytes.readUInt32LE(at) !== CENTRAL.signature)
      throw new NotRead("damaged: its directory ends early");
    const [name, extra, comment] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field));
    const next = at + CENTRAL.bytes + name! + extra! + comment!;
    if (next > end) throw new NotRead("damaged: its directory ends early");
    yield entryAt(bytes, at, bytes.toString("utf8", at + CENTRAL.bytes, at + CENTRAL.bytes + name!));
    at = next;
  }
}

function entryAt(bytes: Buffer, at: number, name: string): ZipEntry {
  const madeOn = bytes.readUInt8(at + 5);
  const mode = madeOn === MADE_ON_UNIX ? bytes.readUInt32LE(at + 38) >>> 16 : 0;
  const isFolder = name.endsWith("/");
  return {
    path: safePath(isFolder ? name.slice(0, -1) : name),
    kind: (mode & TYPE) === TYPE_OF_LINK ? "link" : isFolder ? "folder" : "file",
    method: bytes.readUInt16LE(at + 10),
    encrypted: (bytes.readUInt16LE(at + 8) & ENCRYPTED) !== 0,
    crc: bytes.readUInt32LE(at + 16),
    packed: bytes.readUInt32LE(at + 20),
    size: bytes.readUInt32LE(at + 24),
    offset: bytes.readUInt32LE(at + 42),
  };
}

/** The path of an entry. An archive with a path that leads out of its folder is rejected as a whole. */
function safePath(path: string): string {
  const names = path.split("/");
  const bad =
    names.some((name) => name === "" || name === "." || name === "..") || /[\\\0]|^[A-Za-z]:/.test(path);
  if (bad) throw new NotRead(`its path ${JSON.stringify(path)} leads out of the archive`);
  return path;
}

/** Offset of the end record; a comment may follow it. */
function findEnd(bytes: Buffer): number {
  const last = bytes.length - END.bytes;
  for (let at = last; at >= 0 && at >= last - END.maxComment; at--) {
    if (
      bytes.readUInt32LE(at) === END.signature &&
      at + END.bytes + bytes.readUInt16LE(at + 20) === bytes.length
    )
      return at;
  }
  throw new NotRead("not a ZIP archive");
}
