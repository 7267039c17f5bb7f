/** The command text of simple_switch_CLI: what it does, and that mistakes are told with their place. */
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { createP4Info, readBmv2 } from "../../../src/program/index.js";
import { commandHelp, runCommands, Switch } from "../../../src/switch/index.js";
import { ManualClock, startGolden } from "../golden.js";

const bad = resolve(import.meta.dirname, "../../bad/switch");

function run(text: string, program = "l3") {
  const { device } = startGolden(program, "none.txt");
  const diagnostics = new Diagnostics();
  const printed: string[] = [];
  runCommands(device, new SourceFile("commands.txt", text), diagnostics, (line) => printed.push(line));
  return { device, diagnostics, printed };
}

describe("commands", () => {
  it("add, modify and delete entries by handle", () => {
    const { device, diagnostics, printed } = run(
      [
        "table_add routes4 route 10.0.0.0/8 => 1  # names may be the end of one",
        "table_add TheIngress.routes4 TheIngress.route 10.1.0.0/16 => 0x2",
        "table_modify routes4 route 0 => 9",
        "table_delete routes4 1",
        "table_num_entries routes4",
        "table_set_default routes4 route 3",
      ].join("\n"),
    );
    expect(diagnostics.list).toEqual([]);
    expect(printed).toEqual(["entry added with handle 0", "entry added with handle 1", "1"]);
    expect(device.query([{ kind: "tableEntry", table: "TheIngress.routes4" }])).toMatchObject([
      { match: [{ prefixLength: 8 }], action: { params: { next_hop: 9n } } },
    ]);
  });

  it("read back counters, registers and meters", () => {
    const { printed, diagnostics } = run(
      "register_write TheIngress.r48 3 281474976710655\nregister_read TheIngress.r48 3\nregister_read r9\nmeter_set_rates TheIngress.by_packets 1 0:5 1:10\nmeter_get_rates by_packets 1\ncounter_write visits 0 3 4\ncounter_read TheIngress.visits 0",
      "memory",
    );
    expect(diagnostics.list).toEqual([]);
    expect(printed).toEqual([
      "TheIngress.r48[3]= 281474976710655",
      "TheIngress.r9= 0, 0, 0, 0, 0, 0, 0, 0",
      "by_packets[1]= 0:5 1:10",
      "TheIngress.visits[0]= (4 bytes, 3 packets)",
    ]);
  });

  it("refuse a group without members, and what is in use", () => {
    const { diagnostics } = run(
      [
        "act_prof_create_group TheIngress.spread",
        "table_indirect_add_with_group TheIngress.paths 8 => 0",
        "act_prof_create_member spread use 6",
        "act_prof_add_member_to_group spread 0 0",
        "table_indirect_add_with_group TheIngress.paths 8 => 0",
        "act_prof_delete_member spread 0",
        "act_prof_delete_group spread 0",
      ].join("\n"),
      "cpu",
    );
    expect(diagnostics.list.map(({ code, span }) => [code, span!.file.position(span!.start).line])).toEqual([
      ["P41112", 2],
      ["P41112", 6],
      ["P41112", 7],
    ]);
  });

  it("list their usage, sorted", () => {
    const help = commandHelp();
    expect(help).toContain("table_delete <table> <handle>");
    expect([...help].sort()).toEqual(help);
  });
});

describe("wrong command files", () => {
  const files = readdirSync(bad).filter((name) => /^P4111[0-2]-/.test(name));

  it("are there for every code", () => {
    expect(files.map((name) => name.slice(0, 6))).toEqual(["P41110", "P41111", "P41112"]);
  });

  it.each(files)("%s: one diagnostic with its place, and the other lines run", (name) => {
    const { diagnostics, device } = run(readFileSync(resolve(bad, name), "utf8"));
    expect(diagnostics.list.map(({ code }) => code)).toEqual([name.slice(0, 6)]);
    expect(diagnostics.list[0]!.span).toBeDefined();
    expect(device.query([{ kind: "tableEntry", table: "TheIngress.routes4" }])).toHaveLength(
      name.startsWith("P41111") ? 0 : 1,
    );
  });

  it.each([
    ["table_add routes4 route 300.0.0.0/8 => 1", "300.0.0.0"],
    ["table_add routes4 route 10.0.0.0 => 1", "value/length"],
    ["table_add routes4 route 10.0.0.0/8 => 65536", "16 bits"],
    ["table_add routes4 route 10.0.0.0/8 =>", "1 parameter"],
    ["table_add routes4 nothing 10.0.0.0/8 =>", "TheIngress.route"],
    ["table_add routes4 route 10.0.0.0/8 => 1 2", "too many"],
    ["table_delete routes4 5", "handle 5"],
    ["mc_node_associate 1 0", "node 0"],
    ["mirroring_add 40000 1", "32767"],
    ["set_queue_rate 0", "at least 1"],
    ["counter_read TheEgress.sent 99", "99"],
    ["table_add", "usage"],
  ])("%s", (line, part) => {
    const { diagnostics } = run(line);
    expect(diagnostics.list).toHaveLength(1);
    expect(
      diagnostics.list[0]!.message + diagnostics.list[0]!.notes.map(({ message }) => message).join(),
    ).toContain(part);
  });
});

describe("a program that the switch cannot run", () => {
  it("is refused for its size before anything is made", () => {
    const text = readFileSync(resolve(bad, "P41102-too-many-registers.json"), "utf8");
    const bmv2 = readBmv2(new SourceFile("big.json", text), new Diagnostics())!;
    const options = { clock: new ManualClock(), transmit: () => {} };
    expect(() => new Switch({ bmv2, p4info: createP4Info() }, options)).toThrow(/P41102.*2048 MB.*1024 MB/);
  });

  it("is refused with what and why, and the one before stays", async () => {
    const diagnostics = new Diagnostics();
    const text = readFileSync(resolve(bad, "P41101-unknown-primitive.json"), "utf8");
    const bmv2 = readBmv2(new SourceFile("bad.json", text), diagnostics)!;
    const program = { bmv2, p4info: createP4Info() };
    expect(() => new Switch(program, { clock: new ManualClock(), transmit: () => {} })).toThrow(
      /P41101.*action a.*primitive sing/,
    );
    const { device } = startGolden("l3");
    const before = device.program;
    await expect(device.load(program)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(device.verify(program)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(device.program).toBe(before);
  });
});
