/** Weights of members: a member of weight w has w handles, all with the same action and parameters (docs/switch.md). */
import { expect, it } from "vitest";
import { ActionProfileStore } from "../../../../src/toolchain/switch/tables/profile.js";

const call = (port: bigint) => ({ action: "use", params: { port } });

it("gives each copy of a member its action and all of its parameters, also after a change", () => {
  const store = new ActionProfileStore("p", 3, 16, true, () => true);
  store.addMember(1, call(1n), 11, Int32Array.of(1, 2, 3));
  const second = store.addMember(2, call(2n), 12, Int32Array.of(4, 5, 6));
  const group = store.addGroup(
    1,
    [
      { memberId: 1, weight: 1 },
      { memberId: 2, weight: 3 },
    ],
    0,
  );
  const record = (handle: number) => [...store.records.subarray(4 * handle, 4 * handle + 4)];
  expect([...store.slots[group.number]!]).toEqual([0, 1, 2, 3]);
  expect([0, 1, 2, 3].map(record)).toEqual([[11, 1, 2, 3], ...new Array(3).fill([12, 4, 5, 6])]);
  store.write(second, call(3n), 13, Int32Array.of(7, 8, 9));
  expect([0, 1, 2, 3].map(record)).toEqual([[11, 1, 2, 3], ...new Array(3).fill([13, 7, 8, 9])]);
});
