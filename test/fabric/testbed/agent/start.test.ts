/** An agent that the test plays: its lines at the start, in one chunk with later lines, or lines that are no events. */
import { describe, expect, it } from "vitest";
import { type HostProcess, type RunningHost, startAgent } from "../../../../src/fabric/testbed/index.js";
import { agentConfig } from "./networks.js";

const CONFIG = agentConfig("left", "dscp", { kind: "fixed", selector: 0 });
const READY = { event: "ready", tun: "agent0", settings: [] };

/** A host whose agent answers each request with the lines that `answer` gives, all at once. */
function playedHost(answer: (request: { op: string; id?: number }) => (object | string)[]) {
  const listeners = new Set<(line: string) => void>();
  let end: (status: number) => void = () => {};
  const exited = new Promise<number>((resolve) => {
    end = resolve;
  });
  const state = { killed: false };
  const process: HostProcess = {
    write: (line) => {
      const lines = answer(JSON.parse(line)).map((one) =>
        typeof one === "string" ? one : JSON.stringify(one),
      );
      // As a chunk of stdout: a listener that is added while it is read does not get it.
      queueMicrotask(() => {
        for (const listener of [...listeners]) for (const one of lines) listener(one);
      });
    },
    writeText: () => {},
    onLine: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onText: () => () => {},
    stderr: "",
    exited,
    kill: async () => {
      state.killed = true;
      end(143);
    },
  };
  return { host: { name: "h1", spawn: () => process } as unknown as RunningHost, state };
}

describe("the start of an agent", () => {
  it("loses nothing that stands behind ready in the same chunk", async () => {
    const { host, state } = playedHost(({ op }) => (op === "start" ? [READY, "no event"] : []));
    const agent = await startAgent(host, CONFIG);
    await expect(agent.listen(80)).rejects.toThrow(
      /P43172.*the agent on h1 printed a line that is no event: no event/,
    );
    expect(state.killed).toBe(true);
  });

  it.each([["Traceback (most recent call last):"], ['{"event": "dance"}'], ["{}"], ["null"]])(
    "is refused when it says %s",
    async (line) => {
      const { host, state } = playedHost(() => [line]);
      await expect(startAgent(host, CONFIG)).rejects.toThrow(
        /P43170.*h1 does not start: it printed a line that is no event/,
      );
      expect(state.killed).toBe(true);
    },
  );

  it("is followed by a failure of all that is in progress when the agent prints a line that is no event", async () => {
    const { host } = playedHost(({ op }) =>
      op === "start" ? [READY] : op === "listen" ? ["?".repeat(1000)] : [],
    );
    const agent = await startAgent(host, CONFIG);
    const flow = agent.flow({ to: 1n, ipVersion: 4, port: 80 });
    const asked = [agent.statistics(), agent.listen(80), flow.finished];
    for (const outcome of await Promise.allSettled(asked)) {
      expect(outcome.status).toBe("rejected");
      expect(`${(outcome as PromiseRejectedResult).reason}`).toMatch(/P43172.*is no event: \?{200}\.\.\.$/m);
    }
    await expect(agent.listen(81)).rejects.toThrow("P43172");
  });
});
