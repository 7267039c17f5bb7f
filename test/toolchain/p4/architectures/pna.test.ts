/** PNA: packet tests of every path, from source and from its BMv2 JSON, in both forms of the architecture; what is refused and what is not done. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile, toHex } from "../../../../src/base/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { type Bmv2Program, type Program, readBmv2 } from "../../../../src/toolchain/program/index.js";
import { readStf, runStf } from "../../../../src/toolchain/stf/index.js";
import { type PacketTrace, Switch } from "../../../../src/toolchain/switch/index.js";
import { ManualClock } from "../../switch/golden.js";

const folder = resolve(import.meta.dirname, "../../../golden/pna");
const CPU = 510;

function read(name: string): SourceFile {
  return new SourceFile(name, readFileSync(join(folder, name), "utf8"));
}

function compiled(file: SourceFile | string): Program {
  const diagnostics = new Diagnostics();
  const result = compile({ file }, diagnostics);
  diagnostics.throwIfErrors();
  return result!.program;
}

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

describe("packets of PNA", () => {
  it.each([
    ["paths", 8],
    ["nic", 2],
    ["learning", 6],
    ["expiry", 14],
  ])("take every way: %s", async (name, expected) => {
    const program = compiled(read(`${name}.p4`));
    const wanted = { passed: expected, failed: 0, messages: [] };
    expect(await play(program, `${name}.stf`)).toEqual(wanted);
    expect(await play({ ...program, bmv2: fromFile(program.bmv2) }, `${name}.stf`)).toEqual(wanted);
  });

  it("go to the controller and come from it by the host's port", () => {
    const clock = new ManualClock();
    const traces: PacketTrace[] = [];
    const sent: string[] = [];
    const got: string[] = [];
    const device = new Switch(compiled(read("paths.p4")), {
      clock,
      cpuPort: CPU,
      transmit: (port, frame) => sent.push(`${port} ${toHex(frame)}`),
      trace: (one) => traces.push(one),
    });
    device.watch((event) => event.kind === "packetIn" && got.push(toHex(event.packet.payload)));
    device.receive(1, new Uint8Array([8, 0, 0, 0, 0, 0x42]));
    device.receive(CPU, new Uint8Array([1, 0, 0, 0, 0, 0x42]));
    device.receive(1, new Uint8Array([2, 0, 0, 0, 0, 0x42]));
    expect(got).toEqual(["080100010042"]);
    expect(sent).toEqual(["2 010100020042"]);
    const text = JSON.stringify(traces);
    for (const stage of ["main_parser", "pre_control", "main_control"])
      expect(text).toContain(`"stage_name":"${stage}"`);
    expect(text).toContain("drop_flag");
  });
});

describe("entries that packets add", () => {
  it("are entries for a controller, and no packet that is only tried adds one", () => {
    const device = new Switch(compiled(read("learning.p4")), {
      clock: new ManualClock(),
      transmit: () => {},
    });
    const packet = new Uint8Array([1, 0, 5, 1, 0, 0, 0]);
    const entries = () =>
      device
        .query([{ kind: "tableEntry", table: "Main.flows" }])
        .filter((one) => one.kind === "tableEntry" && one.isDefault !== true);
    device.outcomes(1, packet, { runs: 16 });
    expect(entries()).toEqual([]);
    device.receive(1, packet);
    expect(entries()).toMatchObject([
      {
        match: [
          { kind: "exact", value: 5n },
          { kind: "exact", value: 1n },
        ],
        action: { action: "Main.known", params: { mark: 1n, size: 256n } },
      },
    ]);
  });
});

it("entries that packets add to a table with NOTIFY_CONTROL stay; a controller is told once their profile's time has passed without a hit", () => {
  const text = read("expiry.p4")
    .text.replaceAll("restart_expire_timer();", "{}")
    .replaceAll("set_entry_expire_time((ExpireTimeProfileId_t) hdr.h.profile);", "")
    .replace("IdleTimeout_t.AUTO_DELETE", "IdleTimeout_t.NOTIFY_CONTROL");
  const clock = new ManualClock();
  const device = new Switch(compiled(text), { clock, transmit: () => {} });
  const told: number[] = [];
  device.watch((event) => event.kind === "idleTimeout" && told.push(clock.now()));
  for (const at of [0, 8_000_000]) {
    clock.advance(at);
    device.receive(1, new Uint8Array([1, 0, 5, 0, 0]));
  }
  clock.advance(60_000_000);
  expect(told).toEqual([18_000_000]);
  const entries = device.query([{ kind: "tableEntry", table: "Main.flows" }]);
  expect(entries.filter((one) => one.kind === "tableEntry" && one.isDefault !== true)).toHaveLength(1);
});

it("the entry has the key that was looked for, where the default action changes it before the call", () => {
  const text = read("learning.p4").text.replace("hdr.h.first = 0xff;", "hdr.h.flow = 9; hdr.h.first = 0xff;");
  const sent: string[] = [];
  const device = new Switch(compiled(new SourceFile("learning.p4", text)), {
    clock: new ManualClock(),
    transmit: (_, frame) => sent.push(toHex(frame)),
  });
  const packet = new Uint8Array([1, 0, 5, 1, 0, 0, 0]);
  for (const _ of [1, 2]) device.receive(1, packet.slice());
  // The first is not found and loses its flow, the second has the entry's action.
  expect(sent).toEqual([expect.stringMatching(/^0100090100ff/), expect.stringMatching(/^010005010001/)]);
});

describe("the BMv2 JSON of PNA", () => {
  it("names its parts as pna_nic looks for them, with its metadata", () => {
    const { bmv2 } = compiled(read("nic.p4"));
    expect(bmv2.parsers.map(({ name }) => name)).toEqual(["main_parser"]);
    expect(bmv2.pipelines.map(({ name }) => name)).toEqual(["main_control"]);
    expect(bmv2.deparsers.map(({ name }) => name)).toEqual(["main_deparser"]);
    const fields = (header: string) =>
      bmv2.header_types.find(({ name }) => name === `${header}_t`)?.fields.map(([name]) => name);
    expect(fields("pna_main_parser_input_metadata")).toEqual(["recirculated", "input_port", "_padding"]);
    expect(fields("pna_main_output_metadata")).toEqual(["class_of_service"]);
    expect(bmv2.actions.flatMap(({ primitives }) => primitives.map(({ op }) => op))).toContain(
      "send_to_port",
    );
  });
});

describe("a program for PNA", () => {
  const codes = (from: string, to: string) => {
    const diagnostics = new Diagnostics();
    const { text } = read("paths.p4");
    expect(text).toContain(from);
    compile({ file: text.replace(from, to) }, diagnostics);
    return diagnostics.list.map(({ code, severity }) => `${severity} ${code}`);
  };

  it("decides where a packet goes in the main control only", () => {
    expect(codes("meta.pre = 7;", "drop_packet();")).toEqual(["error P40506"]);
  });

  it("restarts timers in actions of tables whose entries expire", () => {
    const { text } = read("expiry.p4");
    const of = (...changes: [from: string, to: string][]) => {
      const diagnostics = new Diagnostics();
      const changed = changes.reduce((now, [from, to]) => {
        expect(now).toContain(from);
        return now.replace(from, to);
      }, text);
      compile({ file: changed }, diagnostics);
      return diagnostics.list.map(({ code, message }) => `${code} ${message}`);
    };
    expect(of()).toEqual([]);
    const missing = (call: string) =>
      `P40506 Main.flows, whose action calls ${call}, has no idle_timeout_with_auto_delete`;
    expect(of(["IdleTimeout_t.AUTO_DELETE", "IdleTimeout_t.NOTIFY_CONTROL"])).toContain(
      missing("set_entry_expire_time"),
    );
    expect(of(["pna_idle_timeout = PNA_IdleTimeout_t.AUTO_DELETE;", ""])).toContain(
      missing("restart_expire_timer"),
    );
    expect(of(["        send_to_port", "        restart_expire_timer(); send_to_port"])).toEqual([
      "P40506 restart_expire_timer outside of an action of a table",
    ]);
  });

  it("adds entries in the default action of a table that adds them", () => {
    const table = (property: string) => `
    action add() { bool added = add_entry("hit", {}, (ExpireTimeProfileId_t) 1); }
    action hit() {}
    table t {
        key = { hdr.h.op : exact; }
        actions = { @tableonly hit; @defaultonly add; }
        default_action = add();
        ${property}
    }
    apply {
        t.apply();
        hdr.h.passes`;
    const from = `    apply {
        hdr.h.passes`;
    expect(codes(from, table(""))).toContain("error P40506");
    const taken = codes(from, table("add_on_miss = true;"));
    expect(taken.filter((one) => one.startsWith("error"))).toEqual([]);
    const unknown = table("add_on_miss = true;").replace('"hit"', '"nothing"');
    expect(codes(from, unknown)).toContain("error P40403");
  });
});
