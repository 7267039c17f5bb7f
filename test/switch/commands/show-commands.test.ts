/** Commands that only tell: what they print for entries of every kind. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { runCommands } from "../../../src/switch/index.js";
import { startGolden } from "../golden.js";

function run(text: string, program: string, config = "none.txt") {
  const { device } = startGolden(program, config);
  const diagnostics = new Diagnostics();
  const printed: string[] = [];
  runCommands(device, new SourceFile("commands.txt", text), diagnostics, (line) => printed.push(line));
  diagnostics.throwIfErrors();
  expect(printed.filter((line) => line.includes("\n"))).toEqual([]);
  return printed;
}

describe("table_dump", () => {
  it("shows ternary and range fields, the command's own priority, and the default entry", () => {
    const text =
      "table_add acl mark 10.1.2.0&&&0xffffff00 0&&&0 17&&&0xff 1&&&1 5000->6000 0&&&0 => 46 30\ntable_dump acl";
    expect(run(text, "l3").slice(1)).toEqual([
      "==========",
      "TABLE ENTRIES",
      "**********",
      "Dumping entry 0x0",
      "Match key:",
      "* hdr.ipv4.src        : TERNARY   0a010200 &&& ffffff00",
      "* hdr.ipv4.dst        : TERNARY   00000000 &&& 00000000",
      "* meta.protocol       : TERNARY   11 &&& ff",
      "* hdr.ports.$valid$   : TERNARY   01 &&& 01",
      "* hdr.ports.dst       : RANGE     1388 -> 1770",
      "* port                : TERNARY   0000 &&& 0000",
      "Priority: 30",
      "Action entry: TheIngress.mark - 2e",
      "==========",
      "Dumping default entry",
      "Action entry: NoAction - ",
      "==========",
    ]);
  });

  it("shows prefixes, and one entry by its handle", () => {
    const printed = run(
      "table_add routes4 route 10.0.0.0/8 => 5\ntable_add routes4 route 0.0.0.0/0 => 6\ntable_dump_entry routes4 1",
      "l3",
    );
    expect(printed.slice(2)).toEqual([
      "Dumping entry 0x1",
      "Match key:",
      "* hdr.ipv4.dst        : LPM       00000000/0",
      "Action entry: TheIngress.route - 0006",
    ]);
  });

  it("shows where entries of an action profile point, its members and its groups", () => {
    const printed = run("table_dump paths", "cpu", "config.txt");
    expect(printed.filter((line) => line.startsWith("Index"))).toEqual([
      "Index: member(2)",
      "Index: group(0)",
      "Index: member(0)",
    ]);
    const members = printed.indexOf("MEMBERS");
    expect(printed.slice(members, -4)).toEqual([
      "MEMBERS",
      "**********",
      "Dumping member 0",
      "Action entry: TheIngress.use - 0006",
      "**********",
      "Dumping member 1",
      "Action entry: TheIngress.use - 0007",
      "**********",
      "Dumping member 2",
      "Action entry: TheIngress.drop - ",
      "==========",
      "GROUPS",
      "**********",
      "Dumping group 0",
      "Members: [1, 0]",
    ]);
    expect(run("act_prof_dump spread", "cpu", "config.txt")).toEqual(printed.slice(members - 1, -4));
  });
});

describe("the rest", () => {
  it("lists tables, actions and value sets of the program", () => {
    const tables = run("show_tables", "cpu");
    expect(tables).toContain(
      "TheIngress.paths               [implementation=TheIngress.spread, mk=meta.vlan(exact, 12)]",
    );
    expect(tables).toEqual([...tables].sort());
    expect(run("table_show_actions paths", "cpu")).toEqual([
      "NoAction                       []",
      "TheIngress.drop                []",
      "TheIngress.use                 [port(9)]",
    ]);
    expect(run("table_info types", "cpu")[0]).toMatch(
      /^TheIngress\.types +\[implementation=None, mk=hdr\.eth\.type\(lpm, 16\)\]$/,
    );
    expect(run("show_actions", "cpu")).toContain("TheIngress.use                 [port(9)]");
    expect(run("show_pvs", "parse")).toEqual([
      "TheParser.pairs                [compressed bitwidth:24]",
      "TheParser.single               [compressed bitwidth:16]",
    ]);
  });

  it("shows multicast groups with their nodes", () => {
    expect(run("mc_dump", "replicate", "config.txt").slice(0, 9)).toEqual([
      "==========",
      "MC ENTRIES",
      "**********",
      "mgrp(1)",
      "  -> (L1h=0, rid=1) -> (ports=[1, 2, 3], lags=[])",
      "**********",
      "mgrp(2)",
      "  -> (L1h=1, rid=10) -> (ports=[2], lags=[])",
      "  -> (L1h=2, rid=11) -> (ports=[2, 3], lags=[])",
    ]);
  });

  it("goes back to the program as loaded: its own entries stay", () => {
    const text = (table: string) => `table_num_entries ${table}\nreset_state\ntable_num_entries ${table}`;
    expect(run(text("routes4"), "l3", "config.txt")).toEqual(["11", "0"]);
    expect(run(text("classes"), "l3", "config.txt")).toEqual(["6", "6"]);
  });
});
