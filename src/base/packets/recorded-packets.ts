/** Packets of a capture, classic pcap or pcapng, read one at a time from pieces of its bytes. */
import { fail } from "../index.js";
import { CODES } from "./codes.js";
import { PcapDecoder } from "./pcap.js";
import { BLOCK } from "./pcapng.js";
import { PcapngDecoder } from "./pcapng-decoder.js";

export interface RecordedPacket {
  readonly seconds: number;
  readonly nanoseconds: number;
  /** What was kept of the frame. */
  readonly frame: Uint8Array;
  /** Of the whole frame. */
  readonly length: number;
  readonly linkType: number;
}

/** The part of both decoders that is used. */
interface Decoder {
  push(piece: Uint8Array): void;
  finish(): void;
  take(): RecordedPacket | undefined;
}

/** Fails as {@link PcapDecoder} and {@link PcapngDecoder} do. @param name the file's name for messages */
export function* recordedPackets(name: string, pieces: Iterable<Uint8Array>): Generator<RecordedPacket> {
  let decoder: Decoder | undefined;
  for (const piece of pieces) {
    decoder ??= decoderOf(name, piece);
    decoder.push(piece);
    for (let packet = decoder.take(); packet !== undefined; packet = decoder.take()) yield packet;
  }
  if (decoder === undefined) return fail(CODES.captureForm, undefined, `${name} is empty`);
  decoder.finish();
}

/** The decoder for the first four bytes of the file, which are in its first piece. */
function decoderOf(name: string, piece: Uint8Array): Decoder {
  const isPcapng =
    piece.length >= 4 && new DataView(piece.buffer, piece.byteOffset).getUint32(0) === BLOCK.section;
  if (isPcapng) {
    const decoder = new PcapngDecoder(name);
    return {
      push: (next) => decoder.push(next),
      finish: () => decoder.finish(),
      take() {
        const packet = decoder.next();
        if (packet === undefined) return undefined;
        const { linkType = 1 } = decoder.interfaces[packet.interface]!;
        return { ...packet, length: packet.length ?? packet.frame.length, linkType };
      },
    };
  }
  const decoder = new PcapDecoder(name, { partial: true });
  return {
    push: (next) => decoder.push(next),
    finish: () => decoder.finish(),
    take() {
      const packet = decoder.next();
      return (
        packet && { ...packet, length: packet.length ?? packet.frame.length, linkType: decoder.linkType! }
      );
    },
  };
}
