// node --test NAME/
import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "./results.mjs";

const all = rows().filter(({ size }) => size === "all");

test("every flow of every scheme ends, and all schemes have the same flows", () => {
  assert.equal(all.length, 6);
  for (const { scheme, load, flows, unfinished } of all) {
    assert.equal(unfinished, 0, `${scheme} at ${load}`);
    assert.equal(flows, all.find((row) => row.load === load).flows);
  }
});

test("flows take longer at the higher load", () => {
  const mean = (wanted, at) => all.find(({ scheme, load }) => scheme === wanted && load === at).slowdown_mean;
  for (const scheme of ["ecmp", "hula", "conga"]) assert.ok(mean(scheme, 0.4) > mean(scheme, 0.2), scheme);
});
