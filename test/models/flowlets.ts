/**
 * Flowlets (Vanini et al., LetFlow, NSDI 2017, section 3): a packet that comes more than the gap after its flow's previous
 * one starts a flowlet, which may take another port; all others keep the port of their flowlet.
 */

export interface Seen {
  readonly at: number;
  readonly flow: string;
}

/** Number of the flowlet, from 0, of each packet: by time stamps. */
export function flowletsByTime(packets: readonly Seen[], gap: number): number[] {
  const last = new Map<string, { at: number; flowlet: number }>();
  return packets.map(({ at, flow }) => {
    const before = last.get(flow);
    const flowlet = before === undefined ? 0 : at - before.at > gap ? before.flowlet + 1 : before.flowlet;
    last.set(flow, { at, flowlet });
    return flowlet;
  });
}

/**
 * The table of the paper: a valid bit and an age bit for each entry. Each `period` ends entries whose age bit is set
 * and sets the age bit of the others; a packet clears it. A gap of less than one period never splits, of two always.
 */
export function flowletsByAge(packets: readonly Seen[], period: number): number[] {
  const entries = new Map<string, { age: boolean; valid: boolean; flowlet: number }>();
  let tick = period;
  return packets.map(({ at, flow }) => {
    for (; tick <= at; tick += period)
      for (const entry of entries.values())
        if (entry.age) entry.valid = false;
        else entry.age = true;
    const entry = entries.get(flow) ?? { age: false, valid: false, flowlet: -1 };
    if (!entry.valid) entry.flowlet++;
    entry.valid = true;
    entry.age = false;
    entries.set(flow, entry);
    return entry.flowlet;
  });
}
