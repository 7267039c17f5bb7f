/** The command text of simple_switch_CLI: its effects, and errors with their place. */
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { commandHelp } from "../../../src/toolchain/control/commands.js";
import { runCommands } from "../../../src/toolchain/control/index.js";
import { startUnconfigured } from "../switch/golden.js";

const bad = resolve(import.meta.dirname, "../../bad/control");

async function run(text: string, program = "l3") {
  const { device } = startUnconfigured(program);
  const diagnostics = new Diagnostics();
  const printed: string[] = [];
  await runCommands(device, new SourceFile("commands.txt", text), diagnostics, (line) => printed.push(line));
  return { device, diagnostics, printed };
}

describe("commands", () => {
  it("add, modify and delete entries by handle", async () => {
    const { device, diagnostics, printed } = await run(
      [
        "table_add routes4 route 10.0.0.0/8 => 1  # names may be the end of one",
        "table_add TheIngress.routes4 TheIngress.route 10.1.0.0/16 => 0x2",
        "table_modify routes4 route 0 => 9",
        "table_delete routes4 1",
        "table_add routes4 route 10.2.0.0/16 => 5",
        "table_num_entries routes4",
        "table_set_default routes4 route 3",
      ].join("\n"),
    );
    expect(diagnostics.list).toEqual([]);
    expect(printed.filter((line) => /handle|^\d/.test(line))).toEqual([
      "Entry has been added with handle 0",
      "Entry has been added with handle 1",
      "Entry has been added with handle 16777217",
      "2",
    ]);
    expect(device.query([{ kind: "tableEntry", table: "TheIngress.routes4" }])).toMatchObject([
      { match: [{ prefixLength: 8 }], action: { params: { next_hop: 9n } } },
      { match: [{ prefixLength: 16 }], action: { params: { next_hop: 5n } } },
    ]);
  });

  it("give entries that were there before their handles in the order of reading", async () => {
    const { device } = startUnconfigured("l3");
    const diagnostics = new Diagnostics();
    const printed: string[] = [];
    for (const text of [
      "table_add routes4 route 10.0.0.0/8 => 1\ntable_add routes4 route 11.0.0.0/8 => 2",
      "table_delete routes4 0\ntable_num_entries routes4\ntable_dump_entry routes4 1",
    ])
      await runCommands(device, new SourceFile("c.txt", text), diagnostics, (line) => printed.push(line));
    expect(diagnostics.list).toEqual([]);
    expect(printed.slice(-4)).toEqual([
      "Dumping entry 0x1",
      "Match key:",
      "* hdr.ipv4.dst        : LPM       0b000000/8",
      "Action entry: TheIngress.route - 02",
    ]);
  });

  it("read back counters, registers and meters", async () => {
    const { printed, diagnostics } = await run(
      [
        "register_write TheIngress.r48 3 281474976710655",
        "register_read TheIngress.r48 3",
        "register_read r9",
        "meter_get_rates by_packets 1",
        "meter_set_rates TheIngress.by_packets 1 0:5 1.5:10",
        "meter_get_rates by_packets 1",
        "meter_array_set_rates by_packets 0.00001:5 1e7:10",
        "meter_get_rates by_packets 2",
        "counter_write visits 0 3 4",
        "counter_read TheIngress.visits 0",
        "counter_reset visits",
        "counter_read visits 0",
      ].join("\n"),
      "memory",
    );
    expect(diagnostics.list).toEqual([]);
    expect(printed).toEqual([
      "TheIngress.r48[3]= 281474976710655",
      "r9= 0, 0, 0, 0, 0, 0, 0, 0",
      "WARNING: expected 2 rates but only received 0",
      "0: info rate = 0.0, burst size = 5",
      "1: info rate = 1.5, burst size = 10",
      "0: info rate = 1e-05, burst size = 5",
      "1: info rate = 10000000.0, burst size = 10",
      "visits[0] has been updated",
      "TheIngress.visits[0]= (4 bytes, 3 packets)",
      "visits[0]= (0 bytes, 0 packets)",
    ]);
  });

  it("refuse a group without members, and what is in use", async () => {
    const { diagnostics } = await run(
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
      ["P43206", 2],
      ["P43206", 6],
      ["P43206", 7],
    ]);
  });

  it("keep a mirror on the copies of its group", async () => {
    const { device, diagnostics, printed } = await run(
      [
        "mirroring_add_mc 3 1",
        "mc_mgrp_create 1",
        "mc_node_create 7 2 4",
        "mc_node_associate 1 0",
        "mirroring_get 3",
        "mc_node_update 0 5",
      ].join("\n"),
      "replicate",
    );
    expect(diagnostics.list).toEqual([]);
    expect(printed).toContain("MirroringSessionConfig(port=None, mgid=1)");
    const replicas = [{ port: 5, instance: 7 }];
    expect(device.query([{ kind: "cloneSession" }, { kind: "multicastGroup" }])).toMatchObject([
      { sessionId: 3, replicas },
      { groupId: 1, replicas },
    ]);
  });

  it("load a program from a file in two steps", async () => {
    const { device } = startUnconfigured("l3");
    const other = startUnconfigured("cpu").device.program!;
    const diagnostics = new Diagnostics();
    const text = "load_new_config_file cpu.json\nshow_tables\nswap_configs\nshow_pvs\nswap_configs\n";
    const printed: string[] = [];
    const print = (line: string) => printed.push(line);
    await runCommands(device, new SourceFile("c.txt", text), diagnostics, print, {
      loadProgram: async () => other,
    });
    expect(device.program).toBe(other);
    expect(printed.find((line) => line.startsWith("TheIngress.routes4"))).toBeDefined();
    expect(diagnostics.list.map(({ code }) => code)).toEqual(["P43205"]);
  });

  it("list their usage, sorted", () => {
    const help = commandHelp();
    expect(help).toContain("table_delete <table> <handle>");
    expect([...help].sort()).toEqual(help);
  });
});

