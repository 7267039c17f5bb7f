/** Followed packets: what a page gets of them, once, and how many are kept. */
import { describe, expect, it } from "vitest";
import { dropOf, Followed } from "../../../../src/course/lab/follow/story.js";
import { StoryBook } from "../../../../src/course/lab/follow/story-book.js";
import { ProjectFiles, storyOf } from "../../../../src/course/lab/index.js";

type Origin = ConstructorParameters<typeof Followed>[1];
type Trace = Parameters<typeof dropOf>[0];

const ORIGIN: Origin = {
  at: 5,
  from: "h1",
  description: { protocol: "udp", label: "a datagram", flowKey: "key" },
  bytes: 60,
  flow: undefined,
};
const FILES = new ProjectFiles({
  title: "",
  files: { "a.p4": "one\n  two;\nthree\n" },
  open: { kind: "exercise" },
});
const motion = (packet: number) => ({ packet, link: 0, direction: 0, departs: 1, arrives: 2 }) as const;

describe("the changes since the last frame", () => {
  it("are told once", () => {
    const book = new StoryBook();
    const packet = book.begin({ ...ORIGIN, flow: 3 });
    book.finish(packet, { kind: "delivered", node: "h2", at: 9 });
    book.addMotion(motion(1));
    book.drop({ node: "s1" }, "no reason");
    book.countUnseen();
    const view = { id: 1, at: 5, from: "h1", protocol: "udp", label: "a datagram", bytes: 60, flow: 3 };
    const end = { kind: "delivered", node: "h2", at: 9 };
    expect(book.take()).toEqual({
      packets: [{ ...view, end }],
      motions: [motion(1)],
      ends: [{ packet: 1, end }],
      drops: [{ node: "s1", reason: "no reason", packets: 1 }],
      unseen: 1,
    });
    expect(book.take()).toEqual({ packets: [], motions: [], ends: [], drops: [], unseen: 0 });
  });

  it("add up drops of one reason at one place, and keep others apart", () => {
    const book = new StoryBook();
    book.drop({ node: "s1" }, "full");
    book.drop({ node: "s1" }, "full", 4);
    book.drop({ node: "s1" }, "broken");
    book.drop({ node: "s2" }, "full");
    book.drop({ link: 2 }, "broken", 2);
    book.drop({ link: 0 }, "broken");
    expect(book.take().drops).toEqual([
      { node: "s1", reason: "full", packets: 5 },
      { node: "s1", reason: "broken", packets: 1 },
      { node: "s2", reason: "full", packets: 1 },
      { link: 2, reason: "broken", packets: 2 },
      { link: 0, reason: "broken", packets: 1 },
    ]);
  });

  it("have at most 400 motions; further ones are counted", () => {
    const book = new StoryBook();
    for (let i = 0; i < 403; i++) book.addMotion(motion(i));
    const { motions, unseen } = book.take();
    expect([motions.length, motions.at(-1)!.packet, unseen]).toEqual([400, 399, 3]);
  });
});

describe("a packet", () => {
  it("ends once: what happens to it afterwards changes nothing", () => {
    const book = new StoryBook();
    const packet = book.begin(ORIGIN);
    const dropped = { kind: "dropped", at: 7, node: "s1", reason: "no way" } as const;
    book.finish(packet, dropped);
    book.finish(packet, { kind: "delivered", node: "h2", at: 8 });
    expect(packet.view.end).toEqual(dropped);
    expect(book.take().ends).toEqual([{ packet: 1, end: dropped }]);
  });

  it("knows its copies, and they know it", () => {
    const book = new StoryBook();
    const packet = book.begin(ORIGIN);
    const copies = [book.begin({ ...ORIGIN, parent: packet }), book.begin({ ...ORIGIN, parent: packet })];
    expect(packet.story(() => undefined).copies).toEqual([2, 3]);
    expect(copies.map(({ view }) => view.parent)).toEqual([1, 1]);
    expect(packet.view).not.toHaveProperty("parent");
    expect(packet.view).not.toHaveProperty("flow");
  });

  it("keeps 128 hops: a loop in the network fills no memory", () => {
    const packet = new Followed(1, ORIGIN);
    for (let i = 0; i < 200; i++) packet.add({ kind: "send", node: `n${i}`, at: i, bytes: "" });
    const { hops } = packet.story(() => undefined);
    expect([hops.length, hops.at(-1)]).toEqual([128, { kind: "send", node: "n127", at: 127, bytes: "" }]);
  });
});

