/** `p4loom switch` as a process whose ports are veth interfaces in namespaces of the test's own. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fromHex, toHex } from "../../src/base/index.js";
import { decodePcap } from "../../src/base/packets/index.js";
import type { Update } from "../../src/toolchain/device/index.js";
import { Interfaces } from "../../src/toolchain/interfaces/index.js";
import { connect } from "../../src/toolchain/p4runtime/index.js";
import { COMMAND } from "../built-command.js";
import { ip, namespace, pair, whyNot } from "../toolchain/interfaces/namespaces.js";

const root = resolve(import.meta.dirname, "../..");
const reason = whyNot();
const title =
  reason === undefined ? "p4loom switch on interfaces" : `p4loom switch on interfaces (${reason})`;

const until = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 2 });

interface Running {
  process: ChildProcess;
  /** `HOST:PORT` once it is ready; undefined when it ended before. */
  ready: Promise<string | undefined>;
  status: Promise<number | string>;
  output(): string;
  errors(): string;
}

function start(folder: string, ...words: string[]): Running {
  const child = spawn(process.execPath, [COMMAND, "switch", ...words], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TMPDIR: folder },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [output, errors] = ["", ""];
  const status = new Promise<number | string>((resolve) => {
    child.on("close", (code, signal) => resolve(code ?? signal!));
  });
  const ready = new Promise<string | undefined>((resolve) => {
    child.stdout.on("data", (piece) => {
      output += piece;
      const address = /listening on (\S+)\n/.exec(output)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.stderr.on("data", (piece) => {
      errors += piece;
    });
    void status.then(() => resolve(undefined));
  });
  return { process: child, ready, status, output: () => output, errors: () => errors };
}

/** A program of one table, from port to port; hosts a and b on its ports 1 and 2, which lie in a third namespace. */
function network() {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-interfaces-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "wires.p4"), WIRES);
  writeFileSync(
    join(folder, "wires.txt"),
    "table_add TheIngress.wires send 1 => 2\ntable_add TheIngress.wires send 2 => 1\n",
  );
  const [a, b, middle] = [namespace(), namespace(), namespace()];
  pair([a, "host"], [middle, "one"]);
  pair([b, "host"], [middle, "two"]);
  const got: { a: string[]; b: string[] } = { a: [], b: [] };
  const host = new Interfaces(
    [
      { port: 1, name: "host", namespace: a },
      { port: 2, name: "host", namespace: b },
    ],
    { frame: (port, frame) => got[port === 1 ? "a" : "b"].push(toHex(frame)) },
  );
  onTestFinished(() => host.close());
  host.start();
  const send = (port: 1 | 2, hex: string): void => {
    host.send(port, fromHex(hex)!);
    host.flush();
  };
  const ports = ["-i", `1@one,netns=/run/netns/${middle}`, "-i", `2@two,netns=${middle}`];
  const words = [join(folder, "wires.p4"), "--commands", join(folder, "wires.txt"), ...ports];
  return { folder, a, b, middle, got, host, send, words };
}

const HEAD = "02000000000b02000000000a";
const frameOf = (n: number, length = 60): string =>
  `${HEAD}88b5${n.toString(16).padStart(8, "0")}`.padEnd(2 * length, "5a");

