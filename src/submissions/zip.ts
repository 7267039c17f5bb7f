/**
 * Reads ZIP archives, within bounds, and writes nothing: what is in an archive is found by its name alone. Format: PKWARE's
 * APPNOTE.TXT, sections 4.3.7 (local file header), 4.3.12 (central directory), 4.3.16 (end of it); stored and deflated files.
 */
import { inflateRawSync } from "node:zlib";
import { Crc, findCrc } from "../hash/index.js";

/** Why an archive, or a file in it, is not read; a part of a sentence. */
export class NotRead extends Error {}

interface ZipEntry {
  /** Path with `/` between names; a folder has none at its end. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  readonly method: number;
  readonly encrypted: boolean;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  /** Of the local file header. */
  readonly offset: number;
}

/** Archives of courses have some thousand entries, and a submission some ten. */
const MAX_ENTRIES = 20_000;

const END = { signature: 0x06054b50, bytes: 22, maxComment: 0xffff };
const CENTRAL = { signature: 0x02014b50, bytes: 46 };
const LOCAL = { signature: 0x04034b50, bytes: 30 };
const STORED = 0;
const DEFLATED = 8;
/** Bits of the flags: the file is encrypted; its name is UTF-8. */
const ENCRYPTED = 1;
/** Files of other systems have no mode; that of Unix has the type in its highest bits. */
const MADE_ON_UNIX = 3;
const TYPE = 0xf000;
const TYPE_OF_LINK = 0xa000;
/** A value that stands in the 64-bit form. */
const ELSEWHERE = 0xffffffff;

const crc32 = new Crc(findCrc("CRC-32/ISO-HDLC")!);

export class ZipArchive {
  readonly #bytes: Buffer;
  readonly #entries = new Map<string, ZipEntry>();

  /** Throws NotRead for what is no archive, or has names that lead out of it. */
  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    for (const entry of readDirectory(this.#bytes)) {
      if (this.#entries.has(entry.path)) throw new NotRead(`two entries are called ${entry.path}`);
      this.#entries.set(entry.path, entry);
    }
  }

  /** Paths of all entries, and what they are; folders that only the paths of others name are not among them. */
  *entries(): Iterable<readonly [path: string, kind: ZipEntry["kind"]]> {
    for (const { path, kind } of this.#entries.values()) yield [path, kind];
  }

  /** The content of a file; undefined where there is none. Throws NotRead when it cannot be, or has more than `limit` bytes. */
  read(path: string, limit: number): Uint8Array | undefined {
    const entry = this.#entries.get(path);
    if (entry === undefined) return undefined;
    const { kind, encrypted, method, size, crc } = entry;
    if (kind !== "file") throw new NotRead(kind === "link" ? "a symbolic link" : "no file");
    if (encrypted) throw new NotRead("encrypted");
    if (size > limit) throw new NotRead(`${size} bytes; at most ${limit} are read`);
    const content = unpack(dataOf(this.#bytes, entry), method, limit);
    if (content.length !== size || crc32.compute(content) !== crc)
      throw new NotRead("damaged: its checksum is another");
    return content;
  }
}

function unpack(data: Buffer, method: number, limit: number): Buffer {
  if (method === STORED) return data;
  if (method !== DEFLATED)
    throw new NotRead(`packed by method ${method}; stored and deflated files are read`);
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(limit, 1) });
  } catch (error) {
    const tooLong = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw new NotRead(tooLong ? `more than ${limit} bytes` : "damaged: it cannot be unpacked");
  }
}

function dataOf(bytes: Buffer, { offset, packed }: ZipEntry): Buffer {
  const damaged = new NotRead("damaged: the archive does not have it where it says");
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
  if (disk !== 0) throw new NotRead("one part of an archive in several");
  if (count === 0xffff || offset === ELSEWHERE) throw new NotRead("an archive in the 64-bit form");
  if (count > MAX_ENTRIES)
    throw new NotRead(`an archive of ${count} entries; at most ${MAX_ENTRIES} are read`);
  if (offset + size > end) throw new NotRead("damaged: its directory is not where it says");
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

/** The path of an entry. An archive with a path that could leave a folder was made to do so: none of it is read. */
function safePath(path: string): string {
  const names = path.split("/");
  const bad =
    names.some((name) => name === "" || name === "." || name === "..") || /[\\\0]|^[A-Za-z]:/.test(path);
  if (bad) throw new NotRead(`the path ${JSON.stringify(path)} in it leads out of it`);
  return path;
}

/** Where the record at the end begins; a comment may follow it. */
function findEnd(bytes: Buffer): number {
  const last = bytes.length - END.bytes;
  for (let at = last; at >= 0 && at >= last - END.maxComment; at--) {
    if (
      bytes.readUInt32LE(at) === END.signature &&
      at + END.bytes + bytes.readUInt16LE(at + 20) === bytes.length
    )
      return at;
  }
  throw new NotRead("no ZIP archive");
}
