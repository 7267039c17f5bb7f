/** Frames through veth pairs between namespaces that the test made. Needs Linux, koffi and root. */
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { buildSync } from "esbuild";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { DiagnosticError, formatDiagnostic, fromHex, Random, toHex } from "../../../src/base/index.js";
import { Interfaces } from "../../../src/toolchain/interfaces/index.js";
import type { InterfacePort } from "../../../src/toolchain/interfaces/interfaces.js";
import { inside, ip, namespace, pair, whyNot } from "./namespaces.js";

const reason = whyNot();
const title = reason === undefined ? "network interfaces" : `network interfaces (${reason})`;

/** Opens ports and keeps what comes. */
function open(...ports: InterfacePort[]) {
  const frames: { port: number; hex: string }[] = [];
  const links: [number, boolean][] = [];
  const warnings: string[] = [];
  const io = new Interfaces(ports, {
    frame: (port, frame) => frames.push({ port, hex: toHex(frame) }),
    link: (port, up) => links.push([port, up]),
    warn: (port, message, note) => warnings.push(`${port}: ${message} (${note})`),
  });
  onTestFinished(() => io.close());
  return { io, frames, links, warnings, hexes: () => frames.map(({ hex }) => hex) };
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 60_000, interval: 2 });

/** An Ethernet frame of a type that no stack answers. */
function frameOf(length: number, seed: number): Uint8Array {
  const random = new Random(seed);
  const frame = Uint8Array.from({ length }, () => random.int(256));
  frame.set([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5]);
  return frame;
}

function refusal(...ports: InterfacePort[]): string {
  try {
    new Interfaces(ports, { frame() {} }).close();
  } catch (error) {
    if (error instanceof DiagnosticError) return error.diagnostics.map((d) => formatDiagnostic(d)).join("\n");
    throw error;
  }
  return "was accepted";
}

/** Two namespaces with a pair between them; both ends opened as port 1 and port 2. */
function twoEnds(mtu?: number) {
  const [a, b] = [namespace(), namespace()];
  pair([a, "left"], [b, "right"], mtu);
  return {
    a,
    b,
    left: { port: 1, name: "left", namespace: a },
    right: { port: 2, name: "right", namespace: b },
  };
}

/** A thread that sends everything back to where it came from; as one piece of JavaScript. */
function workerCode(): string {
  const folder = resolve(import.meta.dirname, "../../../src/toolchain/interfaces");
  const contents = `
    import { parentPort, workerData } from "node:worker_threads";
    import { Interfaces } from "./index.ts";
    const io = new Interfaces([workerData], { frame: (port, frame) => void io.send(port, frame) });
    io.start();
    parentPort.once("message", () => io.close());
    parentPort.postMessage("ready");`;
  const { outputFiles } = buildSync({
    ...{
      stdin: { contents, resolveDir: folder },
      bundle: true,
      write: false,
      platform: "node",
      format: "cjs",
    },
    define: { "import.meta.url": JSON.stringify(pathToFileURL(resolve(folder, "libc.ts")).href) },
  });
  return outputFiles[0]!.text;
}

/** Nothing of this thread runs meanwhile; the kernel delivers frames in flight. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** A kernel that delivers later, in a thread of its own, has room for this number of frames in flight (netdev_max_backlog). */
const PIECE = 500;

/** Hands frames to the kernel piece by piece, with time for it between them to deliver; the reader does not read meanwhile. */
function sendInPieces(io: Interfaces, port: number, count: number, frame: (i: number) => Uint8Array): void {
  for (let i = 0; i < count; i++) {
    io.send(port, frame(i));
    if ((i + 1) % PIECE !== 0) continue;
    io.flush();
    pause(2);
  }
  io.flush();
  pause(100);
}