describe.skipIf(reason !== undefined)(title, () => {
  it("takes and sends packets with all their bytes, captures them, and ends with all of them sent", async () => {
    const { folder, got, send, words } = network();
    const run = start(folder, ...words, `--pcap=${folder}`, "--", "--grpc-server-addr", "127.0.0.1:0");
    expect(await run.ready).toMatch(/^127\.0\.0\.1:\d+$/);
    // Ready: the very first packet is taken.
    const tagged = `${HEAD}8100a00588b5`.padEnd(128, "7b");
    const sent = [frameOf(1), tagged, frameOf(2, 1514)];
    for (const frame of sent) send(1, frame);
    send(2, frameOf(3));
    await until(() => expect([got.b, got.a]).toEqual([sent, [frameOf(3)]]));
    // Behind these nothing is waited for: a stop takes what has come.
    const last = Array.from({ length: 200 }, (_, i) => frameOf(100 + i));
    for (const frame of last) send(1, frame);
    await new Promise((resolve) => setTimeout(resolve, 50));
    run.process.kill("SIGTERM");
    expect(await run.status).toBe(0);
    expect(run.errors()).toBe("");
    await until(() => expect(got.b).toEqual([...sent, ...last]));
    const captured = (name: string) =>
      decodePcap(readFileSync(join(folder, name)), name).map(({ frame }) => toHex(frame));
    expect(captured("one_in.pcap")).toEqual([...sent, ...last]);
    expect(captured("two_out.pcap")).toEqual([...sent, ...last]);
    expect(captured("two_in.pcap")).toEqual([frameOf(3)]);
    expect(captured("one_out.pcap")).toEqual([frameOf(3)]);
  });

  it("gets and loses ports while it runs", async () => {
    const { folder, middle, got, send, words } = network();
    const [program, ...commands] = words.slice(0, 3);
    const run = start(
      folder,
      program!,
      ...commands,
      ...["--device-id", "1", `--pcap=${folder}`, "--log-console", "-L", "info"],
      "--",
      "--grpc-server-addr",
      "127.0.0.1:0",
    );
    const device = await connect((await run.ready)!, { timeoutMs: 10_000 });
    onTestFinished(() => device.close());
    const { ports } = device;
    expect(await ports!.list()).toEqual([]);
    const one = { kind: "interface", name: "one", namespace: middle } as const;
    const two = { kind: "interface", name: "two", namespace: `/run/netns/${middle}` } as const;
    await ports!.add(1, one);
    await ports!.add(2, two);
    const refused = (task: Promise<void>) =>
      task.then(
        () => "added",
        ({ code, message }) => `${code}: ${message}`,
      );
    expect(await refused(ports!.add(3, { ...one, name: "nowhere" }))).toMatch(
      /^NOT_FOUND: no interface nowhere in namespace /,
    );
    expect(await refused(ports!.add(3, { kind: "interface", name: "nowhere" }))).toBe(
      "NOT_FOUND: no interface nowhere",
    );
    expect(await refused(ports!.add(3, { ...one, namespace: "p4loom-nowhere" }))).toMatch(
      /^NOT_FOUND: .*p4loom-nowhere/,
    );
    expect(await refused(ports!.add(3, two))).toMatch(
      /^ALREADY_EXISTS: interface two .* is port 2 and port 3$/,
    );
    expect(await refused(ports!.add(2, one))).toBe("ALREADY_EXISTS: port 2 is two; remove it first");
    expect(await refused(ports!.add(511, one))).toBe(
      "INVALID_ARGUMENT: port 511 is the drop port: no packet could leave by it",
    );
    send(1, frameOf(1));
    await until(() => expect(got.b).toEqual([frameOf(1)]));
    const counted = { up: true, receiveDrops: 0, sendDrops: 0 };
    expect(await ports!.list()).toEqual([
      { port: 1, attachment: one, ...counted, received: 1, sent: 0 },
      { port: 2, attachment: two, ...counted, received: 0, sent: 1 },
    ]);
    await ports!.remove(2);
    expect(await refused(ports!.remove(2))).toBe("NOT_FOUND: there is no port 2");
    send(1, frameOf(2));
    await expect.poll(async () => (await ports!.list())[0]).toMatchObject({ received: 2 });
    await ports!.add(2, two);
    send(1, frameOf(3));
    await until(() => expect(got.b).toEqual([frameOf(1), frameOf(3)]));
    run.process.kill("SIGTERM");
    expect(await run.status).toBe(0);
    expect(run.errors()).toBe("");
    expect(run.output()).toMatch(/port 1 was added: interface one in namespace /);
    expect(run.output()).toContain("port 2 was removed");
    expect(
      decodePcap(readFileSync(join(folder, "one_in.pcap")), "one").map(({ frame }) => toHex(frame)),
    ).toEqual([1, 2, 3].map((n) => frameOf(n)));
  });

  it("lets packets leave slow queues after SIGTERM, at their rate", async () => {
    const { folder, got, send, words } = network();
    writeFileSync(join(folder, "wires.txt"), "table_add TheIngress.wires send 1 => 2\nset_queue_rate 500\n");
    const run = start(folder, ...words, "--grpc-server-addr", "none", "--log-console", "-L", "info");
    await until(() => expect(run.output()).toContain("Running without a server\n"));
    // BMv2's depth: 64 wait, the rest is dropped.
    const frames = Array.from({ length: 100 }, (_, i) => frameOf(i));
    for (const frame of frames) send(1, frame);
    await until(() => expect(got.b.length).toBeGreaterThan(2));
    run.process.kill("SIGTERM");
    expect(await run.status).toBe(0);
    const [, took, left] = /\] (\d+) packets came in, (\d+) left/.exec(run.output())!;
    expect(Number(took)).toBe(100);
    expect(Number(left)).toBeGreaterThanOrEqual(64);
    await until(() => expect(got.b).toHaveLength(Number(left)));
    expect(got.b).toEqual(frames.filter((frame) => got.b.includes(frame)));
    expect(got.b.slice(0, 64)).toEqual(frames.slice(0, 64));
  });

  it("paces a port that has a rate, and shows its queue to the program", async () => {
    const { folder, got, send, words } = network();
    writeFileSync(join(folder, "wires.p4"), DEPTHS);
    writeFileSync(join(folder, "wires.txt"), "");
    const paced = words.map((word) => (word.startsWith("2@") ? `${word},rate=40000` : word));
    const run = start(folder, ...paced, "--grpc-server-addr", "none", "--log-console", "-L", "info");
    await until(() => expect(run.output()).toContain("Running without a server\n"));
    expect(run.output()).toMatch(/port 2 is interface two in namespace \S+, at 40000 bit\/s/);
    for (let i = 0; i < 30; i++) send(1, frameOf(i, 100));
    await until(() => expect(got.b).toHaveLength(30));
    const depths = got.b.map((frame) => Number.parseInt(frame.slice(24, 28), 16));
    expect(depths[0]).toBe(0);
    // 20 ms a frame: most of them came while the first was on the wire.
    expect(Math.max(...depths)).toBeGreaterThan(10);
    run.process.kill("SIGTERM");
    expect(await run.status).toBe(0);
  });

  it("takes a port down and up with its link", async () => {
    const { folder, b, got, send, words } = network();
    const run = start(folder, ...words, "--grpc-server-addr", "127.0.0.1:0", "--log-console", "-L", "info");
    await run.ready;
    send(1, frameOf(1));
    await until(() => expect(got.b).toEqual([frameOf(1)]));
    ip("-n", b, "link", "set", "host", "down");
    await until(() => expect(run.output()).toContain("port 2 is down\n"));
    send(1, frameOf(2));
    await new Promise((resolve) => setTimeout(resolve, 50));
    ip("-n", b, "link", "set", "host", "up");
    await until(() => expect(run.output()).toContain("port 2 is up\n"));
    send(1, frameOf(3));
    await until(() => expect(got.b).toEqual([frameOf(1), frameOf(3)]));
    run.process.kill("SIGTERM");
    expect(await run.status).toBe(0);
    expect(run.output()).toMatch(/3 packets came in, 2 left, 1 were dropped\n$/);
  });

  it("answers a controller under full load", async () => {
    const { folder, got, host, words } = network();
    const run = start(folder, ...words, "--grpc-server-addr", "127.0.0.1:0");
    const client = await connect((await run.ready)!, { deviceId: 0n, timeoutMs: 20_000 });
    onTestFinished(() => client.close());
    const frame = fromHex(frameOf(7))!;
    let flooding = true;
    const flood = (): void => {
      if (!flooding) return;
      for (let i = 0; i < 256; i++) host.send(1, frame);
      setImmediate(flood);
    };
    flood();
    await until(() => expect(got.b.length).toBeGreaterThan(1000));
    const entry = (port: number): Update => ({
      type: "insert",
      entity: {
        kind: "tableEntry",
        table: "TheIngress.wires",
        match: [{ kind: "exact", field: "s.ingress_port", value: BigInt(port) }],
        priority: 0,
        action: { kind: "action", action: "TheIngress.send", params: { port: 1n } },
      },
    });
    for (let port = 3; port < 53; port++) await client.write([entry(port)]);
    const before = got.b.length;
    expect(await client.read([{ kind: "tableEntry", table: "TheIngress.wires" }])).toHaveLength(52);
    await until(() => expect(got.b.length).toBeGreaterThan(before));
    flooding = false;
    run.process.kill("SIGTERM");
    expect(await run.status).toBe(0);
  });

  it("ends with a diagnostic where an interface cannot be opened", async () => {
    const { folder, middle, words } = network();
    const run = start(folder, ...words, "-i", `3@three,netns=${middle}`, "--grpc-server-addr", "127.0.0.1:0");
    expect(await run.ready).toBeUndefined();
    expect(await run.status).toBe(1);
    expect(run.errors()).toContain(`error[P40021]: no interface three in namespace /run/netns/${middle}\n`);
  });
});

