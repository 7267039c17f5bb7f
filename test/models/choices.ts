/**
 * Chains of hashed choices, by enumeration of all values of the functions (Xu et al., sections 2.3, 3 and 4). A function
 * has values 0 to `values` - 1, all equally likely and independent of those of other functions. Two places with the same
 * function see the same value of a flow. A flow's path is followed from switch to switch; the load of a port is a count.
 */

interface Choice {
  /** The place's function: places with one name have one value a flow. */
  readonly function: string;
  /** Entry of the group for value modulo the number of entries; the entry is the port. */
  readonly entries: readonly number[];
}

export interface ChoiceNetwork {
  readonly values: Readonly<Record<string, number>>;
  /** The choice that a switch has for flows; undefined where they end. */
  readonly choiceAt: (node: string) => Choice | undefined;
  readonly next: (node: string, port: number) => string;
}

/** Counts by switch and port, all combinations of values from each of the starts; ports with no flow count 0. */
function loads(network: ChoiceNetwork, starts: readonly string[]): Map<string, Map<number, number>> {
  const names = Object.keys(network.values);
  const loads = new Map<string, Map<number, number>>();
  const follow = (start: string, value: Readonly<Record<string, number>>): void => {
    let node = start;
    for (let hops = 0; ; hops++) {
      if (hops > 100) throw new Error("a path of more than 100 choices");
      const choice = network.choiceAt(node);
      if (choice === undefined) return;
      const ports = loads.get(node) ?? new Map(choice.entries.map((port) => [port, 0]));
      loads.set(node, ports);
      const port = choice.entries[value[choice.function]! % choice.entries.length]!;
      ports.set(port, ports.get(port)! + 1);
      node = network.next(node, port);
    }
  };
  const combine = (index: number, value: Record<string, number>): void => {
    if (index === names.length) for (const start of starts) follow(start, value);
    else
      for (let drawn = 0; drawn < network.values[names[index]!]!; drawn++)
        combine(index + 1, { ...value, [names[index]!]: drawn });
  };
  combine(0, {});
  return loads;
}

/** The coefficient of variation of loads (section 5.1): standard deviation of the whole set over its mean. */
export function variation(all: readonly number[], weights: readonly number[] = all.map(() => 1)): number {
  const scaled = all.map((value, index) => value / weights[index]!);
  const mean = scaled.reduce((a, b) => a + b, 0) / scaled.length;
  return Math.sqrt(scaled.reduce((total, value) => total + (value - mean) ** 2, 0) / scaled.length) / mean;
}

/** The variation of each switch's ports. */
export const variations = (network: ChoiceNetwork, starts: readonly string[]): Map<string, number> =>
  new Map([...loads(network, starts)].map(([node, ports]) => [node, variation([...ports.values()])]));

/** CV of `ports` ports when only `used` of them get load, in equal parts: sqrt(ports / used - 1). */
export const polarised = (ports: number, used: number): number => Math.sqrt(ports / used - 1);
