/**
 * Updates of all switches and hosts as one transaction (P-ECMP, section 3.4), and plain updates for comparison.
 *
 * A transaction has these steps; each may be repeated without harm:
 *
 * 1. announce: all hosts store the target of the update, and its version;
 * 2. prepare: all switches get the new rows and groups, and routes to them under the version that no host uses;
 * 3. commit: all hosts change to this version, flow by flow; each host learns which of its flows the new routes move;
 * 4. wait: until no flow has data in flight on the old version, and then until its last packets have left the network;
 * 5. retire: the routes of the old version lead to the new rows, too, and the old rows and groups are removed: their space is free;
 * 6. close: the hosts delete the announcement.
 *
 * A controller that starts asks the hosts for the announcement, and reads the state of the switches. Without an announcement there is nothing
 * to do. Where a host has the new version, the update is finished from step 3. Otherwise it is finished from step 1, or rolled back.
 */

import type { Update } from "../../../../toolchain/device/index.js";
import type { Controller, ControllerContext } from "../../../controllers/index.js";
import type { Topology, TopologyNode } from "../../../topology/index.js";
import { checkDescription } from "../../description.js";
import type { PecmpHosts } from "../hosts.js";
import { type SelectorLayout, versionBitOf } from "../layout.js";
import type { PecmpParameters } from "../parameters.js";
import type { Version } from "../updates.js";
import { asJson, type HostRequest, type HostState, hostState } from "./messages.js";
import { TargetComparison } from "./moved-flows.js";
import { type UpdateSpec, updateCommand } from "./parameters.js";
import { SwitchStates } from "./switch-states.js";
import { SwitchWriter } from "./switch-writer.js";
import { type Target, targetOf } from "./target.js";

/** Its name in logs and faults. */
export const UPDATE_CONTROLLER = "update";

interface UpdateControllerOptions {
  readonly topology: Topology;
  readonly parameters: PecmpParameters;
  /** Layout of the selector: it does not change in programs and hosts. */
  readonly layout: SelectorLayout;
  seedOf(node: number): Update;
}

/** Time between two questions. */
const POLL_NS = 1_000_000;
/** On a testbed the first question to a host starts a process. */
const HOSTS_AT_ONCE = 8;

