/** Events of primitives that compilers for v1model rarely write. */
import { describe, expect, it } from "vitest";
import { fromHex } from "../../../src/base/index.js";
import { type PacketTrace, Switch } from "../../../src/switch/index.js";
import { ManualClock } from "../golden.js";
import {
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
