/** Events of primitives that compilers for v1model rarely write. */
import { describe, expect, it } from "vitest";
import { fromHex } from "../../../../src/base/index.js";
import type { bmv2 } from "../../../../src/toolchain/program/index.js";
import { type PacketTrace, Switch } from "../../../../src/toolchain/switch/index.js";
import { ManualClock } from "../golden.js";
import {
  changed,
  digits,
  doing,
  field,
  header,
  hex,
  PACKET,
  stack,
  union,
  unionStack,
  type Written,
} from "../raw-program.js";

interface Event {
  readonly kind: string;
  readonly [name: string]: unknown;
}

/** The events of the primitives, before those of the program's other statements. */
function eventsOf(...primitives: readonly Written[]): Event[] {
  const documents: PacketTrace[] = [];
  const device = new Switch(doing(...primitives), {
    clock: new ManualClock(),
    transmit: () => {},
    trace: (document) => documents.push(document),
  });
  device.receive(1, fromHex(digits(...Object.values(PACKET)))!);
  const found: Event[] = [];
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    if ("kind" in part && typeof part.kind === "string") found.push(part as Event);
    for (const child of Object.values(part)) visit(child);
  };
  visit(documents[0]);
  const from = found.findIndex(
    ({ kind, action }) => kind === "table" && action !== undefined && JSON.stringify(action).includes("act"),
  );
  return found.slice(from + 1);
}

const a = field("h", "a");

describe("a transition of the parser", () => {
  /** The transitions of a parser whose start looks at this key, with one case before the default. */
  const transitions = (transition_key: bmv2.Value[], value: string, mask: string | null) => {
    const documents: PacketTrace[] = [];
    const program = changed(({ parsers }) => {
      const [start] = parsers[0]!.parse_states;
      Object.assign(start!, {
        transition_key,
        transitions: [
          { type: "hexstr", value, mask, next_state: "more" },
          { type: "default", value: null, mask: null, next_state: null },
        ],
      });
    });
    const device = new Switch(program, {
      clock: new ManualClock(),
      transmit: () => {},
      trace: (document) => documents.push(document),
    });
    device.receive(1, fromHex(digits(...Object.values(PACKET), "beef"))!);
    return documents[0]!.root.events.filter(({ kind }) => kind === "parser_transition");
  };
  const ahead = { type: "lookahead", value: [4, 8] } as unknown as bmv2.Value;

  it("names what it looked at, the value, and the case that matched", () => {
    expect(transitions([field("h", "a"), ahead], "0x01ee", null)).toEqual([
      {
        kind: "parser_transition",
        from_state: "start",
        to_state: "more",
        select_expression: "h.a, lookahead",
        select_value: "0x01, 0xee",
        select_case: "0x01ee",
      },
      { kind: "parser_transition", from_state: "more", to_state: "accept" },
    ]);
    expect(transitions([field("h", "a")], "0x03", "0x02")).toEqual([
      {
        kind: "parser_transition",
        from_state: "start",
        to_state: "accept",
        select_expression: "h.a",
        select_value: "0x01",
        select_case: "default",
      },
    ]);
    expect(transitions([field("h", "a")], "0x03", "0x01")[0]).toMatchObject({ select_case: "0x03 &&& 0x01" });
  });
});

it("a condition on validity shows the validity of headers and unions", () => {
  const values = (condition: bmv2.Value) => {
    const documents: PacketTrace[] = [];
    const program = changed(({ pipelines }) => {
      pipelines[0]!.conditionals[0]!.expression = condition;
    });
    const device = new Switch(program, {
      clock: new ManualClock(),
      transmit: () => {},
      trace: (document) => documents.push(document),
    });
    device.receive(1, fromHex(digits(...Object.values(PACKET)))!);
    return documents[0]!.root.events.flatMap((event) =>
      event.kind === "branch" ? [event.variable_values] : [],
    );
  };
  expect(values(field("i", "$valid$"))).toEqual([{ "i.isValid()": "0x1" }]);
  expect(values(field("k", "$valid$"))).toEqual([{ "k.isValid()": "0x0" }]);
  expect(values(field("u", "$valid$"))).toEqual([{ "u.isValid()": "0x1" }]);
  expect(values(field("w", "$valid$"))).toEqual([{ "w.isValid()": "0x0" }]);
});

describe("the event of", () => {
  it.each<[Written, Record<string, unknown>]>([
    [["add_header", header("z[0]")], { kind: "header_operation", operation: "setValid" }],
    [["add_header_fast", header("z[0]")], { kind: "header_operation", operation: "setValid" }],
    [
      ["remove_header", header("i")],
      {
        kind: "header_operation",
        operation: "setInvalid",
        changes: [{ field: "i.isValid()", before: "0x1", after: "0x0" }],
      },
    ],
    [["copy_header", header("h"), header("i")], { kind: "header_operation", operation: "assign" }],
    [["assign_header", header("h"), header("i")], { kind: "header_operation", operation: "assign" }],
    [["assign_union", union("w"), union("u")], { kind: "header_operation", operation: "assign" }],
    [["assign_header_stack", stack("z"), stack("s")], { kind: "header_operation", operation: "assign" }],
    [
      ["assign_union_stack", unionStack("ut"), unionStack("us")],
      { kind: "header_operation", operation: "assign" },
    ],
    [["push", stack("s"), hex("0x1")], { kind: "header_operation", operation: "push_front" }],
    [["pop", stack("s"), hex("0x1")], { kind: "header_operation", operation: "pop_front" }],
    [["drop"], { kind: "mark_to_drop" }],
    [["truncate", hex("0x14")], { kind: "truncate", packet_size: 20 }],
    [["assume", { type: "bool", value: true }], { kind: "assertion", operation: "assume", passed: true }],
    [["assert", { type: "bool", value: false }], { kind: "assertion", operation: "assert", passed: false }],
    [
      ["assign", a, hex("0x9")],
      { kind: "assignment", changes: [{ field: "h.a", before: "0x01", after: "0x09" }] },
    ],
    [
      ["assign", a, hex("0x1")],
      { kind: "assignment", changes: [{ field: "h.a", before: "0x01", after: "0x01" }] },
    ],
    [
      ["modify_field_rng_uniform", a, hex("0x9"), hex("0x9")],
      { kind: "random", changes: [{ field: "h.a", before: "0x01", after: "0x09" }] },
    ],
    [["resubmit", hex("0x0")], { kind: "resubmit", field_list: 0 }],
    [
      ["clone_ingress_pkt_to_egress", hex("0x5"), hex("0x7")],
      { kind: "clone", clone_type: "I2E", session_id: 5, field_list: 7 },
    ],
    [
      ["clone_egress_pkt_to_egress", hex("0x5"), hex("0x7")],
      { kind: "clone", clone_type: "E2E", session_id: 5, field_list: 7 },
    ],
    [["generate_digest", hex("0x1"), hex("0x63")], { kind: "generate_digest", digest: "", field_list: 99 }],
  ])("%j", (primitive, expected) => {
    expect(eventsOf(primitive)).toContainEqual(expect.objectContaining(expected));
  });

  it("nothing is none", () => {
    const count = (...primitives: Written[]) => eventsOf(...primitives).length;
    expect(count(["no_op"], ["no_op"])).toBe(count());
  });
});
