/** Packets that a lab on real switches sends: on which interface, how often, and how long it waits for the number of one. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { LabPlan, PacketSource } from "../../../src/course/lab/index.js";
import type { FrameOutlet } from "../../../src/course/lab-server/testbed/frame-outlets.js";
import { TestbedPackets } from "../../../src/course/lab-server/testbed/packets.js";
import { hostNamespace, switchNamespace, type Testbed } from "../../../src/fabric/testbed/index.js";
import { Wall } from "../lab/wall.js";

const host = (i: number) => ({
  ...{ name: `h${i}`, mac: `08:00:00:00:00:0${i}`, ipv4: `10.0.0.${i}`, ipv6: `2001:db8::${i}` },
  ...{ prefixLength: 24, commands: [] },
});
const end = (node: string, port: number) => ({ node, port });
/** s2 is at the far end of port 2 of s1, and h3 has no link. */
const PLAN: LabPlan = {
  hosts: [{ ...host(1), gateways: ["08:00:00:00:01:00"] }, host(2), host(3)],
  switches: [{ name: "s1", program: "a.p4" }, { name: "s2" }],
  links: [
    { a: end("h1", 0), b: end("s1", 1) },
    { a: end("s1", 2), b: end("s2", 1) },
    { a: end("s2", 2), b: end("h2", 0) },
  ],
};
const FRAME = `${"0800000001000800000000010800"}${"11".repeat(46)}`;

/** `traces`: the socket of s1. The frames that are sent have the time of the wall since its start. */
function sending(traces?: string) {
  const wall = new Wall();
  const start = wall.now();
  const sent: { outlet: FrameOutlet; at: number; bytes: number }[] = [];
  const broken = { at: Number.POSITIVE_INFINITY };
  const closed: string[] = [];
  const outlets = {
    send: (outlet: FrameOutlet, frame: Uint8Array) => {
      if (wall.now() - start >= broken.at) throw new Error("the link is down");
      sent.push({ outlet, at: wall.now() - start, bytes: frame.length });
    },
    close: () => void closed.push("closed"),
  };
  const switches = new Map([
    ["s1", { traceSocket: traces }],
    ["s2", { traceSocket: undefined }],
  ]);
  const lab = { id: "x", switches } as unknown as Testbed;
  const packets = new TestbedPackets({
    ...{ plan: PLAN, lab, timers: wall, monotonicUs: 0, programs: () => [], outlets },
  });
  onTestFinished(() => packets.close());
  const send = (from: PacketSource, count = 1, intervalNs = 1e6) =>
    packets.send({ op: "packet.send", from, packet: { hex: FRAME }, count, intervalNs });
  const times = () => sent.map(({ at }) => at);
  return { wall, packets, send, sent, times, broken, closed };
}

describe("the interface of a packet", () => {
  it.each<[PacketSource, string, string]>([
    [{ host: "h1" }, hostNamespace("x", "h1"), "eth0"],
    [{ host: "h2" }, hostNamespace("x", "h2"), "eth0"],
    [{ switch: "s1", port: 1 }, hostNamespace("x", "h1"), "eth0"],
    [{ switch: "s1", port: 2 }, switchNamespace("x"), "s2-eth1"],
    [{ switch: "s2", port: 1 }, switchNamespace("x"), "s1-eth2"],
    [{ switch: "s2", port: 2 }, hostNamespace("x", "h2"), "eth0"],
  ])(
    "from %j is the one of the host, or the one at the other end of the port",
    async (from, namespace, name) => {
      const { send, sent, wall } = sending();
      const reply = send(from);
      await wall.pass(2500);
      await reply;
      expect(sent).toEqual([{ outlet: { namespace, interface: name }, at: 0, bytes: 60 }]);
    },
  );

  it.each<[PacketSource, string, string | undefined]>([
    [{ host: "h9" }, "there is no host h9", "there are: h1, h2, h3"],
    [{ host: "h3" }, "h3 has no link", undefined],
    [{ switch: "h1", port: 0 }, "there is no switch h1", "there are: s1, s2"],
    [{ switch: "s1", port: 3 }, "port 3 of s1 has no link", undefined],
  ])("from %j does not exist, and nothing waits", async (from, message, note) => {
    const { send, sent, packets } = sending();
    const failure = await send(from).catch((error: { diagnostics: unknown[] }) => error.diagnostics[0]);
    expect(failure).toMatchObject({
      code: "P46002",
      message,
      notes: note === undefined ? [] : [{ message: note }],
    });
    expect(() => packets.build({ hex: FRAME }, from)).toThrow(message);
    expect(sent).toEqual([]);
  });
});

