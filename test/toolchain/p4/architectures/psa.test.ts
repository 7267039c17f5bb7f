/** PSA: packet tests of every path and extern, from source and from its BMv2 JSON; the form of the JSON; the control plane; what is refused. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile, toHex } from "../../../../src/base/index.js";
import type { DeviceEvent, Entity } from "../../../../src/toolchain/device/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import {
  type Bmv2Program,
  P4InfoIndex,
  type Program,
  readBmv2,
} from "../../../../src/toolchain/program/index.js";
import { readStf, runStf } from "../../../../src/toolchain/stf/index.js";
import { CoverageCounts, type PacketTrace, Switch } from "../../../../src/toolchain/switch/index.js";
import { ManualClock } from "../../switch/golden.js";

const folder = resolve(import.meta.dirname, "../../../golden/psa");
const CPU = 510;

function read(name: string): SourceFile {
  return new SourceFile(name, readFileSync(join(folder, name), "utf8"));
}

function compiled(file: SourceFile | string, diagnostics = new Diagnostics()): Program {
  const result = compile({ file }, diagnostics);
  diagnostics.throwIfErrors();
  return result!.program;
}

/** The program as a file has it. */
function fromFile(bmv2: Bmv2Program): Bmv2Program {
  const diagnostics = new Diagnostics();
  const made = readBmv2(new SourceFile("program.json", JSON.stringify(bmv2)), diagnostics);
  diagnostics.throwIfErrors();
  return made!;
}

async function play(program: Program, name: string) {
  const diagnostics = new Diagnostics();
  const { passed, failed } = await runStf(readStf(read(name), diagnostics), program, diagnostics);
  return { passed, failed, messages: diagnostics.list.map(({ code, message }) => `${code} ${message}`) };
}

describe("packets of PSA", () => {
  it("are counted for coverage, though the switch runs another form of the program", () => {
    const program = compiled(read("paths.p4"));
    const coverage = new CoverageCounts();
    const device = new Switch(program, { clock: new ManualClock(), transmit: () => {}, coverage });
    device.receive(1, new Uint8Array(64));
    expect(coverage.of(program.bmv2)?.hits.some((count) => count > 0)).toBe(true);
  });

  it.each([
    ["paths", 10],
    ["externs", 15],
  ])("take every way: %s", async (name, expected) => {
    const program = compiled(read(`${name}.p4`));
    const wanted = { passed: expected, failed: 0, messages: [] };
    expect(await play(program, `${name}.stf`)).toEqual(wanted);
    expect(await play({ ...program, bmv2: fromFile(program.bmv2) }, `${name}.stf`)).toEqual(wanted);
  });
});

describe("the BMv2 JSON of PSA", () => {
  const { bmv2 } = compiled(read("externs.p4"));

  it("names its parts as psa_switch looks for them", () => {
    expect(bmv2.parsers.map(({ name }) => name)).toEqual(["ingress_parser", "egress_parser"]);
    expect(bmv2.pipelines.map(({ name }) => name)).toEqual(["ingress", "egress"]);
    expect(bmv2.deparsers.map(({ name }) => name)).toEqual(["ingress_deparser", "egress_deparser"]);
    expect(bmv2.headers.flatMap(({ name, metadata }) => (metadata ? [name] : []))).toEqual([
      "scalars",
      "psa_ingress_parser_input_metadata",
      "psa_ingress_input_metadata",
      "psa_ingress_output_metadata",
      "psa_egress_parser_input_metadata",
      "psa_egress_input_metadata",
      "psa_egress_output_metadata",
      "psa_egress_deparser_input_metadata",
    ]);
    expect(bmv2).not.toHaveProperty("portable");
  });

  it("has the externs as objects with their attributes", () => {
    const objects = bmv2.extern_instances.map(({ name, type, attribute_values = [] }) => [
      name,
      type,
      ...attribute_values.map((one) => `${one.name}=${one.value}`),
    ]);
    expect(objects).toContainEqual(["IC.packets", "Counter", "n_counters=0x00000010", "type=0x02"]);
    expect(objects).toContainEqual([
      "IC.meter",
      "Meter",
      "is_direct=0",
      "n_meters=0x00000010",
      "rate_count=2",
      "type=packets",
    ]);
    expect(objects).toContainEqual(["IC.crc", "Hash", "algo=crc32"]);
    expect(objects).toContainEqual(["IP.sum", "InternetChecksum"]);
    const ops = new Set([
      ...bmv2.actions.flatMap(({ primitives }) => primitives.map(({ op }) => op)),
      ...bmv2.parsers.flatMap(({ parse_states }) =>
        parse_states.flatMap(({ parser_ops }) =>
          parser_ops.map((op) => (op.op === "primitive" ? op.parameters[0].op : op.op)),
        ),
      ),
    ]);
    for (const op of ["_Counter_count", "_Meter_execute", "_Hash_get_hash", "_Hash_get_hash_mod"])
      expect(ops).toContain(op);
    for (const op of ["clear", "add", "subtract", "get"]) expect(ops).toContain(`_InternetChecksum_${op}`);
  });

  it("names what a path takes along in field lists", () => {
    const { field_lists } = compiled(read("paths.p4")).bmv2;
    expect(field_lists.map(({ name, elements }) => [name, elements.length])).toEqual([
      ["resubmit_meta", 2],
      ["clone_i2e_meta", 2],
      ["clone_e2e_meta", 2],
      ["recirculate_meta", 2],
    ]);
    expect(bmv2.field_lists).toEqual([]);
  });
});

