/** A controller's module: the switches as it uses them, and when it is idle. */
import { describe, expect, it } from "vitest";
import { controllerSide } from "../../../../src/course/submissions/controller/child.js";
import type { FromController, ToController } from "../../../../src/course/submissions/controller/messages.js";

/** Enough turns of the event loop for all that a module does without waiting for answers. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A controller with this module on the switches s1 and s2. */
async function started(module: string) {
  const sent: FromController[] = [];
  const { take, failed } = controllerSide((message) => sent.push(message));
  const tell = async (message: ToController) => {
    sent.length = 0;
    take(message);
    await settled();
    return [...sent];
  };
  take({ kind: "start", module, switches: ["s1", "s2"] });
  // An import takes an unknown number of turns.
  for (let turn = 0; sent.length === 0 && turn < 2000; turn++)
    await new Promise((done) => setTimeout(done, 1));
  await settled();
  return { first: [...sent], tell, failed, sent };
}

const request = (id: number, name: string, method: string, argument: unknown) => ({
  ...{ kind: "request", id, switch: name, method, argument },
});
const log = (text: string) => ({ kind: "log", text });
const idle = (handled: number) => ({ kind: "idle", handled });
const event = (name: string, one: unknown): ToController => ({ kind: "event", switch: name, event: one });

describe("a module", () => {
  it("gets its switches by name, and is idle when its start has run", async () => {
    const { first } = await started(
      "export function start({ switches, log }) { log([...switches].map(([key, { name }]) => key + name)); }",
    );
    expect(first).toEqual([log("s1s1,s2s2"), idle(1)]);
  });

  it("asks a switch, waits, and goes on with the answer; it is not idle before", async () => {
    const { first, tell } = await started(`export async function start({ switches, log }) {
  const one = switches.get("s1");
  log(await one.run(7));
  log(await one.read([1]));
  log(await one.write([2]).catch((error) => error.message));
  await switches.get("s2").packetOut({ port: 1 });
}`);
    expect(first).toEqual([request(0, "s1", "run", "7")]);
    expect(await tell({ kind: "answer", id: 0, value: "a" })).toEqual([
      log("a"),
      request(1, "s1", "read", [1]),
    ]);
    expect(await tell({ kind: "answer", id: 1, value: "b" })).toEqual([
      log("b"),
      request(2, "s1", "write", [2]),
    ]);
    const refused = await tell({ kind: "answer", id: 2, error: "no such table" });
    expect(refused).toEqual([log("no such table"), request(3, "s2", "packetOut", { port: 1 })]);
    expect(await tell({ kind: "answer", id: 3 })).toEqual([idle(5)]);
  });

  it("has several requests open at a time, which are answered in any order", async () => {
    const { first, tell } = await started(`export async function start({ switches, log }) {
  const texts = await Promise.all([...switches.values()].map((one) => one.run("x")));
  log(texts);
}`);
    expect(first).toEqual([request(0, "s1", "run", "x"), request(1, "s2", "run", "x")]);
    expect(await tell({ kind: "answer", id: 1, value: "second" })).toEqual([]);
    expect(await tell({ kind: "answer", id: 0, value: "first" })).toEqual([log("first,second"), idle(3)]);
    // An answer that nothing waits for has no effect.
    expect(await tell({ kind: "answer", id: 0, value: "again" })).toEqual([idle(4)]);
  });

  it("hears of packets and digests of the switch that it listens to, with each of its listeners", async () => {
    const { tell } = await started(`export function start({ switches, log }) {
  const one = switches.get("s1");
  one.onPacketIn((packet) => log("first " + packet));
  one.onPacketIn((packet) => log("second " + packet));
  one.onDigest((list) => log("digest " + list));
}`);
    const packet = { kind: "packetIn", packet: "p" };
    expect(await tell(event("s1", packet))).toEqual([log("first p"), log("second p"), idle(2)]);
    expect(await tell(event("s2", packet))).toEqual([idle(3)]);
    expect(await tell(event("s1", { kind: "digest", list: "l" }))).toEqual([log("digest l"), idle(4)]);
  });

  it("is idle once for messages that come together, when all that follows from them has run", async () => {
    const { tell, sent } = await started(`export function start({ switches, log }) {
  switches.get("s1").onPacketIn(async (packet) => { await null; await null; log(packet); });
}`);
    const both = tell(event("s1", { kind: "packetIn", packet: "a" }));
    const second = tell(event("s1", { kind: "packetIn", packet: "b" }));
    await Promise.all([both, second]);
    expect(sent).toEqual([log("a"), log("b"), idle(3)]);
  });
});

describe("a module fails", () => {
  it.each([
    [
      "by what its start throws",
      "export async function start() { throw new TypeError('no'); }",
      "TypeError: no",
    ],
    ["by a thrown text", "export function start() { throw 'text'; }", "text"],
    ["without a start", "export const other = 1;", "Error: the module exports no function `start`"],
  ])("%s", async (_, module, message) => {
    const { first } = await started(module);
    expect(first).toContainEqual({ kind: "failed", message });
  });

  it("where it cannot be imported: it is never idle then", async () => {
    const { first } = await started("this is no module");
    expect(first).toEqual([{ kind: "failed", message: expect.stringMatching(/^SyntaxError: /) }]);
  });

  it("by a listener, synchronous or not, and by an error that nothing handles", async () => {
    const { tell, failed, sent } = await started(`export function start({ switches }) {
  switches.get("s1").onPacketIn(() => { throw new Error("now"); });
  switches.get("s1").onPacketIn(async () => { throw new Error("later"); });
}`);
    const messages = await tell(event("s1", { kind: "packetIn", packet: 1 }));
    expect(messages.slice(0, 2)).toEqual([
      { kind: "failed", message: "Error: now" },
      { kind: "failed", message: "Error: later" },
    ]);
    failed(new RangeError("elsewhere"));
    expect(sent.at(-1)).toEqual({ kind: "failed", message: "RangeError: elsewhere" });
  });
});
