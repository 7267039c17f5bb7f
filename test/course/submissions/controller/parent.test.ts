/** A controller's process and its test: the switches that it reaches, and the ways in which it ends a test. Scripts stand in for controllers. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { RunningController, StepFailure, TestNetwork } from "../../../../src/course/grading/index.js";
import { controllerStarter } from "../../../../src/course/submissions/controller/parent.js";
import type { DeviceEvent } from "../../../../src/toolchain/device/index.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-parent-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const begun: RunningController[] = [];
afterEach(async () => {
  for (const one of begun.splice(0)) await one.close();
});

/** Two switches that note what they are asked for. */
function fakeNetwork() {
  const asked: unknown[] = [];
  const listeners = new Map<string, (event: DeviceEvent) => void>();
  const device = (name: string) => ({
    write: async (updates: unknown) => void asked.push([name, "write", updates]),
    read: async (queries: unknown) => {
      asked.push([name, "read", queries]);
      return [{ value: 7n, bytes: new Uint8Array([1, 255]) }];
    },
    packetOut: async (packet: unknown) => {
      asked.push([name, "packetOut", packet]);
      throw new Error("no such port");
    },
    acknowledgeDigest: async (digest: unknown, list: unknown) => void asked.push([name, "ack", digest, list]),
  });
  const network = {
    switches: () => ["s1", "s2"],
    device,
    watch: (name: string, listener: (event: DeviceEvent) => void) => {
      listeners.set(name, listener);
      return () => listeners.delete(name);
    },
  } as unknown as TestNetwork;
  return { network, asked, listeners };
}

let scripts = 0;
interface Started extends ReturnType<typeof fakeNetwork> {
  readonly controller?: RunningController;
  /** Why it did not start. */
  readonly failure?: Pick<StepFailure, "expected" | "seen" | "details">;
  readonly stopped: boolean;
}

/**
 * Starts a script as a controller. Its function `take(message)` gets each message; it tells `handled` messages by `idle()`, and sends
 * others with `send`.
 */
async function start(script: string, net = fakeNetwork()): Promise<Started> {
  const path = join(folder, `controller-${scripts++}.cjs`);
  writeFileSync(
    path,
    `const { writeSync } = require("node:fs");
const say = (text) => writeSync(3, text);
const send = (message) => say(JSON.stringify(message) + "\\n");
let handled = 0;
const idle = () => send({ kind: "idle", handled });
const quit = (status) => process.exit(status);
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  handled++;
  take(JSON.parse(line), line);
});
${script}`,
  );
  const stopped: StepFailure[] = [];
  const starter = controllerStarter([process.execPath, path], {
    stopped: (why) => void stopped.push(why),
  });
  try {
    const controller = await starter("the module", net.network);
    begun.push(controller);
    return { controller, stopped: stopped.length > 0, ...net };
  } catch (error) {
    const { expected, seen, details } = error as StepFailure;
    return { failure: { expected, seen, details }, stopped: stopped.length > 0, ...net };
  }
}
const log = (text: string) => `send({ kind: "log", text: JSON.stringify(${text}) });`;

describe("a controller", () => {
  it("gets its module with the names of the switches, and its test goes on when it has handled all", async () => {
    const { failure } = await start(`const take = (message) => {
  ${log("message")}
  send({ kind: "failed", message: "as told" });
};`);
    expect(failure).toEqual({
      expected: "the controller runs without an error",
      seen: "as told",
      details: [
        `controller: ${JSON.stringify({ kind: "start", module: "the module", switches: ["s1", "s2"] })}`,
      ],
    });
  });

  it("reads, writes and sends on the switch that it names; numbers and bytes of any size arrive", async () => {
    const big = (2n ** 70n).toString();
    const { failure, asked } = await start(`const requests = [
  { switch: "s1", method: "write", argument: [{ value: { $number: "${big}" }, key: { $bytes: "00ff" } }] },
  { switch: "s2", method: "read", argument: ["all"] },
  { switch: "s2", method: "packetOut", argument: 5 },
  { switch: "s3", method: "read", argument: [] },
  { switch: "s1", method: "reboot", argument: [] },
];
const answers = [];
const take = (message) => {
  if (message.kind === "answer") answers.push(message);
  if (answers.length < requests.length) send({ kind: "request", id: 10 + answers.length, ...requests[answers.length] });
  else { for (const answer of answers) ${log("answer")} send({ kind: "failed", message: "end" }); }
};`);
    expect(asked).toEqual([
      ["s1", "write", [{ value: 2n ** 70n, key: new Uint8Array([0, 255]) }]],
      ["s2", "read", ["all"]],
      ["s2", "packetOut", 5],
    ]);
    expect(failure!.details.map((line) => JSON.parse(line.replace("controller: ", "")))).toEqual([
      { kind: "answer", id: 10 },
      { kind: "answer", id: 11, value: [{ value: { $number: "7" }, bytes: { $bytes: "01ff" } }] },
      { kind: "answer", id: 12, error: "no such port" },
      { kind: "answer", id: 13, error: "there is no switch s3" },
      { kind: "answer", id: 14, error: "there is no method reboot" },
    ]);
  });

  it("gets packets and digests of the switches, and no other events; a digest is acknowledged", async () => {
    const { controller, listeners, asked, network } = await start(`const seen = [];
const take = (message) => {
  if (message.kind === "event") seen.push([message.switch, message.event.kind]);
  if (seen.length === 2) { ${log("seen")} send({ kind: "failed", message: "end" }); }
  else idle();
};`);
    const emit = (name: string, event: object) => listeners.get(name)!(event as DeviceEvent);
    emit("s1", { kind: "portStatus" });
    emit("s2", { kind: "packetIn", packet: {} });
    await controller!.idle();
    emit("s1", { kind: "digest", list: { digest: "d", listId: 3n } });
    await expect(controller!.idle()).rejects.toMatchObject({
      seen: "end",
      details: ['controller: [["s2","packetIn"],["s1","digest"]]'],
    });
    expect(asked).toEqual([["s1", "ack", "d", 3n]]);
    await controller!.close();
    expect(listeners.size).toBe(0);
    expect(network.switches()).toEqual(["s1", "s2"]);
  });

  it("is waited for while a request is open, and while it has not handled all messages", async () => {
    const net = fakeNetwork();
    let answer = () => {};
    const device = net.network.device;
    const network = {
      ...net.network,
      device: (name: string) => ({
        ...device(name),
        read: () => new Promise<void>((resolve) => (answer = resolve)),
      }),
    } as unknown as TestNetwork;
    const { controller, listeners } = await start(
      `const take = (message) => {
  if (message.kind === "event") send({ kind: "request", id: 1, switch: "s1", method: "read", argument: [] });
  if (message.kind === "answer") ${log("message.id")}
  idle();
};`,
      { ...net, network },
    );
    listeners.get("s1")!({ kind: "packetIn", packet: {} } as unknown as DeviceEvent);
    let isIdle = false;
    const idle = controller!.idle().then(() => {
      isIdle = true;
    });
    const first = answer;
    while (answer === first) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isIdle).toBe(false);
    answer();
    await idle;
    expect(isIdle).toBe(true);
  });
});

