/** Writes ZIP archives for tests, including invalid ones. */
import { crc32, deflateRawSync } from "node:zlib";

export interface WrittenFile {
  readonly path: string;
  readonly content?: string | Uint8Array;
  /** Compression method; default: deflated. */
  readonly method?: number;
  readonly flags?: number;
  /** Mode of Unix, with the type. */
  readonly mode?: number;
  /** Values of the directory that replace the correct ones. */
  readonly says?: { readonly size?: number; readonly crc?: number; readonly offset?: number };
}

const DEFLATED = 8;

export function zipOf(files: readonly WrittenFile[], comment = ""): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, content = "", method = DEFLATED, flags = 0, mode = 0o100644, says = {} } of files) {
    const name = Buffer.from(path);
    const plain = Buffer.from(content);
    const data = method === DEFLATED ? deflateRawSync(plain) : plain;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(says.crc ?? crc32(plain), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(says.size ?? plain.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), common, name, data]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((mode << 16) >>> 0, 6);
    tail.writeUInt32LE(says.offset ?? offset, 10);
    const unix = Buffer.from([20, 3]);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02", "latin1"), unix, common, tail, name]));
    parts.push(local);
    offset += local.length;
  }
  const middle = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(middle.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...parts, middle, end, Buffer.from(comment, "latin1")]);
}
