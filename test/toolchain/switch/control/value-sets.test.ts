/** Bounds of value sets, and the default entries of tables whose actions come from an action profile. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { ManualClock } from "../golden.js";

function compiled(table: string) {
  const text = `
#include <core.p4>
#include <v1model.p4>
header h_t { bit<16> kind; }
struct headers { h_t h; }
struct meta { }
parser P(packet_in p, out headers hdr, inout meta m, inout standard_metadata_t s) {
    value_set<bit<16>>(2) known;
    state start { p.extract(hdr.h); transition select(hdr.h.kind) { known: accept; default: reject; } }
}
control V(inout headers h, inout meta m) { apply { } }
control I(inout headers hdr, inout meta m, inout standard_metadata_t s) {
    action to(bit<9> port) { s.egress_spec = port; }
    table t { key = { hdr.h.kind: exact; } actions = { to; } ${table} }
    apply { t.apply(); }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) { apply { } }
control C(inout headers h, inout meta m) { apply { } }
control D(packet_out p, in headers hdr) { apply { p.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
`;
  const diagnostics = new Diagnostics();
  const result = compile({ file: new SourceFile("sets.p4", text) }, diagnostics);
  diagnostics.throwIfErrors();
  return result!.program;
}

const start = (program: ReturnType<typeof compiled>) =>
  new Switch(program, { clock: new ManualClock(), transmit: () => {} });

describe("a value set", () => {
  it("has as many members as its size, and no more", async () => {
    const device = start(compiled("default_action = to(1);"));
    // The field of a value set of numbers has no name.
    const member = (value: bigint) => [{ kind: "exact" as const, field: "", value }];
    const write = (...values: bigint[]) =>
      device.write([
        { type: "modify", entity: { kind: "valueSet", valueSet: "P.known", members: values.map(member) } },
      ]);
    const members = () =>
      device
        .query([{ kind: "valueSet" }])
        .flatMap((set) => (set.kind === "valueSet" ? set.members : []))
        .flat();
    await write(1n, 2n);
    expect(members()).toMatchObject([{ value: 1n }, { value: 2n }]);
    await expect(write(1n, 2n, 3n)).rejects.toMatchObject({
      updates: [{ code: "RESOURCE_EXHAUSTED", message: "value set P.known has room for 2 members, not 3" }],
    });
    expect(members()).toHaveLength(2);
  });
});

describe("the default entry of a table", () => {
  const read = (program: ReturnType<typeof compiled>) =>
    start(program).query([{ kind: "tableEntry", table: "I.t", isDefault: true }]);
  const bare = { kind: "tableEntry", table: "I.t", match: [], priority: 0, isDefault: true };

  it("has the action that the program gives", () => {
    expect(read(compiled("default_action = to(1);"))).toEqual([
      { ...bare, action: { kind: "action", action: "I.to", params: { port: 1n } } },
    ]);
  });

  it("has NoAction where the table has an action profile and P4Info knows NoAction, else no action", () => {
    // As p4c writes the JSON of such a table: without a default entry.
    const program = (): ReturnType<typeof compiled> => {
      const made = compiled("implementation = action_profile(8);");
      for (const { tables } of made.bmv2.pipelines) for (const table of tables) delete table.default_entry;
      return made;
    };
    expect(read(program())).toEqual([
      { ...bare, action: { kind: "action", action: "NoAction", params: {} } },
    ]);
    const without = program();
    const { p4info } = without;
    const none = p4info.actions.find(({ preamble }) => preamble!.name === "NoAction")!.preamble!.id;
    p4info.actions = p4info.actions.filter(({ preamble }) => preamble!.id !== none);
    for (const table of p4info.tables) table.actionRefs = table.actionRefs.filter(({ id }) => id !== none);
    expect(read(without)).toEqual([bare]);
  });
});