describe.skipIf(reason !== undefined)(title, () => {
  it("passes frames of all lengths, byte for byte, both ways", async () => {
    const { left, right } = twoEnds();
    const { io, frames } = open(left, right);
    io.start();
    const lengths = [14, 15, 59, 60, 64, 65, 1000, 1513, 1514];
    const sent = lengths.map((length) => frameOf(length, length));
    for (const frame of sent) {
      expect(io.send(1, frame)).toBe(true);
      expect(io.send(2, frame)).toBe(true);
    }
    expect(io.send(3, sent[0]!)).toBe(false);
    await until(() => expect(frames).toHaveLength(2 * lengths.length));
    for (const port of [1, 2]) {
      expect(frames.filter((frame) => frame.port === port).map(({ hex }) => hex)).toEqual(sent.map(toHex));
    }
    expect(io.statistics).toEqual(
      [left, right].map((end) => ({
        ...{ ...end, up: true, received: lengths.length, sent: lengths.length },
        ...{ receiveDrops: 0, receiveRefused: 0, sendRefused: 0 },
      })),
    );
  });

  it("opens and closes ports while others pass frames", async () => {
    const { a, left, right } = twoEnds();
    const [c, d] = [namespace(), namespace()];
    pair([c, "third"], [d, "fourth"]);
    const third = { port: 3, name: "third", namespace: c };
    const fourth = { port: 4, name: "fourth", namespace: d };
    const { io, frames, links } = open(left, right);
    expect(() => io.add(third)).toThrow("between start and stop");
    io.start();
    io.add(third);
    io.add(fourth);
    io.send(1, frameOf(60, 1));
    io.send(3, frameOf(70, 2));
    await until(() => expect(frames.map(({ port }) => port).sort()).toEqual([2, 4]));
    // The watch of the links of a namespace comes and goes with its ports.
    ip("-n", d, "link", "set", "fourth", "down");
    await until(() => expect(links).toContainEqual([4, false]));
    expect(io.statistics.map(({ port, up }) => [port, up])).toContainEqual([4, false]);
    expect(io.remove(3)).toBe(true);
    expect(io.remove(3)).toBe(false);
    expect(io.send(3, frameOf(60, 3))).toBe(false);
    expect(io.statistics.map(({ port }) => port)).toEqual([1, 2, 4]);
    io.send(2, frameOf(80, 4));
    await until(() => expect(frames.at(-1)?.port).toBe(1));
    // A failed addition leaves nothing: the same number and interface can be added after it.
    for (const wrong of [
      { port: 5, name: "nowhere", namespace: a },
      { port: 5, name: "left", namespace: a },
      { port: 1, name: "third", namespace: c },
    ])
      expect(() => io.add(wrong)).toThrow();
    io.add({ ...third, port: 5 });
    expect(io.statistics.map(({ port, received }) => [port, received])).toEqual([
      [1, 1],
      [2, 1],
      [4, 1],
      [5, 0],
    ]);
    await io.stop();
    expect(() => io.add(third)).toThrow("between start and stop");
  });

  it("takes thousands in order, and those before a stop", async () => {
    const { left, right } = twoEnds();
    const { io, hexes } = open(left, right);
    io.start();
    const sent = Array.from({ length: 5000 }, (_, i) => frameOf(60 + (i % 7), i));
    sendInPieces(io, 1, sent.length, (i) => sent[i]!);
    await io.stop();
    expect(hexes()).toEqual(sent.map(toHex));
    // Stopped: nothing more is taken, but frames still leave.
    io.send(2, sent[0]!);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(hexes()).toHaveLength(5000);
    expect(io.statistics[1]).toMatchObject({ sent: 1, received: 5000, receiveDrops: 0 });
  });

  it("counts what the kernel had to drop", async () => {
    const { left, right } = twoEnds();
    const { io, frames } = open(left, right);
    io.start();
    // 8 MiB hold fewer frames of this length, each with its overhead; the reader does not read meanwhile.
    const frame = frameOf(60, 1);
    sendInPieces(io, 1, 40_000, () => frame);
    await io.stop();
    const { received, receiveDrops } = io.statistics[1]!;
    expect(received).toBe(frames.length);
    expect(received).toBeGreaterThan(1000);
    expect(receiveDrops).toBeGreaterThan(1000);
    // What is lost on the way to the socket is in no count of the socket's.
    expect(received + receiveDrops).toBeLessThanOrEqual(40_000);
  });

  it("puts VLAN tags back", async () => {
    const { left, right } = twoEnds();
    const { io, hexes } = open(left, right);
    io.start();
    const [head, rest] = ["020000000001020000000002", "88b5".padEnd(104, "ab")];
    const tags = ["8100e123", "81000000", "88a80005", "88a8000581000006", "810000ff8100000188a80fff"];
    for (const tag of tags) io.send(1, fromHex(head + tag + rest)!);
    await until(() => expect(hexes()).toEqual(tags.map((tag) => head + tag + rest)));
  });

  it("takes frames of 65,535 bytes, and counts those that do not fit through", async () => {
    const { left, right } = twoEnds(65_521);
    const { io, hexes } = open(left, right);
    io.start();
    const long = frameOf(65_535, 3);
    io.send(1, long);
    io.send(1, new Uint8Array(65_536));
    await until(() => expect(hexes()).toEqual([toHex(long)]));
    expect(io.statistics[0]).toMatchObject({ sent: 1, sendRefused: 1 });
    const small = twoEnds();
    const other = open(small.left, small.right);
    other.io.start();
    for (const length of [60, 1515, 61, 13, 62]) other.io.send(1, new Uint8Array(length).fill(2));
    await until(() => expect(other.hexes().map((hex) => hex.length / 2)).toEqual([60, 61, 62]));
    expect(other.io.statistics[0]).toMatchObject({ sent: 3, sendRefused: 2 });
  });

  it("reports links that go down and up, at either end", async () => {
    const { a, b, left, right } = twoEnds();
    ip("-n", b, "link", "set", "right", "down");
    const { io, links, hexes } = open(left, right);
    io.start();
    expect(links.splice(0)).toEqual([
      [1, false],
      [2, false],
    ]);
    io.send(1, frameOf(60, 1));
    io.flush();
    ip("-n", b, "link", "set", "right", "up");
    const bothAre = (up: boolean) =>
      until(() =>
        expect([...links].sort()).toEqual([
          [1, up],
          [2, up],
        ]),
      );
    await bothAre(true);
    links.length = 0;
    io.send(1, frameOf(60, 2));
    await until(() => expect(hexes()).toEqual([toHex(frameOf(60, 2))]));
    ip("-n", a, "link", "set", "left", "down");
    await bothAre(false);
    io.send(1, frameOf(60, 3));
    io.flush();
    expect(io.statistics[0]).toMatchObject({ sendRefused: 1 });
    ip("-n", a, "link", "del", "left");
    io.send(2, frameOf(60, 3));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(links).toHaveLength(2);
    expect(io.statistics[1]).toMatchObject({ received: 1, sendRefused: 1 });
  });

  it("completes the checksums that a sender leaves to hardware", async () => {
    const { a, right } = twoEnds();
    ip("-n", a, "address", "add", "10.9.0.1/24", "dev", "left");
    ip("-n", a, "neighbour", "add", "10.9.0.2", "lladdr", "02:00:00:00:00:09", "dev", "left");
    const { io, hexes } = open(right);
    io.start();
    inside(a, "bash", "-c", "echo -n odd > /dev/udp/10.9.0.2/9; echo -n even > /dev/udp/10.9.0.2/9");
    await until(() => expect(hexes()).toHaveLength(2));
    for (const frame of hexes().map((hex) => fromHex(hex)!)) {
      const udp = frame.subarray(34);
      const pseudo = [...frame.subarray(26, 34), 0, 17, 0, udp.length];
      const words = [...pseudo, ...udp, ...(udp.length % 2 ? [0] : [])];
      let sum = 0;
      for (let i = 0; i < words.length; i += 2) sum += (words[i]! << 8) | words[i + 1]!;
      expect((sum & 0xffff) + (sum >>> 16)).toBe(0xffff);
    }
  });

  it("drops joined segments, and says so once", async () => {
    const [a, b, middle] = [namespace(), namespace(), namespace()];
    pair([a, "left"], [middle, "m1"]);
    pair([b, "right"], [middle, "m2"]);
    ip("-n", a, "address", "add", "10.9.0.1/24", "dev", "left");
    ip("-n", b, "address", "add", "10.9.0.2/24", "dev", "right");
    const warnings: string[] = [];
    const io = new Interfaces(
      [
        { port: 0, name: "m1", namespace: middle },
        { port: 1, name: "m2", namespace: middle },
      ],
      {
        frame: (port, frame) => void io.send(1 - port, frame),
        warn: (port, message, note) => warnings.push(`${port}: ${message}; ${note}`),
      },
    );
    onTestFinished(() => io.close());
    io.start();
    const server = spawn("ip", [
      ...["netns", "exec", b, process.execPath, "-e"],
      `require("net").createServer((s) => s.resume()).listen(9000, () => console.log("listening"))`,
    ]);
    onTestFinished(() => void server.kill("SIGKILL"));
    await new Promise((resolve) => server.stdout.once("data", resolve));
    const client = spawn("ip", [
      ...["netns", "exec", a, process.execPath, "-e"],
      `require("net").connect(9000, "10.9.0.2").write(Buffer.alloc(2e6))`,
    ]);
    onTestFinished(() => void client.kill("SIGKILL"));
    await until(() => expect(io.statistics[0]!.receiveRefused).toBeGreaterThan(1));
    expect(warnings).toEqual([
      "0: joined segments, as no wire carries them, come in by m1: they are dropped; switch segmentation off where " +
        "they are sent, and at m1: ethtool -K INTERFACE tso off gso off gro off",
    ]);
  });

  it("serves a thread that is not Node's first one", async () => {
    const { left, right } = twoEnds();
    const worker = new Worker(workerCode(), { eval: true, workerData: right });
    onTestFinished(async () => void (await worker.terminate()));
    await new Promise((resolve) => worker.once("message", resolve));
    const { io, hexes } = open(left);
    io.start();
    for (let i = 0; i < 300; i++) io.send(1, frameOf(60, i));
    await until(() => expect(hexes()).toEqual(Array.from({ length: 300 }, (_, i) => toHex(frameOf(60, i)))));
    worker.postMessage("close");
    expect(await new Promise((resolve) => worker.once("exit", resolve))).toBe(0);
  });

  it("gives one port's flood and the event loop their turns", async () => {
    const ends = twoEnds();
    const quiet = twoEnds();
    const flood = open(
      ends.left,
      { ...ends.right, port: 2 },
      { ...quiet.left, port: 3 },
      { ...quiet.right, port: 4 },
    );
    flood.io.start();
    // 4000 frames wait when the first turn begins.
    for (let i = 0; i < 4000; i++) flood.io.send(1, frameOf(60, 1));
    flood.io.send(3, frameOf(60, 2));
    let rounds = 0;
    const count = setInterval(() => rounds++, 0);
    onTestFinished(() => clearInterval(count));
    const order: number[] = [];
    await until(() => expect(flood.frames).toHaveLength(4001));
    for (const { port } of flood.frames) order.push(port);
    expect(order.indexOf(4)).toBeLessThan(1000);
    expect(rounds).toBeGreaterThan(0);
  });

  it("comes back to its own namespace, and leaves nothing open when it fails", () => {
    const { left, right } = twoEnds();
    const own = () => ip("netns", "identify", String(process.pid));
    const open = () => inside(left.namespace, "cat", "/proc/net/packet").trim().split("\n").length - 1;
    const before = own();
    expect(refusal(left, right, { port: 3, name: "none", namespace: left.namespace })).toContain("P40021");
    expect(own()).toBe(before);
    expect(open()).toBe(0);
    expect(refusal(left, right)).toBe("was accepted");
    expect(open()).toBe(0);
  });

  it("says what is wrong", () => {
    const { a, left } = twoEnds();
    ip("-n", a, "tuntap", "add", "tunnel", "mode", "tun");
    const other = { ...left, port: 7, namespace: `/run/netns/${a}` };
    const lines = [
      refusal({ port: 1, name: "p4loom-none" }),
      refusal({ port: 1, name: "a-name-that-is-too-long" }),
      refusal({ ...left, name: "none" }),
      refusal({ ...left, namespace: "p4loom-none" }),
      refusal({ ...left, namespace: "/dev/null" }),
      refusal({ ...left, name: "tunnel" }),
      refusal(left, other),
    ];
    expect(`\n${lines.join("\n").replaceAll(a, "A")}\n`).toMatchInlineSnapshot(`
      "
      error[P40021]: no interface p4loom-none
      note: \`ip link\` lists those there are; make it before the switch starts, or leave out its -i
      error[P40021]: no interface a-name-that-is-too-long
      note: names of interfaces have 1 to 15 bytes
      error[P40021]: no interface none in namespace /run/netns/A
      note: \`ip link\` lists those there are; make it before the switch starts, or leave out its -i
      error[P40023]: no network namespace /run/netns/p4loom-none: no such file
      note: \`ip netns list\` names those of iproute2; /proc/PID/ns/net is that of a process
      error[P40023]: /dev/null is no network namespace: EINVAL
      error[P40025]: interface tunnel in namespace /run/netns/A carries no Ethernet frames (link type 65534)
      error[P40024]: interface left in namespace /run/netns/A is port 1 and port 7
      "
    `);
  });
});