function start(name: string, trace?: (one: PacketTrace) => void) {
  const program = compiled(read(name));
  const clock = new ManualClock();
  const sent: string[] = [];
  const events: DeviceEvent[] = [];
  const device = new Switch(program, {
    clock,
    cpuPort: CPU,
    transmit: (port, frame) => sent.push(`${port} ${toHex(frame)}`),
    ...(trace === undefined ? {} : { trace }),
  });
  device.watch((event) => events.push(event));
  const insert = (...entities: Entity[]) =>
    device.apply(entities.map((entity) => ({ type: "insert", entity })));
  const packet = (hex: string, port = 1) => device.receive(port, new Uint8Array(Buffer.from(hex, "hex")));
  return { program, clock, device, sent, events, insert, packet };
}

describe("PSA under a controller", () => {
  it("has its objects in P4Info's own messages", () => {
    const { program } = start("externs.p4");
    const { p4info } = program;
    const index = new P4InfoIndex(p4info);
    expect(p4info.pkgInfo?.arch).toBe("psa");
    expect(index.tables.list.map(({ name }) => name)).toEqual([
      "IC.direct",
      "IC.limited",
      "IC.profiled",
      "IC.selected",
    ]);
    const names = (list: readonly { readonly preamble?: { readonly name: string } | undefined }[]) =>
      list.map(({ preamble }) => preamble?.name);
    expect(names(p4info.counters)).toEqual(["IC.packets"]);
    expect(names(p4info.meters)).toEqual(["IC.meter"]);
    expect(names(p4info.registers)).toEqual(["IC.pairs", "IC.numbers"]);
    expect(names(p4info.directCounters)).toEqual(["IC.hits"]);
    expect(names(p4info.directMeters)).toEqual(["IC.rate"]);
    expect(names(p4info.actionProfiles)).toEqual(["IC.profile", "IC.selector"]);
    expect(names(p4info.digests)).toEqual(["ID.learned"]);
    expect(names(p4info.valueSets)).toEqual(["IP.set"]);
  });

  it("chooses members, learns, and reads what a value set has", () => {
    const { insert, device, sent, events, packet, clock } = start("externs.p4");
    const match = [{ kind: "exact", field: "hdr.h.a", value: 0x1234n }] as const;
    const action = (value: bigint) => ({ action: "IC.set_out", params: { value } });
    insert(
      { kind: "member", profile: "IC.profile", memberId: 1, action: action(0x11n) },
      {
        kind: "tableEntry",
        table: "IC.profiled",
        match,
        priority: 0,
        action: { kind: "member", memberId: 1 },
      },
      { kind: "member", profile: "IC.selector", memberId: 1, action: action(0x22n) },
      {
        kind: "group",
        profile: "IC.selector",
        groupId: 1,
        maxSize: 4,
        members: [{ memberId: 1, weight: 1 }],
      },
      { kind: "tableEntry", table: "IC.selected", match, priority: 0, action: { kind: "group", groupId: 1 } },
      { kind: "digest", digest: "ID.learned", maxListSize: 1, maxTimeoutNs: 0n, ackTimeoutNs: 0n },
    );
    const members = [[{ kind: "exact", field: "", value: 0x1234n } as const]];
    device.apply([{ type: "modify", entity: { kind: "valueSet", valueSet: "IP.set", members } }]);
    for (const op of ["0b", "0c", "0d", "0e"]) packet(`${op}1234567800000000`);
    clock.advance(1000);
    expect(sent).toEqual([
      "2 0b1234567800000011",
      "2 0c1234567800000022",
      "2 0d12345678edcb0001",
      "2 0e1234567800000000",
    ]);
    const [digest] = events.flatMap((one) => (one.kind === "digest" ? [one.list] : []));
    expect(digest?.digest).toBe("ID.learned");
  });

  it("knows the port of the controller by the name that it has in PSA", () => {
    const { events, packet, sent } = start("paths.p4");
    packet("0a00000000000042aa");
    const packets = events.flatMap((one) => (one.kind === "packetIn" ? [toHex(one.packet.payload)] : []));
    expect(packets).toEqual(["0a01010000000042aa"]);
    expect(sent).toEqual([]);
  });
});

