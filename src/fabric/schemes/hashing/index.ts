/**
 * Hash functions of fixed-function chips, assigned to switches so that no two choices on a path depend on each other ("Hashing Design in
 * Modern Networks", ATC 2022): by stage, by ingress port, with colour recombining, and with groups of coprime sizes.
 *
 * Read `parameters.ts` (the designs), `functions.ts` (the functions of a chip), `routing.ts` (classes of packets), `assign.ts` (the
 * function of each switch), `groups.ts` (slots), `switch-state.ts` (tables).
 */

import { z } from "zod";
import { given, type Locate } from "../../../base/index.js";
import { checkValues, NO_SELECTOR, type ProgramPlan } from "../../../toolchain/generate/index.js";
import type { CrcParameters } from "../../../toolchain/hash/index.js";
import { nodeAt, switchesOf, type Topology } from "../../topology/index.js";
import { NEVER_LEAVES } from "../closed-form.js";
import { tableSize } from "../fabric.js";
import { fixedHosts } from "../fixed-hosts.js";
import type { FabricPlan, Scheme, SwitchSetting } from "../scheme.js";
import { assign } from "./assign.js";
import type { Assignment } from "./assignment.js";
import { customCrc, statementsOf } from "./functions.js";
import { checkChip, floorNote, hashAssignment } from "./hash-assignment.js";
import { type HashingParameters, hashingParameters } from "./parameters.js";
import { hashingPaths } from "./path-model.js";
import { type ClassedSwitch, routeSwitches } from "./routing.js";
import { type SwitchTables, switchState, tablesOf } from "./switch-state.js";

// The values of the template `templates/hashing/switch.p4.hbs`.

const schema = z.strictObject({
  role: z.string(),
  /** The functions that the switches of the role use, with the P4 statements that set `meta.hash_value`. */
  functions: z.array(z.strictObject({ name: z.string(), statements: z.array(z.string()) })).min(1),
  /** Routes and groups depend on where packets come from. */
  classed: z.boolean(),
  /** Entries of the tables of sources; 0: there are none. */
  sources: z.number().int().min(0),
  routes: z.number().int().min(1),
  groups: z.number().int().min(1),
  members: z.number().int().min(1),
});

const TEMPLATE = "hashing/switch";

/** A program to render. Throws DiagnosticError P42004 for values of another shape. */
export function hashingProgram(name: string, input: z.output<typeof schema>): ProgramPlan {
  const program = checkValues(TEMPLATE, schema, input);
  const values = {
    ...program,
    usesFolds: program.functions.some(({ statements }) =>
      statements.some((line) => line.includes("meta.fold")),
    ),
    hashLines: hashLines(program.functions),
    families: ["ipv4", "ipv6"],
    directions: [],
    sizes: { routes: program.routes },
    routeActions: ["to_port", "to_group"],
    routeKeys: program.classed ? ["meta.arrival"] : [],
    selector: { ...NO_SELECTOR, hashed: false },
  };
  return { name, template: TEMPLATE, values };
}

/** The statements of all functions; the last function has no condition of its own. */
function hashLines(functions: z.output<typeof schema>["functions"]): string[] {
  const lines = functions.map(({ name, statements }) => [`// ${name}`, ...statements]);
  if (lines.length === 1) return lines[0]!;
  return [
    ...lines.flatMap((own, i) => {
      const condition = i === lines.length - 1 ? "{" : `if (meta.function == ${i}) {`;
      return [i === 0 ? condition : `} else ${condition}`, ...own.map((line) => `    ${line}`)];
    }),
    "}",
  ];
}

export const hashing: Scheme<HashingParameters> = {
  name: "hashing",
  title: "Hashing design",
  summary:
    "hash functions by stage or ingress port, colour recombining, coprime groups (ATC 2022); hosts never re-path",
  parameters: hashingParameters,
  plan: planHashing,
  hosts: fixedHosts,
  hashAssignment,
};

