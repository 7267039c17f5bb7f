/**
 * Which fake acknowledgements (FACKs, P4TE section 4.3) the kernel's TCP takes: a peer of our own behind a TUN device accepts a connection
 * of the kernel, acknowledges some data, and then sends one segment of each form. docs/papers/p4te.md has the list.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { inside, namespace, whyNot } from "./namespaces.js";

const reason = whyNot() ?? (existsSync("/dev/net/tun") ? undefined : "there is no /dev/net/tun");
const source = (path: string) => JSON.stringify(join(import.meta.dirname, "../../../src", path));

/** The peer's window, and how many bytes of the data it has acknowledged. */
const WINDOW = 20_000;
const ACKNOWLEDGED = 5000;

const program = `
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { addWords, finishChecksum } from ${source("base/packets/index.ts")};
import { TUN_HEADROOM, TunDevice } from ${source("toolchain/interfaces/index.ts")};

const internetChecksum = (bytes) => finishChecksum(addWords(bytes, 0, bytes.length, 0));
const ip = (line) => execFileSync("ip", line.split(" "));
const put = (bytes, at, value, length) => {
  for (let i = length - 1; i >= 0; i--, value = Math.floor(value / 256)) bytes[at + i] = value % 256;
};
let kernelPort = 0, first = 0, highest = 0, handshake;
const shaken = new Promise((resolve) => (handshake = resolve));
/** A segment of the peer; payload and options are none. */
const segment = ({ flags = 0x10, sequence = 1001, acknowledgement, window, offset = 5, wrongSum = false }) => {
  const bytes = new Uint8Array(40);
  bytes[0] = 0x45;
  put(bytes, 2, 40, 2);
  bytes.set([64, 6], 8);
  bytes.set([10, 9, 0, 2, 10, 9, 0, 1], 12);
  put(bytes, 10, internetChecksum(bytes.subarray(0, 20)), 2);
  put(bytes, 20, 80, 2);
  put(bytes, 22, kernelPort, 2);
  put(bytes, 24, sequence, 4);
  put(bytes, 28, acknowledgement % 2 ** 32, 4);
  bytes[32] = offset << 4;
  bytes[33] = flags;
  put(bytes, 34, window, 2);
  const pseudo = new Uint8Array(32);
  pseudo.set(bytes.subarray(12, 20));
  put(pseudo, 8, 6, 2);
  put(pseudo, 10, 20, 2);
  pseudo.set(bytes.subarray(20, 40), 12);
  put(bytes, 36, internetChecksum(pseudo) ^ (wrongSum ? 0x0100 : 0), 2);
  tun.write(bytes);
};
const tun = new TunDevice("p4test", (bytes, end) => {
  const at = TUN_HEADROOM;
  if (bytes[at] !== 0x45 || bytes[at + 9] !== 6) return;
  const get = (place, length) => bytes.subarray(at + place, at + place + length).reduce((n, b) => n * 256 + b, 0);
  if ((bytes[at + 33] & 2) !== 0) {
    kernelPort = get(20, 2);
    first = get(24, 4);
    segment({ flags: 0x12, sequence: 1000, acknowledgement: first + 1, window: ${WINDOW} });
    handshake();
  }
});
ip("address add 10.9.0.1/24 dev p4test");
ip("link set p4test up");
tun.start();
const socket = connect({ port: 80, host: "10.9.0.2" });
socket.on("error", () => {});
await shaken;
socket.write(Buffer.alloc(100_000));
await sleep(300);
const kernel = () => {
  const text = execFileSync("ss", ["-tinH"], { encoding: "utf8" });
  const of = (name) => Number(new RegExp(name + ":([0-9]+)").exec(text)?.[1] ?? 0);
  return { window: of("snd_wnd"), acked: of("bytes_acked") };
};
const counter = (name) => {
  const [names, values] = readFileSync("/proc/net/snmp", "utf8").split("\\n").filter((line) => line.startsWith("Tcp:"));
  return Number(values.split(" ")[names.split(" ").indexOf(name)]);
};
/** The window that a segment leaves, the bytes that it acknowledges and whether its checksum is wrong, from the same state each time. */
const after = async (form) => {
  segment({ acknowledgement: first + 1 + acknowledged, window: ${WINDOW} });
  await sleep(50);
  const before = { ...kernel(), sums: counter("InCsumErrors") };
  segment({ acknowledgement: first + 1 + acknowledged, ...form });
  await sleep(50);
  const { window, acked } = kernel();
  return { window, acked: acked - before.acked, sums: counter("InCsumErrors") - before.sums };
};
let acknowledged = ${ACKNOWLEDGED};
const outcomes = {
  smaller: await after({ window: ${WINDOW / 2} }),
  larger: await after({ window: ${WINDOW} + 1 }),
};
acknowledged += 1;
outcomes.beyond = await after({ acknowledgement: first + 1 + acknowledged + 1, window: ${WINDOW / 2} });
acknowledged += 1;
const authors = { acknowledgement: first + 1 + acknowledged + 1, window: ${WINDOW / 2} };
outcomes.offset = await after({ ...authors, offset: 8 });
outcomes.sum = await after({ ...authors, wrongSum: true });
outcomes.both = await after({ ...authors, offset: 8, wrongSum: true });
console.log(JSON.stringify(outcomes));
process.exit(0);
`;

describe.skipIf(reason !== undefined)(
  reason === undefined ? "the kernel's TCP" : `the kernel's TCP (${reason})`,
  () => {
    it("ignores a FACK with a smaller window that acknowledges nothing new, and discards those of P4TE's authors", () => {
      const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
      const words = [process.execPath, "--import", loader, "--input-type=module", "-e", program];
      const outcomes = JSON.parse(inside(namespace(), ...words).trim()) as unknown;
      const ignored = { window: WINDOW, acked: 0, sums: 0 };
      expect(outcomes).toEqual({
        // tcp_may_update_window: the same numbers, hence only a larger window counts.
        smaller: ignored,
        larger: { ...ignored, window: WINDOW + 1 },
        // The authors' number, one above that of the data, in a segment that is right otherwise: its window counts, and it acknowledges.
        beyond: { ...ignored, window: WINDOW / 2, acked: 1 },
        // Their length has no room for the options of the data, whose offset stays: a header of 32 bytes in 20.
        offset: ignored,
        // Their checksum is that of the data.
        sum: { ...ignored, sums: 1 },
        both: ignored,
      });
    });
  },
);
