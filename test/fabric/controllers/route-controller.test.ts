/** The controller that recomputes routes: whatever goes down, ends or is killed, the switches have the right plan afterwards. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../src/base/index.js";
import { ControllerHost, ROUTE_CONTROLLER, routeController } from "../../../src/fabric/controllers/index.js";
import { schemeNamed } from "../../../src/fabric/schemes/index.js";
import { ControlChannel, controlClock, Simulation, settle } from "../../../src/fabric/sim/packet/index.js";
import {
  buildTopology,
  switchesOf,
  type Topology,
  topologySchema,
  withLinksDown,
} from "../../../src/fabric/topology/index.js";
import {
  type Device,
  DeviceError,
  difference,
  type Entity,
  entityKey,
  type Update,
} from "../../../src/toolchain/device/index.js";
import { MS, NotingSwitch } from "./bench.js";
import { NO_HOST } from "./no-hosts.js";

const topology: Topology = buildTopology(
  topologySchema.parse({
    kind: "clos",
    pods: 2,
    tors_per_pod: 2,
    leaves_per_pod: 2,
    spines_per_plane: 2,
    homing: "single",
  }),
);
const fabricLinks = topology.links.filter(({ a, b }) =>
  [a, b].every(({ node }) => topology.nodes[node]!.role !== "host"),
);
const switches = switchesOf(topology);

/** Keeps entities, and refuses what a switch refuses: a second insert, a group without its members, a member in use. */
class KeepingSwitch extends NotingSwitch {
  readonly entities = new Map<string, Entity>();

  override async write(updates: readonly Update[]): Promise<void> {
    for (const { type, entity } of updates) {
      const key = entityKey(entity);
      if (entity.kind === "tableEntry" && entity.isDefault) continue;
      if ((type === "insert") === this.entities.has(key))
        throw new DeviceError(type === "insert" ? "ALREADY_EXISTS" : "NOT_FOUND", key);
      if (type === "delete") this.entities.delete(key);
      else this.entities.set(key, entity);
      this.#check();
    }
  }

  override async read(): Promise<Entity[]> {
    return [...this.entities.values()];
  }

  #check(): void {
    const has = (key: string, user: Entity) => {
      if (!this.entities.has(key))
        throw new DeviceError("FAILED_PRECONDITION", `${key} is used by ${entityKey(user)}`);
    };
    for (const entity of this.entities.values()) {
      if (entity.kind === "group")
        for (const { memberId } of entity.members) has(`member ${entity.profile} ${memberId}`, entity);
      if (entity.kind === "tableEntry" && entity.action?.kind === "group")
        has(`group ${profileOf(entity.table)} ${entity.action.groupId}`, entity);
    }
  }
}

/** The profile of a table of groups: `up_groups` and `up_matrix` have `up_members`. */
const profileOf = (table: string) => table.replace(/_(groups|matrix)$/, "_members");

const eventArbitrary = fc.record({
  /** Milliseconds. */
  at: fc.integer({ min: 1, max: 300 }),
  what: fc.constantFrom("link", "link", "link", "controller", "switch"),
  which: fc.nat(1000),
});

describe.each(["ecmp", "pecmp"])("routes of %s", (name) => {
  const scheme = schemeNamed(name)!;
  const plan = scheme.plan(topology, scheme.parameters.parse({}));
  const { planner } = plan.replanning!;
  const stateOf = (node: number) => plan.switches.find((own) => own.node === node)!.updates;

  it("are those of the links that are up, after any sequence of faults", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(eventArbitrary, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 0, max: 3 * MS }),
        fc.integer({ min: 0, max: 20_000 }),
        async (events, delay, processing) => {
          const simulation = new Simulation({ turn: () => new Promise((done) => setImmediate(done)) });
          const made = new Map(switches.map((node) => [node.index, new KeepingSwitch(node.name, () => {})]));
          const channels = new Map(
            [...made].map(([node, one]) => [
              node,
              new ControlChannel(simulation, one as Device, { delay, processing }, one),
            ]),
          );
          for (const [node, one] of made) await one.write(stateOf(node));
          const failures: string[] = [];
          const host = new ControllerHost(
            [
              {
                name: ROUTE_CONTROLLER,
                switches: switches.map(({ index }) => index),
                controller: routeController({ planner, planned: plan.switches, detectionNs: 5 * MS }),
              },
            ],
            {
              topology,
              clock: controlClock(simulation),
              hostSession: () => NO_HOST,
              session: (node) => {
                const device = channels.get(node)!;
                return { device, watchState: (listener) => device.watchState(listener) };
              },
              random: new Random(1),
              log: () => {},
              failed: (error) => void failures.push(error.message),
            },
          );
          void host.startAll();
          const down = new Set<number>();
          const dead = new Set<number>();
          let killed = false;
          for (const { at, what, which } of events) {
            simulation.at(at * MS, () => {
              if (what === "controller") {
                if (killed) void host.restart(ROUTE_CONTROLLER);
                else host.kill(ROUTE_CONTROLLER);
                killed = !killed;
              } else if (what === "switch") {
                const { index } = switches[which % switches.length]!;
                if (dead.delete(index)) {
                  const own = made.get(index)!;
                  own.entities.clear();
                  void own.write(stateOf(index)).then(() => channels.get(index)!.connect());
                  simulation.letPromisesRun();
                } else {
                  dead.add(index);
                  channels.get(index)!.disconnect();
                }
              } else {
                const link = fabricLinks[which % fabricLinks.length]!;
                const up = down.delete(link.index);
                if (!up) down.add(link.index);
                for (const { node, port } of [link.a, link.b]) made.get(node)!.port(port, up);
              }
            });
          }
          await simulation.runAsync(400 * MS);
          if (killed) void host.restart(ROUTE_CONTROLLER);
          await simulation.runAsync(800 * MS);
          expect(failures).toEqual([]);
          const fresh = planner();
          for (const [node, one] of made) fresh.learn(node, await one.read());
          // A link between two switches that do not run is not reported.
          const told = [...down].filter((index) => {
            const { a, b } = topology.links[index]!;
            return !dead.has(a.node) || !dead.has(b.node);
          });
          for (const { node, updates } of fresh.plan(withLinksDown(topology, told))) {
            if (dead.has(node)) continue;
            const wanted = updates.flatMap(({ type, entity }) => (type === "insert" ? [entity] : []));
            expect(difference(await made.get(node)!.read(), wanted)).toEqual([]);
          }
          expect(await settle(simulation, host.stop(ROUTE_CONTROLLER))).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });
});
