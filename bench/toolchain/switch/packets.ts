/** The program, entries and packets that all measurements of the switch share: l3 of the recordings. */
import { resolve } from "node:path";
import { fromHex } from "../../../src/base/index.js";

export const FOLDER = resolve(import.meta.dirname, "../../../test/golden/l3");

/** An address that the entries of the recordings route from port 0 to port 2. */
export const TO_PORT_2 = 0x0a020304;

/** An Ethernet and IPv4 frame of 64 bytes to the given addresses. */
export function ipv4Frame(destination: number, source = 0x09090909): Uint8Array {
  const full = new Uint8Array(64);
  full.set(fromHex("02000000019b04000000024808004500003272530000400600000000000000000000" + "03e8270f")!);
  const put = (at: number, value: number) => {
    for (let i = 0; i < 4; i++) full[at + i] = value >>> (24 - 8 * i);
  };
  put(26, source);
  put(30, destination);
  let sum = 0;
  for (let at = 14; at < 34; at += 2) sum += (full[at]! << 8) | full[at + 1]!;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  full[24] = (~sum >>> 8) & 255;
  full[25] = ~sum & 255;
  return full;
}
