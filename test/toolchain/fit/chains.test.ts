/** Chains of dependencies with the order of the flow, which without long branches leads from a table to what it decides on, and from there to the next one. */
import { describe, expect, it } from "vitest";
import { chainsOfFlow } from "../../../src/toolchain/fit/place/chains.js";
import { loadTarget } from "./golden.js";
import { tnaSource } from "./programs.js";
import { fitTna } from "./tna-fit.js";

/** `last` waits for `first` alone, which stands in a branch with `third`, the third table of a chain. */
const source = tnaSource({
  ingress: `bit<32> x; bit<32> y; bit<32> z; bit<32> w;
    action set_x(bit<32> a) { x = a; } table one { key = { hdr.d.a : exact; } actions = { set_x; } size = 16; }
    action set_y(bit<32> a) { y = a; } table two { key = { x : exact; } actions = { set_y; } size = 16; }
    action set_z(bit<32> a) { z = a; } table third { key = { y : exact; } actions = { set_z; } size = 16; }
    action set_w(bit<32> a) { w = a; } table first { key = { hdr.d.b : exact; } actions = { set_w; } size = 16; }
    action mark(bit<16> a) { hdr.d.t = a; } table last { key = { w : exact; } actions = { mark; } size = 16; }
    action sum() { hdr.d.c = z; }`,
  apply:
    "tm.ucast_egress_port = 1; one.apply(); two.apply(); if (hdr.d.i == 3) { third.apply(); first.apply(); } last.apply(); sum();",
});

describe("the chains of dependencies", () => {
  const { problem } = fitTna(source);
  const idOf = (name: string) =>
    problem.model.units.find(({ label }) => label.split(".").at(-1)!.endsWith(name))!.id;
  const ids = [idOf("third"), idOf("first"), idOf("last")];

  it("go on from all tables of a branch to a table that waits for one of them", () => {
    const { earliest, below } = chainsOfFlow(problem);
    expect(ids.map((id) => problem.graph.earliest[id])).toEqual([2, 0, 1]);
    expect(ids.map((id) => earliest[id])).toEqual([2, 0, 2]);
    // Behind `third` stand one that reads its value, and `last`.
    expect(ids.map((id) => below[id])).toEqual([1, 1, 0]);
  });

  it("are those of the dependencies alone with long branches", () => {
    const target = loadTarget("tofino2");
    expect(chainsOfFlow({ ...problem, target })).toBe(problem.graph);
  });
});
