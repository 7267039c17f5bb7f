/** Exact allocations by linear programs (HiGHS), for small cases. */

interface Solution {
  readonly Status: string;
  readonly ObjectiveValue: number;
  readonly Columns: Readonly<Record<string, { readonly Primal: number }>>;
}

interface Solver {
  solve(text: string, options?: object): Solution;
}

let solver: Promise<Solver> | undefined;

async function solve(text: string): Promise<Solution> {
  solver ??= import("highs").then((module) =>
    (module as unknown as { default: () => Promise<Solver> }).default(),
  );
  const solution = (await solver).solve(text, {});
  if (solution.Status !== "Optimal") throw new Error(`${solution.Status}: ${text}`);
  return solution;
}

const sum = (names: readonly string[]) => names.map((name) => `+ ${name}`).join(" ");

/** Resources of a flow, its weight, and the most that a unit of weight can get. */
export interface LpFlow {
  readonly path: readonly number[];
  readonly weight: number;
  readonly limit: number;
}

/**
 * Max-min fair rates of a unit of weight by the definition: a linear program finds the highest level that all flows can have together;
 * flows that cannot have more while all others have at least it (another program each) are fixed there; and so on.
 */
export async function maxMinByPrograms(
  flows: readonly LpFlow[],
  capacity: readonly number[],
): Promise<number[]> {
  const fixed: (number | undefined)[] = flows.map(() => undefined);
  const rows = (level: string) => [
    ...capacity.flatMap((most, resource) => {
      const own = flows.flatMap(({ path, weight }, i) =>
        path.includes(resource) ? [`${weight} x${i}`] : [],
      );
      return own.length === 0 ? [] : [`c${resource}: ${sum(own)} <= ${most}`];
    }),
    ...flows.flatMap(({ limit }, i) => [
      ...(Number.isFinite(limit) ? [`l${i}: x${i} <= ${limit}`] : []),
      fixed[i] === undefined ? `t${i}: x${i}${level}` : `f${i}: x${i} = ${fixed[i]}`,
    ]),
  ];
  while (fixed.includes(undefined)) {
    const top = await solve(`Maximize\n t\nSubject To\n ${rows(" - t >= 0").join("\n ")}\nEnd\n`);
    const level = top.ObjectiveValue;
    let any = false;
    for (const i of fixed.keys()) {
      if (fixed[i] !== undefined) continue;
      const best = await solve(
        `Maximize\n x${i}\nSubject To\n ${rows(` >= ${level * (1 - 1e-9)}`).join("\n ")}\nEnd\n`,
      );
      if (best.ObjectiveValue > level * (1 + 1e-6)) continue;
      fixed[i] = level;
      any = true;
    }
    if (!any) throw new Error("no flow is at the level");
  }
  return fixed as number[];
}

/** Traffic from one switch to another, at most `demand`. */
export interface Commodity {
  readonly from: number;
  readonly to: number;
  readonly demand: number;
}

/** Directed edges between switches, with capacities. */
export interface Edge {
  readonly a: number;
  readonly b: number;
  readonly capacity: number;
}

/**
 * The maximum multi-commodity flow: the most that all commodities can send together, split as they like. `allowed`: whether a commodity
 * may use an edge; without it, any.
 */
export async function maximumFlow(
  switches: number,
  edges: readonly Edge[],
  commodities: readonly Commodity[],
  allowed: (commodity: Commodity, edge: Edge) => boolean = () => true,
): Promise<number> {
  const rows: string[] = [];
  const used = commodities.map((commodity) => edges.map((edge) => allowed(commodity, edge)));
  for (const [k, { from, to, demand }] of commodities.entries()) {
    for (let own = 0; own < switches; own++) {
      if (own === to) continue;
      const out = edges.flatMap(({ a }, e) => (a === own && used[k]![e] ? [`+ f${k}_${e}`] : []));
      const into = edges.flatMap(({ b }, e) => (b === own && used[k]![e] ? [`- f${k}_${e}`] : []));
      const source = own === from ? [`- d${k}`] : [];
      const terms = [...out, ...into, ...source];
      if (terms.length > 0) rows.push(`n${k}_${own}: ${terms.join(" ")} = 0`);
    }
    rows.push(`d: d${k} <= ${demand}`.replace("d:", `m${k}:`));
  }
  for (const [e, { capacity }] of edges.entries()) {
    const own = commodities.flatMap((_, k) => (used[k]![e] ? [`f${k}_${e}`] : []));
    if (own.length > 0) rows.push(`e${e}: ${sum(own)} <= ${capacity}`);
  }
  const { ObjectiveValue } = await solve(
    `Maximize\n ${sum(commodities.map((_, k) => `d${k}`))}\nSubject To\n ${rows.join("\n ")}\nEnd\n`,
  );
  return ObjectiveValue;
}