describe("the book", () => {
  it("keeps the 300 latest stories, and lists the newest first", () => {
    const book = new StoryBook();
    for (let i = 0; i < 301; i++) book.begin(ORIGIN);
    expect(book.latest(3).map(({ id }) => id)).toEqual([301, 300, 299]);
    expect(book.latest(500)).toHaveLength(300);
    expect(book.story(1)).toBeUndefined();
    expect(storyOf(book, 2, FILES).id).toBe(2);
    expect(() => storyOf(book, 1, FILES)).toThrow("packet 1 was not followed, or its story was deleted");
  });

  it("tells the hop of a switch line by line, with the source of the project's files", () => {
    const book = new StoryBook();
    const packet = book.begin(ORIGIN);
    const trace = traceWith({
      kind: "drop",
      reason: "mark_to_drop",
      stage: "ingress",
      source_info: { filename: "a.p4", line: 2, column: 3, source_fragment: "two" },
    });
    packet.add({ kind: "switch", node: "s1", at: 5, program: "a.p4", trace });
    packet.add({ kind: "switch", node: "s2", at: 6, program: "a.p4" });
    const [told, open] = storyOf(book, 1, FILES).hops as readonly { readonly text?: readonly string[] }[];
    expect(told!.text!.join("\n")).toContain("a.p4:2");
    expect(told!.text!.join("\n")).toContain("two;");
    expect(open).not.toHaveProperty("text");
  });
});

type Outcome = Trace["root"]["outcome"];
function traceWith(outcome: Outcome, branches?: Trace["root"]["branches"]): Trace {
  const input = { packet_id: 0, ingress_port: 1, time_us: 0, packet_size: 60, bytes: "" };
  return {
    ...{ trace_version: 1, device: "s1", input },
    root: { cause: "arrival", events: [], outcome, ...(branches === undefined ? {} : { branches }) },
  };
}

describe("the drop of a packet", () => {
  const drop = (reason: string, stage?: string) =>
    ({ kind: "drop", reason, ...(stage && { stage }) }) as Outcome;
  const leaf = (outcome: Outcome, branches?: Trace["root"]["branches"]) =>
    ({
      cause: "replica",
      events: [],
      outcome,
      ...(branches === undefined ? {} : { branches }),
    }) as Trace["root"];
  const fork: Outcome = { kind: "fork", reason: "multicast" };

  it("has the reason of its trace without the word dropped, and the line of the program", () => {
    const source_info = { filename: "a.p4", line: 12, column: 3, source_fragment: "x" };
    const found = dropOf(
      traceWith({ ...(drop("mark_to_drop", "ingress") as object), source_info } as Outcome),
      4,
    );
    expect(found).toMatchObject({ kind: "dropped", at: 4, node: "s1", place: { file: "a.p4", line: 12 } });
    expect((found as { reason: string }).reason).not.toMatch(/^dropped|ingress:/);
    expect((found as { reason: string }).reason).not.toBe("");
    expect(dropOf(traceWith(drop("mark_to_drop")), 4)).not.toHaveProperty("place");
  });

  it("is that of the first copy that has ended, in the order of the tree", () => {
    const reasonOf = (trace: Trace) => (dropOf(trace, 0) as { reason: string }).reason;
    const [first, second] = [drop("queue_full", "egress"), drop("mark_to_drop", "egress")];
    const alone = (outcome: Outcome) => reasonOf(traceWith(outcome));
    expect(alone(first)).not.toBe(alone(second));
    expect(reasonOf(traceWith(fork, [leaf(fork, []), leaf(fork, [leaf(first)]), leaf(second)]))).toBe(
      alone(first),
    );
    expect(reasonOf(traceWith(fork, [leaf(fork, [])]))).toBe("its copies were dropped");
  });
});
