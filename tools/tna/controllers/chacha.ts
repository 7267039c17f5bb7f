/**
 * What Hasegawa-Laboratory/ChaCha-Tofino does with a packet, by Node's own ChaCha20 (RFC 8439): a frame carries six blocks of 64 bytes, and
 * the switch xors each with the key stream of its number under the key of zeros that the program has. Words of the key stream go out with
 * the high byte first.
 */
import { createCipheriv } from "node:crypto";
import type { Exchange } from "./cases.js";

const BLOCKS = 6;
const ETHERNET = "020202020202040404040404abcd";

/** Decryption, for which a frame has its nonce: mode 0, the port to leave by, 64 bits of nonce, the data. */
export function decryption(port: number, leaves: number, nonce: string, data: Uint8Array): Exchange {
  if (data.length !== BLOCKS * 64) throw new Error(`a frame has ${BLOCKS} blocks of 64 bytes`);
  const head = (position: number) =>
    `${ETHERNET}00${byte(position)}00${leaves.toString(16).padStart(4, "0")}${nonce}`;
  const done = data.map((value, i) => value ^ keyStreamByte(nonce, i));
  return {
    port,
    packet: head(0) + Buffer.from(data).toString("hex"),
    // The switch counts the blocks that are done.
    expect: [`${leaves} ${head(BLOCKS)}${Buffer.from(done).toString("hex")}`],
  };
}

function byte(value: number): string {
  return value.toString(16).padStart(2, "0");
}

/** RFC 8439, section 2.3: the counter is the block's number, the nonce has 32 bits of zeros before the 64 of the frame. */
function keyStreamByte(nonce: string, at: number): number {
  const words = nonce.match(/.{8}/g) ?? [];
  const start = Buffer.alloc(16);
  for (const [i, word] of words.entries()) start.writeUInt32LE(Number.parseInt(word, 16), 8 + 4 * i);
  const stream = createCipheriv("chacha20", Buffer.alloc(32), start).update(Buffer.alloc(BLOCKS * 64));
  // Words are numbers: their bytes go out in the other order.
  return stream[at ^ 3] ?? 0;
}
