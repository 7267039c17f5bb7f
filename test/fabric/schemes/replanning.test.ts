/** New plans for links that go down and come up: what stays keeps its ids, and what comes back is as it was. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { schemeNamed } from "../../../src/fabric/schemes/index.js";
import {
  buildTopology,
  type Topology,
  topologySchema,
  withLinksDown,
} from "../../../src/fabric/topology/index.js";
import { difference, type Entity, entityKey, type Update } from "../../../src/toolchain/device/index.js";

const topology: Topology = buildTopology(
  topologySchema.parse({
    kind: "clos",
    pods: 2,
    tors_per_pod: 4,
    leaves_per_pod: 2,
    spines_per_plane: 3,
  }),
);

const PARAMETERS: readonly [label: string, scheme: string, parameters: object][] = [
  ["ecmp", "ecmp", {}],
  ["prr", "prr", {}],
  ["conga", "conga", {}],
  ["wcmp", "wcmp", {}],
  ["wcmp with small groups", "wcmp", { group_members: 6 }],
  ["pecmp", "pecmp", {}],
  ["pecmp, control: both", "pecmp", { control: "both", field: "vlan" }],
  ["multiroute", "multiroute", {}],
  ["pecmp with weights", "pecmp", { weights: [["leaf0-0", "spine0-0", 2]] }],
];

const inserted = (updates: readonly Update[]): Entity[] =>
  updates.flatMap(({ type, entity }) => (type === "insert" ? [entity] : []));

/** Every object that an entity refers to is there. */
function expectWhole(entities: readonly Entity[]): void {
  const keys = new Set(entities.map(entityKey));
  expect(keys.size).toBe(entities.length);
  const members = new Set<string>();
  const groups = new Set<number>();
  for (const entity of entities) {
    if (entity.kind === "member") members.add(`${entity.profile} ${entity.memberId}`);
    if (entity.kind === "group") groups.add(entity.groupId);
  }
  for (const entity of entities) {
    if (entity.kind === "group")
      for (const { memberId } of entity.members)
        expect(members.has(`${entity.profile} ${memberId}`)).toBe(true);
    if (entity.kind === "tableEntry" && entity.action?.kind === "group")
      expect(groups.has(entity.action.groupId)).toBe(true);
  }
}

describe.each(PARAMETERS)("%s", (_, name, given) => {
  const planned = () => {
    const scheme = schemeNamed(name)!;
    const plan = scheme.plan(topology, scheme.parameters.parse(given));
    return { plan, ...plan.replanning! };
  };
  const steps = fc.array(fc.uniqueArray(fc.nat(topology.links.length - 1), { maxLength: 5 }), {
    minLength: 1,
    maxLength: 4,
  });

  it("changes no group in use, whatever goes down, and returns to the first plan", () => {
    const { plan, planner } = planned();
    fc.assert(
      fc.property(steps, (downs) => {
        const own = planner();
        const state = new Map(plan.switches.map(({ node, updates }) => [node, inserted(updates)]));
        for (const [node, entities] of state) own.learn(node, entities);
        const go = (links: readonly number[]) => {
          for (const { node, updates } of own.plan(withLinksDown(topology, links))) {
            const next = inserted(updates);
            expectWhole(next);
            const changed = difference(state.get(node)!, next).filter(({ type }) => type === "modify");
            for (const { entity } of changed)
              expect(entity).toMatchObject({
                kind: "tableEntry",
                table: expect.stringMatching(/ipv[46]_routes$/) as unknown,
              });
            state.set(node, next);
          }
        };
        for (const links of downs) go(links);
        go([]);
        for (const { node, updates } of plan.switches)
          expect(difference(state.get(node)!, inserted(updates))).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  it("continues from the state of a switch, although another planner made it", () => {
    const { plan, planner } = planned();
    fc.assert(
      fc.property(steps, (downs) => {
        const first = planner();
        for (const { node, updates } of plan.switches) first.learn(node, inserted(updates));
        for (const links of downs.slice(0, -1)) first.plan(withLinksDown(topology, links));
        const last = withLinksDown(topology, downs.at(-1)!);
        const there = first.plan(last);
        const second = planner();
        for (const { node, updates } of there) second.learn(node, inserted(updates));
        for (const { node, updates } of second.plan(last)) {
          const before = there.find((one) => one.node === node)!;
          expect(difference(inserted(before.updates), inserted(updates))).toEqual([]);
        }
      }),
      { numRuns: 25 },
    );
  });

  it("has programs with room for two plans", () => {
    const { plan, programs } = planned();
    const sizes = (program: (typeof programs)[number]) =>
      (program.values as { sizes: Record<string, number> }).sizes;
    for (const [i, program] of plan.programs.entries()) {
      const larger = programs[i]!;
      expect(larger.name).toBe(program.name);
      for (const [key, size] of Object.entries(sizes(program)))
        expect(sizes(larger)[key]).toBeGreaterThanOrEqual(size);
    }
  });
});