describe("a controller fails its test", () => {
  const once = (work: string) => start(`const take = () => { ${work} };`);

  it("by an error, of which the first 500 characters are told, with at most 20 lines of its log", async () => {
    const { failure, stopped } = await once(
      `for (let i = 0; i < 30; i++) send({ kind: "log", text: i + " " + "x".repeat(300) + "\\n \\n" });
      send({ kind: "failed", message: "e".repeat(600) });`,
    );
    expect(failure!.seen).toBe("e".repeat(500));
    expect(failure!.details).toHaveLength(20);
    expect(failure!.details[19]).toBe(`controller: 19 ${"x".repeat(300)}`.slice(0, 200));
    // The next test may start it again.
    expect(stopped).toBe(false);
  });

  it.each([
    ["no JSON", 'say("{ nothing".padEnd(100, "x") + "\\n");', "{ nothing".padEnd(80, "x")],
    ["another kind", 'send({ kind: "hello" });', '{"kind":"hello"}'],
    ["null", 'say("null\\n");', "null"],
  ])("by a message that is none: %s", async (_, work, text) => {
    const { failure, stopped } = await once(work);
    expect(failure).toMatchObject({
      expected: "messages in the format of the controller's functions",
      seen: `something else: ${text}`,
    });
    expect(stopped).toBe(false);
  });

  it("by more than 20,000 requests", async () => {
    const many = (n: number, end: string) =>
      once(`for (let id = 0; id < ${n}; id += 100)
        say(Array.from({ length: 100 }, (_, i) => JSON.stringify({ kind: "request", id: id + i, switch: "s1", method: "write" })).join("\\n") + "\\n");
      ${end}`);
    const fails = 'send({ kind: "failed", message: "end" });';
    expect((await many(20_000, fails)).failure!.seen).toBe("end");
    expect((await many(20_100, fails)).failure).toMatchObject({
      expected: "at most 20000 requests of the controller",
      seen: "more",
    });
  });

  it("by a message of more than 4 MB; then no further test starts it", async () => {
    const { failure, stopped } = await once(
      `for (let i = 0; i < 5; i++) say("x".repeat(1 << 20)); setInterval(() => {}, 1000);`,
    );
    expect(failure).toMatchObject({ expected: "messages of at most 4 MB", seen: "a longer one" });
    expect(stopped).toBe(true);
    // Many short messages are not one long message.
    const short = await once(
      `for (let i = 0; i < 60; i++) say(JSON.stringify({ kind: "log", text: "x".repeat(100000) }) + "\\n");
      send({ kind: "failed", message: "end" });`,
    );
    expect(short.failure!.seen).toBe("end");
  });

  it.each([
    [
      "with a status",
      "quit(3);",
      "the controller runs until the test ends",
      "it ends its process (status 3)",
      false,
    ],
    [
      "with the status 128",
      "quit(128);",
      "the controller runs until the test ends",
      "it ends its process (status 128)",
      false,
    ],
    [
      "at its time limit",
      'process.kill(process.pid, "SIGXCPU");',
      "the controller finishes handling an event",
      "it does not finish",
      true,
    ],
    [
      "at its time limit, below a shell that waits for it",
      "quit(137);",
      "the controller finishes handling an event",
      "it does not finish",
      true,
    ],
    [
      "without memory",
      'process.kill(process.pid, "SIGSEGV");',
      "the controller needs no more memory than the limit",
      "it needs more",
      true,
    ],
    [
      "without memory, below a shell",
      "quit(134);",
      "the controller needs no more memory than the limit",
      "it needs more",
      true,
    ],
  ])("by the end of its process %s", async (_, work, expected, seen, stops) => {
    const { failure, stopped } = await once(work);
    expect(failure).toEqual({ expected, seen, details: [] });
    expect(stopped).toBe(stops);
  });
});