export function updateController(options: UpdateControllerOptions): Controller {
  return {
    async start(context) {
      const updates = new Updates(options, context);
      // Commands are accepted from the start, and carried out one after the other.
      const queue: UpdateSpec[] = [];
      let wake = () => {};
      context.watchCommands(({ values }) => {
        queue.push(checkDescription(updateCommand, values));
        wake();
      });
      context.stopped.addEventListener("abort", () => wake());
      if (options.parameters.update.mode === "transaction") await updates.recover();
      while (!context.stopped.aborted) {
        const spec = queue.shift();
        if (spec !== undefined) await updates.update(spec);
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}

/** One incarnation. */
class Updates {
  readonly #writer: SwitchWriter;
  readonly #targets = new Map<string, Target>();

  constructor(
    readonly options: UpdateControllerOptions,
    readonly context: ControllerContext,
  ) {
    this.#writer = new SwitchWriter(context);
  }

  /** Finishes or rolls back an update of an earlier controller. */
  async recover(): Promise<void> {
    if (this.context.incarnation === 1) return;
    const { states, version, specs, pending } = await this.#survey();
    const { log } = this.context;
    if (pending === undefined) {
      // Switches that have lost their state get it back.
      await this.#writer.bring(this.#states(specs));
      log("no update is in progress");
      return;
    }
    const from = states.some((state) => state.version === pending);
    if (!from && this.options.parameters.update.interrupted === "take_back") {
      log(`the update to version ${pending} is rolled back: no host has changed`);
      const present = specs[version];
      await this.#writer.bring(this.#states([present, present]));
      await this.#ask({ op: "close" });
      log(`version ${version} stays`);
      return;
    }
    log(`the update to version ${pending} continues${from ? "" : ", no host has changed"}`);
    if (states.every((state) => state.version === pending && state.waiting === 0))
      await this.#retire(pending, specs[pending]);
    else await this.#transact(pending, specs[pending], specs[(1 - pending) as Version]);
  }

  async update(spec: UpdateSpec): Promise<void> {
    const { version, specs, states } = await this.#survey();
    this.#logLate(states);
    if (this.options.parameters.update.mode === "plain") await this.#plainly(spec);
    else await this.#transact((1 - version) as Version, spec, specs[version]);
  }

  async #transact(to: Version, spec: UpdateSpec, old: UpdateSpec): Promise<void> {
    const { context, options } = this;
    const target = this.#target(spec);
    await this.#ask({ op: "announce", to, spec });
    context.log(`update to version ${to}: announced to ${context.hosts.length} hosts`);
    const updates = await this.#writer.bring(this.#states(to === 0 ? [spec, old] : [old, spec]));
    context.log(`prepared: ${updates} updates on ${context.switches.length} switches`);
    const { topology, layout } = options;
    const comparison = new TargetComparison(topology, layout, this.#target(old), target);
    await this.#ask(({ name, index }) => ({
      op: "commit",
      to,
      rules: rulesOf(target, name),
      moved: comparison.of(index),
    }));
    context.log(`committed: ${context.hosts.length} hosts have version ${to}`);
    const { patience } = options.parameters.update;
    const limit = context.clock.now() + patience;
    for (;;) {
      const waiting = (await this.#ask({ op: "state" })).reduce((sum, state) => sum + state.waiting, 0);
      if (waiting === 0) break;
      if (context.clock.now() >= limit) {
        context.log(`${waiting} flows still have version ${1 - to} and change now`);
        await this.#ask({ op: "hurry" });
        break;
      }
      await context.clock.sleep(POLL_NS);
    }
    await this.#retire(to, spec);
  }

  async #retire(to: Version, spec: UpdateSpec): Promise<void> {
    const { context, options } = this;
    context.log(`no flow has version ${1 - to}`);
    await context.clock.sleep(options.parameters.update.drain);
    const updates = await this.#writer.bring(this.#states([spec, spec]));
    context.log(`retired version ${1 - to}: ${updates} updates`);
    this.#logLate(await this.#ask({ op: "close" }));
    context.log(`update to version ${to} has ended`);
  }

  /** In place and switch by switch, then the hosts: what the paper compares with. */
  async #plainly(spec: UpdateSpec): Promise<void> {
    const target = this.#target(spec);
    const { context } = this;
    context.log(`plain update of ${context.switches.length} switches`);
    const updates = await this.#writer.bringOneByOne(this.#states([spec, spec]));
    await this.#ask(({ name }) => ({ op: "replace", spec, rules: rulesOf(target, name) }));
    context.log(`plain update has ended: ${updates} updates`);
    await context.clock.sleep(this.options.parameters.update.drain);
    this.#logLate(await this.#ask({ op: "state" }));
  }

  /** Logs segments that arrived below the highest before them: out of order, or retransmitted after a loss. */
  #logLate(states: readonly HostState[]): void {
    const late = states.reduce((sum, state) => sum + state.late, 0);
    const furthest = Math.max(...states.map(({ furthest_bytes }) => furthest_bytes));
    this.context.log(
      `${late} segments arrived late so far${late === 0 ? "" : `, by up to ${furthest} bytes`}`,
    );
  }

  async #survey() {
    const states = await this.#ask({ op: "state" });
    const announced = states.find(({ pending }) => pending !== null);
    const pending = announced?.pending ?? undefined;
    // Before a commit all hosts agree on a version; after it, the hosts with the new version have its target.
    const committed = states.find((state) => state.version === pending);
    const { version, specs } = committed ?? announced ?? states[0]!;
    return { states, version, specs, pending };
  }

  /** Asks all hosts, several at the same time. */
  async #ask(question: HostRequest | ((host: TopologyNode) => HostRequest)): Promise<HostState[]> {
    const { hosts } = this.context;
    const answers: HostState[] = [];
    for (let first = 0; first < hosts.length; first += HOSTS_AT_ONCE) {
      const asked = hosts.slice(first, first + HOSTS_AT_ONCE).map(async (host) => {
        const message = typeof question === "function" ? question(host.node) : question;
        return checkDescription(hostState, await host.ask(asJson(message)));
      });
      answers.push(...(await Promise.all(asked)));
    }
    return answers;
  }

  #target(spec: UpdateSpec): Target {
    const key = JSON.stringify(spec);
    let target = this.#targets.get(key);
    if (target === undefined) {
      const { topology, parameters, layout } = this.options;
      this.#targets.set(key, (target = targetOf(topology, parameters, layout, spec)));
    }
    return target;
  }

  #states([zero, one]: readonly [UpdateSpec, UpdateSpec]): SwitchStates {
    const { layout, seedOf } = this.options;
    return new SwitchStates([this.#target(zero), this.#target(one)], layout, seedOf);
  }
}

function rulesOf({ rules, nics }: Target, host: string): PecmpHosts {
  const own = nics[host];
  return own === undefined ? rules : { ...rules, nics: own };
}

/** Whether the selector has a version bit that switches read. */
export function hasVersions(layout: SelectorLayout): boolean {
  return versionBitOf(layout, "tor") !== undefined;
}
