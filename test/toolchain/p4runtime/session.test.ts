/** A session over streams and timers that the test holds: when it tries again, and what it reports. */
import { EventEmitter } from "node:events";
import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import type { Stream } from "../../../src/toolchain/p4runtime/client/channel.js";
import { type Notice, Session } from "../../../src/toolchain/p4runtime/client/session.js";
import {
  type StreamMessageRequest,
  StreamMessageResponseSchema,
} from "../../../src/toolchain/p4runtime/generated/p4/v1/p4runtime_pb.js";
import { codeNumber } from "../../../src/toolchain/p4runtime/status.js";
import { refusal } from "./helpers.js";

/** A stream whose other end answers claims, or is silent. */
class FakeStream extends EventEmitter {
  cancelled = false;

  constructor(readonly answers: boolean) {
    super();
  }

  write({ update }: StreamMessageRequest): boolean {
    if (!this.answers || update.case !== "arbitration") return true;
    const { electionId } = update.value;
    const code = codeNumber(electionId === undefined ? "NOT_FOUND" : "OK");
    const message = create(StreamMessageResponseSchema, {
      update: {
        case: "arbitration",
        value: { deviceId: 1n, status: { code }, ...(electionId === undefined ? {} : { electionId }) },
      },
    });
    queueMicrotask(() => this.emit("data", message));
    return true;
  }

  end(): void {}

  cancel(): void {
    this.cancelled = true;
  }
}

function setup(reconnect = true, onRestored: (primary: boolean) => Promise<void> = async () => {}) {
  const streams: FakeStream[] = [];
  const timers: { ms: number; task: () => void; background: boolean }[] = [];
  const notices: Notice["kind"][] = [];
  const network = { answers: true };
  const session = new Session(
    {
      address: "switch:1",
      openStream: () => {
        const stream = new FakeStream(network.answers);
        streams.push(stream);
        return stream as unknown as Stream;
      },
    },
    {
      deviceId: 1n,
      role: "",
      electionId: undefined,
      takeOver: false,
      reconnect,
      timeoutMs: 500,
      after: (ms, task, background = false) => {
        const timer = { ms, task, background };
        timers.push(timer);
        return () => {
          if (timers.includes(timer)) timers.splice(timers.indexOf(timer), 1);
        };
      },
    },
    () => {},
    (notice) => notices.push(notice.kind),
    onRestored,
  );
  /** Runs the only timer, and what follows from it. */
  const elapse = async (ms: number): Promise<void> => {
    expect(timers.map((timer) => timer.ms)).toEqual([ms]);
    timers.shift()!.task();
    await settle();
  };
  return { session, streams, timers, notices, network, elapse };
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe("a session", () => {
  it("tries again after 100 ms, then twice as long, up to a second", async () => {
    const { session, streams, timers, notices, network, elapse } = setup();
    await session.start();
    expect([session.isPrimary, session.electionId, timers]).toEqual([true, 1n, []]);
    network.answers = false;
    streams.at(-1)!.emit("end");
    expect(notices).toEqual(["disconnected"]);
    expect((await refusal(async () => session.electionId)).code).toBe("UNAVAILABLE");
    expect(timers.map(({ background }) => background)).toEqual([true]);
    for (const ms of [100, 200, 400, 800, 1000, 1000]) {
      await elapse(ms);
      const tried = streams.at(-1)!;
      await elapse(500); // no answer to the claim
      expect(tried.cancelled).toBe(true);
    }
    network.answers = true;
    const waiting = session.whenPrimary(60_000);
    timers.sort((a, b) => a.ms - b.ms);
    timers.shift()!.task();
    await waiting;
    expect(notices).toEqual(["disconnected", "primary"]);
    expect([session.isPrimary, session.electionId, timers]).toEqual([true, 1n, []]);
  });

  it("tries again when the state cannot be restored", async () => {
    let failures = 2;
    const { session, streams, notices, elapse } = setup(true, async () => {
      if (failures-- > 0) throw new Error("not yet");
    });
    await session.start();
    streams.at(-1)!.emit("end");
    await elapse(100);
    expect(session.isPrimary).toBe(false);
    await elapse(200);
    await elapse(400);
    expect(notices).toEqual(["disconnected", "primary"]);
    expect(session.isPrimary).toBe(true);
  });

  it("does not try again where that is not wanted, or once it is closed", async () => {
    const single = setup(false);
    await single.session.start();
    single.streams.at(-1)!.emit("end");
    expect([single.notices, single.timers]).toEqual([["disconnected"], []]);
    const closed = setup();
    await closed.session.start();
    closed.streams.at(-1)!.emit("end");
    closed.session.close();
    expect(closed.timers).toEqual([]);
    expect((await refusal(closed.session.whenPrimary(1000))).code).toBe("UNAVAILABLE");
  });

  it("is refused when the switch does not answer the claim in time", async () => {
    const { session, network, elapse, streams } = setup();
    network.answers = false;
    const starting = refusal(session.start());
    await elapse(500);
    expect((await starting).message).toBe("no answer to the arbitration in 500 ms");
    expect(streams.at(-1)!.cancelled).toBe(true);
  });
});