function planHashing(
  topology: Topology,
  parameters: HashingParameters,
  locate: Locate = () => undefined,
): FabricPlan {
  const switches = routeSwitches(topology, parameters.routing, parameters.k, locate);
  const assignment = assign(topology, switches, parameters, locate);
  for (const own of switches) checkChip(topology, own, assignment, parameters, locate);
  let made: FabricState | undefined;
  const state = () => {
    made ??= fabricState(topology, switches, assignment, parameters);
    return made;
  };
  return {
    scheme: "hashing",
    field: "dscp",
    get programs() {
      return state().programs;
    },
    get switches() {
      return state().switches;
    },
    pathModel: () => hashingPaths(switches, assignment, parameters),
    hosts: { kind: "fixed", selector: 0 },
    repaths: false,
    closedForm: NEVER_LEAVES,
    get notes() {
      const floor =
        parameters.design === "coprime"
          ? floorNote(hashingPaths(switches, assignment, parameters))
          : undefined;
      return [noteOf(assignment, parameters), ...(floor === undefined ? [] : [floor])];
    },
  };
}

function noteOf({ used, functions }: Assignment, { design }: HashingParameters): string {
  return `Design ${design}: ${used} of the chip's ${functions.length} hash functions are in use.`;
}

type FabricState = Pick<FabricPlan, "programs" | "switches">;

/** The parameters of custom CRCs, numbered separately for each width. */
function crcSettings(crcs: readonly CrcParameters[]): SwitchSetting[] {
  const counts = { 16: 0, 32: 0 };
  return crcs.map(({ width, poly, init, xorout, refin, refout }): SwitchSetting => {
    const own = width as 16 | 32;
    const parameters = {
      polynomial: BigInt(poly),
      initial: BigInt(init),
      finalXor: BigInt(xorout),
      reflectData: refin,
      reflectRemainder: refout,
    };
    return { kind: "crc", calculation: counts[own]++, width: own, parameters };
  });
}

/** Programs by role, with the functions that its switches use, and the tables of all switches. */
function fabricState(
  topology: Topology,
  switches: readonly ClassedSwitch[],
  assignment: Assignment,
  parameters: HashingParameters,
): FabricState {
  const tables = switches.map((own) => tablesOf(topology, own, assignment, parameters));
  const roleOf = ({ own }: SwitchTables) => nodeAt(topology, own.node).role;
  const roles = [...new Set(switchesOf(topology).map(({ role }) => role))];
  const used = new Map(
    roles.map((role) => {
      const own = tables.filter((table) => roleOf(table) === role);
      const numbers = own.flatMap(({ own: { node, portKind } }) =>
        [...new Set(portKind.subarray(1))].map((kind) => assignment.settingOf(node, kind).function),
      );
      return [role, [...new Set(numbers)].sort((a, b) => a - b)] as const;
    }),
  );
  const programs = roles.map((role) => {
    const own = tables.filter((table) => roleOf(table) === role);
    const most = (count: (table: SwitchTables) => number) => tableSize(Math.max(...own.map(count)));
    return hashingProgram(role, {
      role: role === "switch" ? "fabric" : role,
      functions: used.get(role)!.map((index) => {
        const { name } = assignment.functions[index]!;
        return { name, statements: statementsOf(assignment.functions[index]!) };
      }),
      classed: own.some(({ own: { plain } }) => !plain),
      sources: own.some(({ own: { sourceOf } }) => sourceOf !== undefined)
        ? tableSize(topology.racks.length)
        : 0,
      routes: most(({ routes }) => routes.length),
      groups: most(({ groups }) => groups.length),
      members: most(({ groups }) => groups.reduce((sum, slots) => sum + slots.length, 0)),
    });
  });
  return {
    programs,
    switches: tables.map((table) => {
      const role = roleOf(table);
      const functions = used.get(role)!;
      const crcs = crcSettings(functions.flatMap((index) => customCrc(assignment.functions[index]!) ?? []));
      return {
        node: table.own.node,
        program: role,
        ...given({ settings: crcs.length === 0 ? undefined : crcs }),
        get updates() {
          return switchState(topology, table, assignment, (index) => functions.indexOf(index));
        },
      };
    }),
  };
}
