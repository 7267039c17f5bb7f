/** A record as the data of its page: short keys, columns, bins as bytes in base64. `pages/timeline/model.js` reads them. */
import { EVENT_KINDS, type RecordedFlow, type RunRecord } from "./record.js";

/** JSON that is safe inside an element of a page. */
export function pageData(record: RunRecord): string {
  const texts = new Map<string, number>();
  const textOf = (text: string) => numberOf(texts, text);
  const data = {
    end: Math.round(record.end),
    binNs: record.binNs,
    bins: record.bins,
    nodes: record.nodes.map(({ name, tier, x, y }) => [name, tier, x, y]),
    links: record.links.map(({ a, b, rateBps }) => [a, b, rateBps]),
    use: record.use.map((shares) => (shares === undefined ? 0 : levels(shares, 1))),
    queues: (record.queues ?? []).map(({ node, port, direction, bytes }) => {
      const most = Math.max(...bytes);
      return [node, port, direction, most, levels(bytes, most)];
    }),
    ...flowColumns(record.flows),
    faults: record.faults.map(({ text, from, to, node, link }) => ({
      text,
      from: Math.round(from),
      to: to === undefined ? null : Math.round(to),
      node: node ?? null,
      link: link ?? null,
    })),
    kinds: EVENT_KINDS,
    events: record.events.map(({ at, kind, text, node = -1, link = -1, flow = -1, count = 1 }) => [
      Math.round(at),
      EVENT_KINDS.indexOf(kind),
      textOf(text),
      node,
      link,
      flow,
      count,
    ]),
    counts: Object.fromEntries(
      Object.entries(record.counts).map(([kind, counts]) => [kind, Array.from(counts)]),
    ),
    // After the events, which fill it.
    texts: [...texts.keys()],
  };
  return JSON.stringify(data).replaceAll("<", "\\u003c");
}

/** Columns; -1 for a missing value. Each path is stored once. */
function flowColumns(flows: readonly RecordedFlow[]) {
  const ways = new Map<string, number>();
  const wayOf = (directions: readonly number[]) => numberOf(ways, directions.join());
  const paths = flows.map((flow) =>
    (flow.paths ?? []).flatMap(([at, directions]) => [Math.round(at), wayOf(directions)]),
  );
  const column = (of: (flow: RecordedFlow) => number | undefined) =>
    flows.map((flow) => Math.round(of(flow) ?? -1));
  const known = (key: "retransmissions" | "moves") =>
    flows.some((flow) => flow[key] !== undefined) ? { [key]: column((flow) => flow[key]) } : {};
  return {
    flows: {
      number: column(({ number }) => number),
      from: column(({ from }) => from),
      to: column(({ to }) => to),
      start: column(({ start }) => start),
      end: column(({ end }) => end),
      bytes: column(({ bytes }) => bytes),
      timeouts: column(({ timeouts }) => timeouts),
      ...known("retransmissions"),
      ...known("moves"),
      paths,
    },
    ways: [...ways.keys()].map((text) => text.split(",").map(Number)),
  };
}

function numberOf(known: Map<string, number>, text: string): number {
  const number = known.get(text) ?? known.size;
  known.set(text, number);
  return number;
}

/** One byte for each bin; 255 stands for `most`. A value above 0 never becomes 0. */
function levels(values: Float64Array, most: number): string {
  const bytes = Buffer.alloc(values.length);
  for (const [i, value] of values.entries())
    bytes[i] = value <= 0 ? 0 : Math.max(1, Math.min(255, Math.round((255 * value) / most)));
  return bytes.toString("base64");
}
