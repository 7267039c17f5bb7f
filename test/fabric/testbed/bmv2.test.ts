/** What P4Runtime of BMv2 has no word for, and our switch beside it: one program, the same control plane. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { startTestbed, type Testbed } from "../../../src/fabric/testbed/index.js";
import { type Device, DeviceError, type Entity, type Update } from "../../../src/toolchain/device/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { makeFolder, testbedOptions, whyNot } from "./machine.js";
import { twoHosts } from "./two-hosts.js";

/** Two ports wired to each other; registers that packets change; a hash with parameters. */
const PROGRAM = `
#include <core.p4>
#include <v1model.p4>
header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
struct headers { ethernet_t ethernet; }
struct metadata { bit<16> hash; }
parser P(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.ethernet); transition accept; }
}
control V(inout headers hdr, inout metadata meta) { apply {} }
control I(inout headers hdr, inout metadata meta, inout standard_metadata_t std) {
    register<bit<64>>(4) wide;
    register<bit<8>>(3) small;
    apply {
        bit<8> count;
        small.read(count, 0);
        small.write(0, count + 1);
        hash(meta.hash, HashAlgorithm.crc16_custom, 16w0, { hdr.ethernet.dst }, 32w65536);
        if (std.ingress_port == 1) { std.egress_spec = 2; } else { std.egress_spec = 1; }
    }
}
control E(inout headers hdr, inout metadata meta, inout standard_metadata_t std) { apply {} }
control C(inout headers hdr, inout metadata meta) { apply {} }
control D(packet_out packet, in headers hdr) { apply { packet.emit(hdr.ethernet); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
`;

const program = compile({ file: new SourceFile("wires.p4", PROGRAM) }, new Diagnostics())!.program;

function set(register: string, index: number, value: bigint, type: Update["type"] = "modify"): Update {
  return { type, entity: { kind: "register", register, index, value } };
}

function valuesOf(entities: readonly Entity[]): bigint[] {
  return entities.map((entity) => (entity.kind === "register" ? entity.value : -1n));
}

const reason = whyNot("netns", "bmv2", ["ping"]);

describe.skipIf(reason !== undefined)(`BMv2 as a device ${reason ?? ""}`, () => {
  let testbed: Testbed;
  let device: Device;
  let lines: string[];

  beforeAll(async () => {
    const options = await testbedOptions("netns", "bmv2", makeFolder());
    ({ lines } = options);
    testbed = await startTestbed(twoHosts("bmv2"), options);
    ({ device } = testbed.switches.get("s1")!);
    await device.load(program);
  });

  afterAll(async () => {
    await testbed?.close();
  });

  it("reads and writes registers", async () => {
    const { status } = await testbed.hosts.get("h1")!.exec(["ping", "-c", "1", "-W", "2", "10.0.0.2"]);
    expect(status).toBe(0);
    expect(
      valuesOf(await device.read([{ kind: "register", register: "I.small", index: 0 }]))[0],
    ).toBeGreaterThan(1n);
    await device.write([set("I.small", 1, 255n), set("I.wide", 3, 2n ** 62n)]);
    expect(valuesOf(await device.read([{ kind: "register", register: "I.wide" }]))).toEqual([
      0n,
      0n,
      0n,
      2n ** 62n,
    ]);
    const all = await device.read([{ kind: "register" }]);
    expect(all.map((entity) => (entity.kind === "register" ? [entity.register, entity.index] : []))).toEqual([
      ...[0, 1, 2, 3].map((index) => ["I.wide", index]),
      ...[0, 1, 2].map((index) => ["I.small", index]),
    ]);
    expect(lines).toContain("s1: registers by simple_switch_CLI (Thrift), P4Runtime of BMv2 has none");
  });

  it("reports the outcome of every register of a batch", async () => {
    const updates = [
      set("I.small", 2, 7n),
      set("I.small", 3, 1n),
      set("I.small", 1, 256n),
      set("I.none", 0, 1n),
      set("I.small", 1, 1n, "insert"),
      set("I.wide", 0, 2n ** 63n),
      set("I.wide", 1, 5n),
    ];
    const error = await device.write(updates).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DeviceError);
    expect((error as DeviceError).updates!.map(({ code }) => code)).toEqual([
      "OK",
      "OUT_OF_RANGE",
      "OUT_OF_RANGE",
      "NOT_FOUND",
      "INVALID_ARGUMENT",
      "UNIMPLEMENTED",
      "OK",
    ]);
    const queries = [
      { kind: "register", register: "I.small", index: 2 },
      { kind: "register", register: "I.wide", index: 1 },
    ] as const;
    expect(valuesOf(await device.read(queries))).toEqual([7n, 5n]);
    await expect(device.read([{ kind: "register", register: "I.none" }])).rejects.toThrow(
      "no register I.none",
    );
    await expect(device.read([{ kind: "register", register: "I.small", index: 9 }])).rejects.toMatchObject({
      code: "OUT_OF_RANGE",
    });
    await expect(device.write([set("I.small", 0, 1n)], "dataplaneAtomic")).rejects.toThrow("dataplaneAtomic");
  });

  it("sets queues and parameters of hashes", async () => {
    const settings = device.settings!;
    await settings.setQueueDepth(10);
    await settings.setQueueDepth(10, { port: 1, priority: 0 });
    await settings.setQueueRate(100_000, { port: 1 });
    const parameters = {
      polynomial: 0x8005n,
      initial: 0n,
      finalXor: 0xffffn,
      reflectData: true,
      reflectRemainder: false,
    };
    const { name } = program.bmv2.calculations[0]!;
    await settings.setCrcParameters(name, 16, parameters);
    await expect(settings.setCrcParameters("none", 16, parameters)).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await expect(settings.setQueueDepth(10, { priority: 0 })).rejects.toThrow("priority 0 of which port?");
  });
});

const ours = whyNot("netns", "switch");

describe.skipIf(ours !== undefined)(`rates ${ours ?? ""}`, () => {
  it("are set up on both ends of a link", async () => {
    const { links, ...spec } = twoHosts("rate");
    const options = await testbedOptions("netns", "switch", makeFolder());
    const testbed = await startTestbed(
      { ...spec, links: links.map((link) => ({ ...link, rateBps: 10e6 })) },
      options,
    );
    try {
      const host = await testbed.hosts.get("h1")!.exec(["tc", "class", "show", "dev", "eth0"]);
      expect(host.stdout).toContain("rate 10Mbit");
      await testbed.switches.get("s1")!.device.load(program);
      const ping = await testbed.hosts
        .get("h1")!
        .exec(["ping", "-c", "1", "-s", "1400", "-W", "2", "10.0.0.2"]);
      expect(ping.status).toBe(0);
    } finally {
      await testbed.close();
    }
  });
});
