/**
 * A Write whose updates are still bytes. A message of 64 MiB holds 1,000,000 updates, and decoding them all would block the
 * event loop for seconds; so the server finds the position of each update, and decodes them one by one.
 */
import { fromBinary } from "@bufbuild/protobuf";
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { DeviceError } from "../../device/index.js";
import {
  type Update,
  UpdateSchema,
  type WriteRequest,
  WriteRequestSchema,
} from "../generated/p4/v1/p4runtime_pb.js";

const UPDATES = WriteRequestSchema.field.updates.number;

export class PackedWrite {
  /** The request without its updates. */
  readonly head: Omit<WriteRequest, "updates">;
  readonly #bytes: Uint8Array;
  /** Start and end of each update in the bytes. */
  readonly #places: number[] = [];

  /** Throws an `Error` when the bytes are no message. */
  constructor(buffer: Uint8Array) {
    // A Buffer's `slice` shares memory where that of a Uint8Array copies.
    this.#bytes = new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    const reader = new BinaryReader(this.#bytes);
    const head = new BinaryWriter();
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      const start = reader.pos;
      if (field === UPDATES && type === WireType.LengthDelimited) {
        const length = reader.uint32();
        const end = reader.pos + length;
        if (end > reader.len) throw new RangeError("an update ends after the message");
        this.#places.push(reader.pos, end);
        reader.pos = end;
      } else {
        reader.skip(type, field);
        head.tag(field, type).raw(this.#bytes.subarray(start, reader.pos));
      }
    }
    this.head = fromBinary(WriteRequestSchema, head.finish());
  }

  /** Number of updates. */
  get length(): number {
    return this.#places.length / 2;
  }

  /** Decodes one update; throws INVALID_ARGUMENT when its bytes are no message. */
  update(i: number): Update {
    const bytes = this.#bytes.subarray(this.#places[2 * i]!, this.#places[2 * i + 1]!);
    try {
      return fromBinary(UpdateSchema, bytes);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new DeviceError("INVALID_ARGUMENT", `update ${i + 1} of ${this.length} cannot be read: ${why}`);
    }
  }
}
