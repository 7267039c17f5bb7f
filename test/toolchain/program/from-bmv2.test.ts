/** A P4Info made from a BMv2 program shows what the compiler's own shows, ids apart. */
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import {
  type Bmv2Program,
  describeBmv2,
  P4InfoIndex,
  type Slot,
  validateP4Info,
} from "../../../src/toolchain/program/index.js";
import { p4infoOf } from "../control/start.js";
import { goldenJson } from "../switch/golden.js";

const slots = (list: readonly Slot[]) => list.map(({ name, bitwidth }) => ({ name, bitwidth }));

/** What can be compared: tables and actions that the compiler made up are in the BMv2 program alone. */
function shown(index: P4InfoIndex, like: P4InfoIndex) {
  const known = <T extends { name: string }>(list: readonly T[], names: readonly { name: string }[]) =>
    list
      .filter(({ name }) => names.some((one) => one.name === name))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    tables: known(index.tables.list, like.tables.list).map((table) => ({
      name: table.name,
      // p4c writes optional fields as ternary ones
      key: table.fields.list.map(({ name, bitwidth, kind }) => [
        name,
        bitwidth,
        kind === "optional" ? "ternary" : kind,
      ]),
      actions: [...table.actions.values()].map(({ action }) => action.name).sort(),
      profile: table.profile?.name,
      counter: table.directCounter?.name,
      meter: table.directMeter?.name,
      isConst: table.message.isConstTable,
      // p4c makes a table of constant entries as large as they are
      size: table.message.isConstTable ? undefined : table.message.size,
      timeouts: table.message.idleTimeoutBehavior,
      hasPriority: table.hasPriority,
    })),
    actions: known(index.actions.list, like.actions.list).map(({ name, params }) => [
      name,
      slots(params.list),
    ]),
    profiles: known(index.actionProfiles.list, like.actionProfiles.list).map(({ name, message, tables }) => [
      name,
      message.withSelector,
      message.size,
      tables.map((table) => table.name),
    ]),
    counters: known(index.counters.list, like.counters.list).map(({ name, message }) => [name, message.size]),
    meters: known(index.meters.list, like.meters.list).map(({ name, message }) => [name, message.size]),
    registers: known(index.registers.list, like.registers.list).map(({ name, message }) => [
      name,
      message.size,
      index.bitwidthOf(message.typeSpec),
    ]),
    valueSets: known(index.valueSets.list, like.valueSets.list).map(({ name, fields, message }) => [
      name,
      fields.list.reduce((sum, { bitwidth }) => sum + bitwidth, 0),
      message.size,
    ]),
  };
}

describe.each(["l3", "cpu", "memory", "selector", "parse", "hash", "control"])("%s", (name) => {
  const made = describeBmv2(goldenJson<Bmv2Program>(name, `${name}.json`));
  const own = new P4InfoIndex(p4infoOf(name));

  it("shows the same", () => {
    expect(shown(new P4InfoIndex(made), own)).toEqual(shown(own, own));
  });

  it("is a P4Info by its rules", () => {
    const diagnostics = new Diagnostics();
    validateP4Info(made, diagnostics);
    expect(diagnostics.list.filter(({ severity }) => severity === "error")).toEqual([]);
  });
});