const WIRES = `
#include <core.p4>
#include <v1model.p4>
header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
struct headers { eth_t eth; }
struct metadata { }
parser TheParser(packet_in p, out headers hdr, inout metadata m, inout standard_metadata_t s) {
  state start { p.extract(hdr.eth); transition accept; }
}
control TheChecks(inout headers hdr, inout metadata m) { apply { } }
control TheIngress(inout headers hdr, inout metadata m, inout standard_metadata_t s) {
  action send(bit<9> port) { s.egress_spec = port; }
  action lose() { mark_to_drop(s); }
  table wires {
    key = { s.ingress_port: exact; }
    actions = { send; lose; }
    default_action = lose();
  }
  apply { wires.apply(); }
}
control TheEgress(inout headers hdr, inout metadata m, inout standard_metadata_t s) { apply { } }
control TheDeparser(packet_out p, in headers hdr) { apply { p.emit(hdr.eth); } }
V1Switch(TheParser(), TheChecks(), TheIngress(), TheEgress(), TheChecks(), TheDeparser()) main;
`;

/** From port 1 to port 2; the Ethernet type becomes the depth of the queue. */
const DEPTHS = `
#include <core.p4>
#include <v1model.p4>
header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
struct headers { eth_t eth; }
struct metadata { }
parser TheParser(packet_in p, out headers hdr, inout metadata m, inout standard_metadata_t s) {
  state start { p.extract(hdr.eth); transition accept; }
}
control TheChecks(inout headers hdr, inout metadata m) { apply { } }
control TheIngress(inout headers hdr, inout metadata m, inout standard_metadata_t s) { apply { s.egress_spec = 2; } }
control TheEgress(inout headers hdr, inout metadata m, inout standard_metadata_t s) {
  apply { hdr.eth.type = (bit<16>) s.enq_qdepth; }
}
control TheDeparser(packet_out p, in headers hdr) { apply { p.emit(hdr.eth); } }
V1Switch(TheParser(), TheChecks(), TheIngress(), TheEgress(), TheChecks(), TheDeparser()) main;
`;
