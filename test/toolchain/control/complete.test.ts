/** What completion offers at the end of a line. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { completions } from "../../../src/toolchain/control/index.js";
import { P4InfoIndex } from "../../../src/toolchain/program/index.js";
import { p4infoOf } from "./start.js";

const l3 = new P4InfoIndex(p4infoOf("l3"));
const cpu = new P4InfoIndex(p4infoOf("cpu"));
const memory = new P4InfoIndex(p4infoOf("memory"));
const parse = new P4InfoIndex(p4infoOf("parse"));

describe("completion", () => {
  // What the usage of a statement names next, and nothing that was given already.
  it.each<[string, P4InfoIndex, string[]]>([
    ["insert member spread 1 2 ", cpu, []],
    ["delete member spread 1 ", cpu, []],
    ["insert group spread 1 ", cpu, ["=>"]],
    ["insert group spread 1 => ", cpu, ["max="]],
    ["insert multicast 3 ", cpu, ["=>"]],
    ["delete multicast 3 ", cpu, []],
    ["insert multicast ", cpu, []],
    ["insert multicast 3 => ", cpu, []],
    ["insert clone 3 ", cpu, ["=>"]],
    ["delete clone 3 ", cpu, []],
    ["insert clone ", cpu, []],
    ["insert clone 3 => 1 ", cpu, ["class=", "length="]],
    ["insert digest ", cpu, ["learn_t"]],
    ["insert digest learn_t ", cpu, ["ack=", "size=", "timeout="]],
    [
      "insert paths 3 => use ",
      cpu,
      ["controller_metadata=", "metadata=", "port=", "priority=", "timeout=", "watch=", "weight=", "|"],
    ],
    [
      "insert paths 3 => use port=3 ",
      cpu,
      ["controller_metadata=", "metadata=", "priority=", "timeout=", "watch=", "weight=", "|"],
    ],
    [
      "insert paths 3 => use 3 ",
      cpu,
      ["controller_metadata=", "metadata=", "priority=", "timeout=", "watch=", "weight=", "|"],
    ],
    ["insert paths 3 => use 3 | ", cpu, ["NoAction", "drop", "use"]],
    [
      "insert paths 3 => use 3 weight=1 | drop ",
      cpu,
      ["controller_metadata=", "metadata=", "priority=", "timeout=", "watch=", "weight=", "|"],
    ],
    ["delete filters ", cpu, ["ingress_port=", "priority=", "src=", "type="]],
    ["delete filters src=1 ", cpu, ["ingress_port=", "priority=", "type="]],
    ["delete known ", cpu, ["ingress_port=", "src="]],
    ["delete known src=1 ", cpu, ["ingress_port="]],
    ["insert known 1 ", cpu, ["=>", "controller_metadata=", "ingress_port=", "metadata=", "timeout="]],
    ["insert known 1 2 ", cpu, ["=>", "controller_metadata=", "metadata=", "timeout="]],
    ["insert nothing ", cpu, []],
    ["default nothing => ", cpu, []],
    ["default paths ", cpu, ["=>", "reset"]],
    ["default paths => use ", cpu, ["port="]],
    ["write counter seen[1] ", cpu, ["=>"]],
    ["write counter seen[1] => ", cpu, ["bytes=", "packets="]],
    ["write meter rates[1] => ", cpu, ["cburst=", "cir=", "default", "pburst=", "pir="]],
    ["write register cells ", cpu, []],
    ["write register cells[0] => ", cpu, []],
    ["write value-set ", cpu, []],
    ["read counter ", cpu, ["forward_hits", "seen"]],
    ["read counter seen ", cpu, []],
    ["write ", cpu, ["counter", "meter", "register", "value-set"]],
    ["act_prof_create_member nothing ", cpu, []],
    ["act_prof_add_member_to_group ", cpu, ["spread"]],
    ["table_set_default paths ", cpu, ["NoAction", "drop", "use"]],
    ["table_set_default nothing ", cpu, []],
    ["counter_read ", cpu, ["forward_hits", "seen"]],
    ["register_read ", cpu, ["cells"]],
    ["table_indirect_add ", cpu, ["destinations", "filters", "fixed", "known", "paths", "types"]],
    ["table_add known ", cpu, ["NoAction"]],
    ["table_add known NoAction 1 ", cpu, []],
    ["table_add known NoAction 1 2 ", cpu, ["=>"]],
    ["table_add known NoAction 1 2 => ", cpu, []],
    ["table ", cpu, ["destinations", "filters", "fixed", "known", "paths", "types"]],
    ["groups ", cpu, ["spread"]],
    ["dump ", cpu, ["destinations", "filters", "fixed", "known", "paths", "types"]],
    ["dump filters src=1 ", cpu, ["ingress_port=", "type="]],
    ["pvs_get ", parse, ["pairs", "single"]],
    ["write value-set ", parse, ["pairs", "single"]],
    ["write value-set pairs ", parse, ["=>"]],
  ])("of %s", (line, index, candidates) => {
    expect(completions(line, line.length, index).candidates).toEqual(candidates);
  });

  it.each<[string, P4InfoIndex, string[]]>([
    ["table_a", l3, ["table_add"]],
    ["ins", l3, ["insert"]],
    ["insert ro", l3, ["routes4", "routes6"]],
    ["insert TheIngress.ro", l3, ["TheIngress.routes4", "TheIngress.routes6"]],
    ["insert m", l3, ["member", "multicast"]],
    ["insert routes4 d", l3, ["dst="]],
    ["insert routes4 hdr.", l3, ["hdr.ipv4.dst="]],
    ["insert routes6 dst=::1 ", l3, ["=>", "controller_metadata=", "ingress_port=", "metadata=", "timeout="]],
    ["insert routes4 dst=1.2.3.4 => ", l3, ["route", "unreachable"]],
    [
      "insert next_hops 1 => to_next_hop port=1 ",
      l3,
      ["controller_metadata=", "dst=", "metadata=", "priority=", "src=", "timeout="],
    ],
    ["insert paths 8 => ", cpu, ["NoAction", "drop", "group", "member", "use"]],
    ["insert member ", cpu, ["spread"]],
    ["insert member spread 1 ", cpu, ["=>"]],
    ["insert member spread 1 => ", cpu, ["NoAction", "drop", "use"]],
    ["default routes4 ", l3, ["=>", "reset"]],
    ["default routes4 => ro", l3, ["route"]],
    ["dump routes6 s", l3, ["sm.ingress_port="]],
    ["dump routes6 i", l3, ["ingress_port=", "ipv6.dst="]],
    [
      "read ",
      memory,
      [
        "by_bytes",
        "by_packets",
        "counter",
        "direct",
        "lengths",
        "meter",
        "r1",
        "r128",
        "r32",
        "r48",
        "r64",
        "r9",
        "register",
        "visits",
        "weights",
      ],
    ],
    ["write register r4", memory, ["r48"]],
    ["write meter by_packets[0] => p", memory, ["pburst=", "pir="]],
    ["watch p", l3, ["packets", "ports"]],
    ["help rou", l3, ["route", "route6", "routes4", "routes6"]],
    ["table_add routes4 ", l3, ["route", "unreachable"]],
    ["table_add routes4 route 10.0.0.0/8 ", l3, ["=>"]],
    ["act_prof_create_member ", cpu, ["spread"]],
    ["act_prof_create_member spread u", cpu, ["use"]],
    ["counter_read s", l3, ["sent"]],
    ["register_read r", memory, ["r1", "r128", "r32", "r48", "r64", "r9"]],
    ["add_port 1 ", l3, ["files="]],
    ["add_port 1 veth1 ", l3, ["netns="]],
    ["add_port 1 files=p1 ", l3, []],
    [
      "re",
      l3,
      [
        "read",
        "register_read",
        "register_reset",
        "register_write",
        "registers",
        "remove_port",
        "reset_state",
        "restore_state",
      ],
    ],
    ["nothing ", l3, []],
  ])("%s", (line, index, candidates) => {
    const found = completions(line, line.length, index);
    expect(found.candidates).toEqual(candidates);
    expect(line.slice(found.from)).toBe(line.split(" ").at(-1));
  });

  it("knows statements without a program", () => {
    expect(completions("loa", 3, undefined).candidates).toEqual(["load", "load_new_config_file"]);
    expect(completions("insert ", 7, undefined).candidates).toEqual([]);
  });

  it("uses only the text before the cursor", () => {
    expect(completions("insert ro => route", 9, l3).candidates).toEqual(["routes4", "routes6"]);
  });

  it("offers only what begins as typed, for any line", () => {
    const word = fc.constantFrom(
      "insert",
      "delete",
      "routes4",
      "acl",
      "=>",
      "route",
      "dst=1",
      "src",
      "|",
      "read",
      "write",
      "meter",
      "t",
      "",
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (words) => {
        const line = words.join(" ");
        const { from, candidates } = completions(line, line.length, l3);
        expect([...candidates].sort()).toEqual(candidates);
        for (const candidate of candidates) expect(candidate.startsWith(line.slice(from))).toBe(true);
      }),
    );
  });
});