describe("wrong command files", () => {
  const files = readdirSync(bad).filter((name) => /^P4320[1-7]-.*\.txt$/.test(name));

  it("are there for every code", () => {
    const codes = ["P43201", "P43202", "P43203", "P43204", "P43205", "P43206", "P43207"];
    expect([...new Set(files.map((name) => name.slice(0, 6)))].sort()).toEqual(codes);
  });

  it.each([
    ["table_add routes4 route 10.0.0.0/8 1", "write table_add routes4 route hdr.ipv4.dst => next_hop"],
    ["table_add acl mark 1 2 3 4 5 6 46 10", /^write table_add acl mark [^,]* => \w+ PRIORITY$/],
    [
      "table_add routes4 route(1) 10.0.0.0/8",
      "no brackets or commas: values follow the name with spaces between them",
    ],
  ])("%s: the note says what would be right", async (line, note) => {
    const { diagnostics, device } = await run(line);
    expect(diagnostics.list).toHaveLength(1);
    expect(diagnostics.list[0]!.notes.at(-1)!.message).toMatch(note);
    expect(device.query([{ kind: "tableEntry", table: "TheIngress.routes4" }])).toEqual([]);
  });

  it.each(files)("%s: one diagnostic with its place, and the other lines run", async (name) => {
    const { diagnostics, device } = await run(readFileSync(resolve(bad, name), "utf8"));
    expect(diagnostics.list.map(({ code }) => code)).toEqual([name.slice(0, 6)]);
    expect(diagnostics.list[0]!.span).toBeDefined();
    expect(device.query([{ kind: "tableEntry", table: "TheIngress.routes4" }])).toHaveLength(1);
  });

  it.each([
    ["table_add routes4 route 300.0.0.0/8 => 1", "300.0.0.0"],
    ["table_add routes4 route 10.0.0.0 => 1", "value/length"],
    ["table_add routes4 route 10.0.0.0/8 => 65536", "16 bits"],
    ["table_add routes4 route 10.0.0.0/8 =>", "1 parameter"],
    ["table_add routes4 nothing 10.0.0.0/8 =>", "TheIngress.route"],
    ["table_add routes4 rout 10.0.0.0/8 =>", "did you mean `route`?"],
    ["table_add routes4 route 10.0.0.0/8 => 1 2", "too many"],
    ["table_add acl mark 0&&&0 0&&&0 0&&&0 0&&&0 9->1 0&&&0 => 46 3", "above the high bound"],
    ["table_adds routes4 route 10.0.0.0/8 => 1", "did you mean `table_add`?"],
    ["table_delete routes4 5", "handle 5"],
    ["table_set_timeout routes4 0 5", "idle timeouts"],
    ["act_prof_dump nothing", "no action profile"],
    ["table_indirect_create_group routes4", "no indirect table"],
    ["mc_node_associate 1 0", "node 0"],
    ["mc_node_create 1 2 2", "port 2 is given twice"],
    ["mc_node_create 1 2 | 3", "link aggregation"],
    ["mirroring_add 40000 1", "32767"],
    ["mirroring_get 4", "no mirror 4"],
    ["set_queue_depth x", "give a number"],
    ["set_expire_time 1", "usage"],
    ["set_expire_time 256 5", "0 to 255"],
    ["set_packet_generators 1/1000/0", "give port/period/start/frame"],
    ["set_packet_generators 1/999/0/00", "999"],
    ["set_packet_generators 512/1000/0/00", "512"],
    ["set_crc16_parameters calc_9 1 1 1 0 0", "no calculation"],
    ["counter_read TheEgress.sent 99", "99"],
    ["swap_configs", "load_new_config_file"],
    ["load_new_config_file a.json", "no files"],
    ["serialize_state a.bin", "save"],
    ["table_add", "usage"],
  ])("%s", async (line, part) => {
    const { diagnostics } = await run(line);
    expect(diagnostics.list).toHaveLength(1);
    expect(
      diagnostics.list[0]!.message + diagnostics.list[0]!.notes.map(({ message }) => message).join(),
    ).toContain(part);
  });
});