describe("a trace of PSA", () => {
  it("has the way of a packet that is resubmitted", () => {
    const traces: PacketTrace[] = [];
    const { packet, sent } = start("paths.p4", (one) => traces.push(one));
    packet("0400000000000042");
    expect(sent).toEqual(["3 0401010000001111"]);
    const text = JSON.stringify(traces);
    for (const stage of ["ingress_parser", "ingress", "egress_parser", "egress"])
      expect(text).toContain(`"stage_name":"${stage}"`);
    expect(text).toContain("resubmit");
  });

  it("says why a packet is gone", () => {
    const traces: PacketTrace[] = [];
    const { packet, sent, device } = start("paths.p4", (one) => traces.push(one));
    packet("0800000000000042");
    packet("0900000000000042");
    expect(sent).toEqual([]);
    expect(device.stats.drops).toMatchObject({ ingress: 1, egress: 1 });
    expect(JSON.stringify(traces).match(/drop_flag/g)).toHaveLength(2);
  });
});

describe("a checksum over a polynomial", () => {
  it("is of the data at `update`, whatever changes before `get`", async () => {
    const { text } = read("externs.p4");
    const update = "gathered.update(hdr.h.b);";
    // What the changes took away is given back, so that the packets are those of the test.
    const changed = text
      .replace(update, `${update} bit<16> whole_a = hdr.h.a; hdr.h.a = 0; `)
      .replace("hdr.h.answer = gathered.get();", "hdr.h.answer = gathered.get(); hdr.h.a = whole_a;");
    expect(changed).not.toBe(text);
    expect(await play(compiled(new SourceFile("externs.p4", changed)), "externs.stf")).toMatchObject({
      passed: 15,
      failed: 0,
    });
  });
});

describe("a program for PSA is refused", () => {
  const source = (change: (text: string) => string) => {
    const diagnostics = new Diagnostics();
    compile({ file: change(read("externs.p4").text) }, diagnostics);
    return diagnostics.list.flatMap(({ code, severity }) => (severity === "error" ? [code] : []));
  };

  it("where an action counts for another table", () => {
    expect(source((text) => text.replace("psa_direct_counter = hits;", ""))).toEqual(["P40445"]);
  });

  it("where a checksum's data are not gathered in one place", () => {
    expect(source((text) => text.replace("gathered.clear();", ""))).toEqual(["P40470"]);
  });

  it("where a nested list calls a checksum", () => {
    const nested = "gathered.clear(); if (hdr.h.a == 1) { gathered.clear(); gathered.update(hdr.h.a); }";
    expect(source((text) => text.replace("gathered.clear();", nested))).toContain("P40470");
  });

  it("with the package of another architecture", () => {
    const diagnostics = new Diagnostics();
    compile({ file: read("externs.p4"), arch: "v1model" }, diagnostics);
    expect(diagnostics.list.map(({ code }) => code)).toContain("P40431");
  });
});
