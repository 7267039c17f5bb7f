// node --test NAME/
import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "./results.mjs";

test("flows leave a failed leaf under NAME, and never without re-pathing", () => {
  const recovered = Object.fromEntries(rows().map((row) => [row.scheme, row.recovered]));
  assert.equal(recovered["NAME"], 1);
  assert.equal(recovered.none, 0);
});
