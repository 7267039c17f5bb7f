/**
 * A controller of updates that is killed at chosen requests, on any engine. It runs in a controller of the plan's place, which hands its
 * clock, switches and hosts on, counts what is asked of them, and starts it again.
 */

import type { Json } from "../../../../src/base/index.js";
import {
  type Controller,
  type ControllerContext,
  ControllerHost,
  type ControllerPlan,
} from "../../../../src/fabric/controllers/index.js";
import type { Device } from "../../../../src/toolchain/device/index.js";

/** The n-th request of a kind within an update, from 1; writes before and after the hosts have changed are of two kinds. */
export type Kill = readonly ["announce" | "prepare" | "commit" | "state" | "retire" | "close", number];

/** From a kill to the next start, in nanoseconds: the request that was sent last takes effect meanwhile. */
const PAUSE_NS = 100_000_000;

/** What a controller logs when there is nothing more to do. */
const IS_OVER = /update to version \d has ended|version \d stays|no update is in progress/;

/**
 * The plan's controller, which gets updates one after the other, one for each kill: to the state `there` and back. The log gets a line
 * for each kill (`after prepare 2: version 0 stays`), and at last how many entities every switch had before and has after it all.
 */
export function killedAt(plan: ControllerPlan, kills: readonly Kill[], there: Json): ControllerPlan {
  const controller: Controller = {
    async start(context) {
      const before = await entitiesOf(context);
      let isThere = false;
      for (const kill of kills) {
        const end = await interrupt(plan, kill, isThere ? {} : there, context);
        context.log(`after ${kill.join(" ")}: ${end}`);
        if (/has ended/.test(end)) isThere = !isThere;
      }
      await interrupt(plan, undefined, {}, context);
      context.log(`entities: ${before} before, ${await entitiesOf(context)} after`);
    },
  };
  return { ...plan, controller };
}

/** One update, and the kill in it. Resolves with what the last controller says when there is nothing more to do. */
async function interrupt(
  plan: ControllerPlan,
  kill: Kill | undefined,
  spec: Json,
  context: ControllerContext,
): Promise<string> {
  const counts = new Map<Kill[0], number>();
  return await new Promise<string>((resolve, reject) => {
    let isKilled = false;
    let isOver = false;
    const request = <T>(kind: Kill[0], ask: () => Promise<T>): Promise<T> => {
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      // The request is sent, and its sender is killed before the answer.
      const answer = ask();
      if (isKilled || kill === undefined || kind !== kill[0] || count !== kill[1]) return answer;
      isKilled = true;
      inner.kill(plan.name);
      context.clock.at(context.clock.now() + PAUSE_NS, () => void inner.restart(plan.name));
      return answer;
    };
    const inner = new ControllerHost([plan], {
      topology: context.topology,
      clock: context.clock,
      random: context.random,
      session: (node) => ({
        device: counting(context.device(context.topology.nodes[node]!.name), (write) =>
          request(counts.has("commit") ? "retire" : "prepare", write),
        ),
        watchState: (listener) => {
          listener({ running: true, downPorts: new Set() });
          return () => {};
        },
      }),
      hostSession: (node) => ({
        ask: (message) =>
          request((message as { op: Kill[0] }).op, () =>
            context.host(context.topology.nodes[node]!.name).ask(message),
          ),
        watch: () => () => {},
      }),
      log: (line) => {
        const text = line.replace(/^\S+ \S+ /, "");
        if (isOver) return;
        context.log(text);
        if (IS_OVER.test(text)) end(text);
      },
      failed: reject,
    });
    const end = (text: string) => {
      isOver = true;
      inner.killAll();
      if (kill !== undefined && !isKilled) reject(new Error(`no request ${kill.join(" ")}`));
      else resolve(text);
    };
    void inner.start(plan.name).then(() => inner.command({ name: "update", values: spec }));
  });
}

/** The device; `write` is called for each write. */
function counting(device: Device, write: (go: () => Promise<void>) => Promise<void>): Device {
  return new Proxy(device, {
    get(target, key) {
      if (key === "write")
        return (...values: Parameters<Device["write"]>) => write(() => target.write(...values));
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** How many entities of each kind every switch has. */
async function entitiesOf({ switches }: ControllerContext): Promise<string> {
  const counts = await Promise.all(
    switches.map(async ({ node, device }) => {
      const all = await device.read([{ kind: "tableEntry" }, { kind: "member" }, { kind: "group" }]);
      return `${node.name} ${all.length}`;
    }),
  );
  return counts.join(", ");
}
