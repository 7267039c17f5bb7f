/** Traces of a running switch: who gets them, and which packets are chosen when there are too many. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { traceLines } from "../../../src/toolchain/daemon/trace-file.js";
import { packetHash, TraceSample } from "../../../src/toolchain/daemon/trace-sample.js";
import { TraceSocket } from "../../../src/toolchain/daemon/trace-socket.js";
import { socketPath } from "../../../src/toolchain/daemon/unix-socket.js";
import { readTraces } from "../../../src/toolchain/trace/index.js";
import { startFeatures } from "../switch/trace/features.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-trace-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const START = { epochUs: 5e15, monotonicUs: 7e9 };
const bytes = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

describe("a socket of traces", () => {
  it("traces while a reader is connected, and not before or afterwards", async () => {
    const path = join(folder, "s1.trace");
    const { device } = startFeatures();
    device.trace = undefined;
    const socket = await TraceSocket.open({ path, perSecond: 10 }, device, START, () => 0);
    const seen: number[] = [];
    const reading = (async () => {
      for await (const { packet } of readTraces(path, traceLines(`unix:${path}`)))
        seen.push(packet.input.packet_id);
    })();
    await expect.poll(() => device.trace).toBeDefined();
    for (let i = 0; i < 3; i++) device.receive(1, bytes("01000a010203"));
    await expect.poll(() => seen).toHaveLength(3);

    const head = await new Promise<string>((resolve) => {
      const other = createConnection(path);
      other.once("data", (chunk: Buffer) => {
        resolve(chunk.toString());
        other.destroy();
      });
    });
    expect(JSON.parse(head)).toEqual({ trace_stream: 1, epoch_us: 5e15, monotonic_us: 7e9 });
    await socket.close();
    await reading;
    await expect.poll(() => device.trace).toBeUndefined();
    expect(existsSync(path)).toBe(false);
  });

  it("has 16 readers at most", async () => {
    const path = join(folder, "many.trace");
    const { device } = startFeatures();
    const socket = await TraceSocket.open({ path, perSecond: 10 }, device, START, () => 0);
    const outcome = () =>
      new Promise<string>((resolve) => {
        const reader = createConnection(path);
        reader.once("data", () => resolve("reads"));
        reader.once("close", () => resolve("closed"));
        reader.on("error", () => resolve("closed"));
      });
    const outcomes: string[] = [];
    for (let i = 0; i < 17; i++) outcomes.push(await outcome());
    expect(outcomes).toEqual([...Array.from({ length: 16 }, () => "reads"), "closed"]);
    await socket.close();
  });

  it("says why it cannot be: a file is there, or a folder is not", async () => {
    const { device } = startFeatures();
    const path = join(folder, "taken");
    writeFileSync(path, "");
    const open = (at: string) => TraceSocket.open({ path: at, perSecond: 1 }, device, START, () => 0);
    await expect(open(path)).rejects.toThrow("P40014");
    const none = join(folder, "none");
    await expect(open(join(none, "s1"))).rejects.toThrow(
      `: --trace-socket ${join(none, "s1")}: there is no folder ${none}`,
    );
    await expect(open(join(path, "s1"))).rejects.toThrow(`${path} is not a folder`);
  });

  it("is a file also where its name is a number", () => {
    expect(["5000", "s1.trace", "/run/5000", "../5000"].map(socketPath)).toEqual([
      "./5000",
      "./s1.trace",
      "/run/5000",
      "../5000",
    ]);
  });
});

/** IPv4 over Ethernet, with what lies between the two. */
function frameOf(between: Uint8Array, ttl: number, id: number, payload: Uint8Array): Uint8Array {
  const length = 20 + payload.length;
  const ip = [0x45, 0, length >> 8, length & 255, id >> 8, id & 255, 0, 0, ttl, 17, 0, 0];
  const ethernet = new Uint8Array(14).fill(ttl);
  return Uint8Array.from([...ethernet, ...between, ...ip, 10, 0, 1, 1, 10, 0, 2, 2, ...payload]);
}

describe("the choice of packets", () => {
  it("is the same where addresses, TTL and headers before IP differ", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 8, maxLength: 300 }),
        fc.nat(65_535),
        fc.uint8Array({ maxLength: 60, size: "medium" }).map((one) => one.map((byte) => byte | 0x80)),
        (payload, id, between) => {
          const plain = packetHash(frameOf(new Uint8Array(), 64, id, payload));
          expect(packetHash(frameOf(between, 63, id, payload))).toBe(plain);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("is by the header, where bytes inside it look like another one: 106 bytes and a TTL of 63", () => {
    const hashes = [64, 63, 62].map((ttl) =>
      packetHash(frameOf(new Uint8Array(), ttl, 0, new Uint8Array(86))),
    );
    expect(new Set(hashes).size).toBe(1);
  });

  it("takes all packets of a slow network, and a bounded number of a fast one", () => {
    const slow = new TraceSample(50);
    for (let i = 0; i < 200; i++)
      expect(slow.takes(frameOf(new Uint8Array(), 64, i, new Uint8Array(8)), i * 25)).toBe(true);

    const fast = new TraceSample(50);
    const seconds = 10;
    const taken = Array.from({ length: seconds }, () => 0);
    for (let i = 0; i < seconds * 10_000; i++) {
      const frame = frameOf(new Uint8Array(), 64, i & 0xffff, new Uint8Array(8).fill(i >> 16));
      if (fast.takes(frame, i / 10)) taken[Math.floor(i / 10_000)]!++;
    }
    // those of one second may come at once
    expect(taken.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(50 * (seconds + 1));
    for (const count of taken) expect(count).toBeGreaterThanOrEqual(12);
  });

  it("is common to switches with different loads", () => {
    const [busy, calm] = [new TraceSample(50), new TraceSample(50)];
    let both = 0;
    let one = 0;
    for (let i = 0; i < 60_000; i++) {
      const frame = frameOf(new Uint8Array(), 64, i & 0xffff, new Uint8Array(8));
      const chosen = busy.takes(frame, i / 10);
      if (i % 4 !== 0 || i < 20_000) continue;
      const also = calm.takes(frame, i / 10);
      if (chosen) one++;
      if (chosen && also) both++;
    }
    expect(one).toBeGreaterThan(10);
    expect(both / one).toBeGreaterThan(0.5);
  });
});
