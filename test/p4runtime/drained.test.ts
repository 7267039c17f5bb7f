/** A slow client holds an answer up; one that has gone does not. */
import { Writable } from "node:stream";
import { expect, it } from "vitest";
import { drained } from "../../src/p4runtime/server/drained.js";

/** A call whose client takes a message when the test says so; one message waits. */
function slowCall() {
  const take: (() => void)[] = [];
  const stream = new Writable({
    objectMode: true,
    highWaterMark: 1,
    write: (_, __, next) => take.push(next),
  });
  const call = Object.assign(stream, { cancelled: false });
  expect(call.write({})).toBe(false);
  return { call, take };
}

/** Whether it settles before anything else happens. */
async function settles(task: Promise<void>): Promise<boolean> {
  return Promise.race([task.then(() => true), new Promise<boolean>((end) => setImmediate(() => end(false)))]);
}

it("waits until the client reads on, and leaves no listener", async () => {
  const { call, take } = slowCall();
  const before = call.eventNames();
  const task = drained(call);
  expect(await settles(task)).toBe(false);
  take[0]!();
  await task;
  expect(call.eventNames()).toEqual(before);
});

it.each<[string, (call: ReturnType<typeof slowCall>["call"]) => void]>([
  ["cancelled", (call) => Object.assign(call, { cancelled: true }).emit("cancelled", "cancelled")],
  ["closed", (call) => call.destroy()],
])("ends when the call is %s, before or while it waits", async (_, leave) => {
  const during = slowCall();
  const task = drained(during.call);
  leave(during.call);
  await task;
  const before = slowCall();
  leave(before.call);
  await new Promise((end) => setImmediate(end));
  expect(await settles(drained(before.call))).toBe(true);
});

it("does not wait for a call that has ended, or has nothing to wait for", async () => {
  const { call } = slowCall();
  call.end();
  expect(await settles(drained(call))).toBe(true);
  const second = slowCall();
  second.take[0]!();
  await new Promise((end) => setImmediate(end));
  expect(await settles(drained(second.call))).toBe(true);
});
