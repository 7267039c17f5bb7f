/** What goes between a page and a lab: events with a bound, replies to every message, errors with places, notes on schemes. */
import { describe, expect, it } from "vitest";
import { Diagnostics, fail, SourceFile } from "../../../src/base/index.js";
import { diagnosticViews, refusalOf } from "../../../src/course/lab/diagnostics.js";
import {
  answerCall,
  type LabEvent,
  type LabReply,
  type LabRequest,
  type LabService,
  Outbox,
  type SchemeFacts,
  schemeNotes,
} from "../../../src/course/lab/index.js";
import { DeviceError } from "../../../src/toolchain/device/index.js";

const text = (line: string): LabEvent => ({ kind: "console", host: "h1", text: line });

describe("events", () => {
  it("go to all who listen, until they stop", () => {
    const outbox = new Outbox();
    expect(outbox.hasListeners).toBe(false);
    const heard: string[] = [];
    const stop = outbox.subscribe(() => {
      heard.push("a");
      stop();
    });
    outbox.subscribe(() => heard.push("b"));
    expect(outbox.hasListeners).toBe(true);
    outbox.send({ kind: "restarted" });
    outbox.send({ kind: "restarted" });
    expect(heard).toEqual(["a", "b", "b"]);
  });

  it("with texts are at most 100 a frame, and the others are counted, once", () => {
    const outbox = new Outbox();
    const heard: LabEvent[] = [];
    outbox.subscribe((event) => heard.push(event));
    for (let i = 0; i < 103; i++) outbox.sendText(text(`${i}`));
    expect(heard).toHaveLength(100);
    expect(heard.at(-1)).toEqual(text("99"));
    outbox.frame();
    expect(heard.slice(100)).toEqual([
      { kind: "notice", severity: "info", text: "3 lines were omitted: there were too many for one frame" },
    ]);
    outbox.sendText(text("next"));
    outbox.frame();
    expect(heard.slice(101)).toEqual([text("next")]);
  });
});

describe("a message of a page", () => {
  const seen: LabRequest[] = [];
  const service = (answer: () => Promise<LabReply>): LabService => ({
    apply: (request) => {
      seen.push(request);
      return answer();
    },
    subscribe: () => () => {},
    close: async () => {},
  });
  const answer = async (data: unknown, reply: () => Promise<LabReply> = async () => REPLY) => {
    const message = await answerCall(service(reply), data);
    if (!("reply" in message)) throw new Error("no reply");
    return message;
  };
  const REPLY: LabReply = { ok: true, value: { tables: [] } as never, diagnostics: [] };

  it("gets the reply with its number; defaults are filled in", async () => {
    const found = await answer({ id: 3, request: { op: "packet.list" } });
    expect(found).toEqual({ id: 3, reply: REPLY });
    expect(seen.splice(0)).toEqual([{ op: "packet.list", limit: 50 }]);
  });

  it.each<[string, unknown, number]>([
    ["a wrong request", { id: 4, request: { op: "dance" } }, 4],
    ["no number", { request: { op: "describe" } }, 0],
    ["a number below 0", { id: -1, request: { op: "describe" } }, 0],
    ["half a number", { id: 1.5, request: { op: "describe" } }, 0],
    ["a text as its number", { id: "7", request: { op: "describe" } }, 0],
    ["nothing", null, 0],
    ["a text", "describe", 0],
  ])("with %s is refused, and never reaches the lab", async (_, data, id) => {
    const found = await answer(data);
    expect(found.id).toBe(id);
    expect(found.reply.ok).toBe(false);
    expect(found.reply.diagnostics.length).toBeGreaterThan(0);
    for (const one of found.reply.diagnostics)
      expect(one).toMatchObject({ severity: "error", code: expect.stringMatching(/^P\d{5}$/) });
    expect(seen).toEqual([]);
  });

  it("that meets an error of the lab itself gets it as P46013, and the lab goes on", async () => {
    const failing = (thrown: unknown) =>
      answer({ id: 1, request: { op: "describe" } }, async () => {
        throw thrown;
      });
    const errors = [await failing(new Error("broken")), await failing("odd")];
    expect(errors.map(({ id, reply }) => [id, reply.ok, ...reply.diagnostics])).toEqual([
      [1, false, { severity: "error", code: "P46013", message: "internal error: broken", notes: [] }],
      [1, false, { severity: "error", code: "P46013", message: "internal error: odd", notes: [] }],
    ]);
    seen.length = 0;
  });
});

describe("errors", () => {
  it("have the place of the error and of each note", () => {
    const file = new SourceFile("a.p4", "one\ntwo three\n");
    const found = new Diagnostics();
    found.error("P46001", { file, start: 8, end: 13 }, "wrong");
    found.warning("P46002", undefined, "odd");
    const noted = {
      ...found.list[0]!,
      notes: [{ message: "see", span: { file, start: 4, end: 7 } }, { message: "so" }],
    };
    expect(diagnosticViews([noted, found.list[1]!])).toEqual([
      {
        ...{ severity: "error", code: "P46001", message: "wrong", file: "a.p4" },
        ...{ start: { line: 2, column: 5 }, end: { line: 2, column: 10 } },
        notes: [{ message: "see", file: "a.p4", start: { line: 2, column: 1 } }, { message: "so" }],
      },
      { severity: "warning", code: "P46002", message: "odd", notes: [] },
    ]);
  });

  it("of users and of switches become replies; others do not", () => {
    const thrown = (work: () => unknown): unknown => {
      try {
        return work();
      } catch (error) {
        return error;
      }
    };
    expect(refusalOf(thrown(() => fail("P46001", undefined, "no file")))).toMatchObject({
      ok: false,
      diagnostics: [{ code: "P46001", message: "no file" }],
    });
    expect(refusalOf(new DeviceError("NOT_FOUND", "no such entry"))).toEqual({
      ok: false,
      diagnostics: [
        {
          ...{ severity: "error", code: "P46012", notes: [] },
          message: "the switch refuses: no such entry (NOT_FOUND)",
        },
      ],
    });
    const bug = new TypeError("a bug");
    expect(thrown(() => refusalOf(bug))).toBe(bug);
  });
});

describe("the notes on a scheme", () => {
  const facts = (of: Partial<SchemeFacts>): SchemeFacts => ({
    ...{ label: "pecmp", controllers: [], hostPolicy: false, settings: false, leftOut: [] },
    ...of,
  });

  it("name each part that does not run here, and where it runs", () => {
    const all = facts({ controllers: ["a", "b"], hostPolicy: true, settings: true, leftOut: ["No marks."] });
    expect(schemeNotes(all, false, "Elsewhere.")).toEqual([
      "These parts of the scheme pecmp do not run here: the controllers (a, b); the path choice of its hosts; settings of hashes and queues, and packet generators. Elsewhere.",
      "No marks.",
    ]);
    expect(schemeNotes(facts({ hostPolicy: true }), false, "Elsewhere.")).toEqual([
      "These parts of the scheme pecmp do not run here: the path choice of its hosts. Elsewhere.",
    ]);
  });

  it("are only those parts that no lab runs, where the scheme runs or has no parts", () => {
    expect(schemeNotes(facts({ controllers: ["a"], leftOut: ["No marks."] }), true, "")).toEqual([
      "No marks.",
    ]);
    expect(schemeNotes(facts({}), false, "Elsewhere.")).toEqual([]);
    expect(schemeNotes(undefined, false, "Elsewhere.")).toEqual([]);
  });
});