describe("a packet that is built", () => {
  const layers = (...headers: string[]) => ({ layers: headers.map((header) => ({ header, fields: {} })) });
  const fieldsOf = (from: PacketSource, ...headers: string[]) =>
    sending()
      .packets.build(layers(...headers), from)
      .built.layers.map(({ fields }) => fields);

  it("from a host has its addresses, and its router as the receiver where it has one", () => {
    const [ethernet, ipv4] = fieldsOf({ host: "h1" }, "ethernet", "ipv4");
    expect(ethernet).toMatchObject({ src: "08:00:00:00:00:01", dst: "08:00:00:00:01:00" });
    expect(ipv4).toMatchObject({ src: "10.0.0.1" });
    expect(fieldsOf({ host: "h1" }, "ethernet", "ipv6")[1]).toMatchObject({ src: "2001:db8::1" });
    expect(fieldsOf({ host: "h2" }, "ethernet", "ipv4")[0]).not.toMatchObject({ dst: "08:00:00:00:01:00" });
  });

  it("from a port of a switch has no addresses of a host", () => {
    const [ethernet, ipv4] = fieldsOf({ switch: "s1", port: 1 }, "ethernet", "ipv4");
    expect(ethernet).not.toMatchObject({ src: "08:00:00:00:00:01" });
    expect(ipv4).not.toMatchObject({ src: "10.0.0.1" });
  });
});

describe("a series", () => {
  it("sends the first packet at once and the others at their interval, and then nothing", async () => {
    const { wall, send, times } = sending();
    const reply = send({ host: "h1" }, 4, 5e6);
    expect(times()).toEqual([0]);
    await wall.pass(14);
    expect(times()).toEqual([0, 5, 10]);
    await wall.pass(5000);
    expect(times()).toEqual([0, 5, 10, 15]);
    expect(await reply).not.toHaveProperty("packet");
  });

  it("of one packet starts no timer", async () => {
    const { wall, send, times } = sending();
    void send({ host: "h1" });
    await wall.pass(5000);
    expect(times()).toEqual([0]);
  });

  it("with intervals below a millisecond sends those together that are due", async () => {
    const { wall, send, times } = sending();
    void send({ host: "h1" }, 25, 1e5);
    await wall.pass(1);
    expect(times()).toEqual([0, ...new Array(10).fill(1)]);
    await wall.pass(10);
    expect(times()).toEqual([0, ...new Array(10).fill(1), ...new Array(10).fill(2), ...new Array(4).fill(3)]);
  });

  it("ends where its link breaks", async () => {
    const { wall, send, times, broken } = sending();
    broken.at = 12;
    void send({ host: "h1" }, 9, 5e6);
    await wall.pass(16);
    broken.at = Number.POSITIVE_INFINITY;
    await wall.pass(100);
    expect(times()).toEqual([0, 5, 10]);
  });

  it("ends with the lab, and so does the wait for a number", async () => {
    const { wall, send, times, packets, closed } = sending();
    const reply = send({ host: "h1" }, 9, 5e6);
    await wall.pass(6);
    packets.close();
    expect(await reply).not.toHaveProperty("packet");
    await wall.pass(100);
    expect(times()).toEqual([0, 5]);
    expect(closed).toEqual(["closed"]);
  });
});

describe("the number of a packet", () => {
  /** A switch s1 that gives the traces of the test. */
  async function traces() {
    const folder = mkdtempSync(join(tmpdir(), "p4loom-series-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "s1");
    const open: Socket[] = [];
    const server: Server = createServer((socket) => {
      socket.write(`${JSON.stringify({ trace_stream: 1, epoch_us: 0, monotonic_us: 0 })}\n`);
      open.push(socket);
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => void server.close());
    const arrived = (bytes: string) => {
      const input = { packet_id: 0, ingress_port: 1, time_us: 1000, packet_size: bytes.length / 2, bytes };
      const outcome = { kind: "drop", reason: "mark_to_drop", stage: "ingress" };
      const root = { cause: "arrival", events: [], outcome };
      open[0]!.write(`${JSON.stringify({ trace_version: 1, device: "s1", input, root })}\n`);
    };
    return { path, open, arrived };
  }

  it("is in the reply when its first switch has reported it, without waiting longer", async () => {
    const { path, open, arrived } = await traces();
    const { send, packets, wall } = sending(path);
    packets.poll(0, true);
    await expect.poll(() => open.length, { interval: 3, timeout: 20_000 }).toBe(1);
    let reply: { packet?: number } | undefined;
    void send({ host: "h1" }).then((found) => {
      reply = found;
    });
    arrived("22".repeat(60));
    arrived(FRAME);
    await expect
      .poll(
        () => {
          packets.poll(1e9, true);
          return reply;
        },
        { interval: 3, timeout: 20_000 },
      )
      .toMatchObject({ layers: expect.anything() });
    const own = packets.book.latest(9).find(({ id }) => id === reply!.packet);
    expect(own).toMatchObject({ from: "h1", end: { kind: "dropped", node: "s1" } });
    expect(wall.now()).toBe(new Wall().now());
    expect(packets.book.latest(9)).toHaveLength(2);
  });

  it("is missing after two and a half seconds without a report", async () => {
    const { send, wall } = sending();
    let reply: object | undefined;
    void send({ host: "h1" }).then((found) => {
      reply = found;
    });
    await wall.pass(2499);
    expect(reply).toBeUndefined();
    await wall.pass(1);
    expect(reply).toBeDefined();
    expect(reply).not.toHaveProperty("packet");
  });
});
