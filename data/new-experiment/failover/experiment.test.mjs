// node --test NAME/
import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "./results.mjs";

test("flows recover where hosts or switches re-path, P-ECMP's at the first try", () => {
  const found = Object.fromEntries(rows().map((row) => [row.scheme, row]));
  assert.equal(found.none.recovered, 0);
  assert.equal(found.prr.recovered, 1);
  assert.equal(found.pecmp.first_try_success, 1);
});
