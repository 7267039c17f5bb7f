/** A record as JSON lines, `timelines/NAME.jsonl`: the rows that the page shows, for programs. */
import type { RunRecord } from "./record.js";

/** One JSON object per line; its key `row` gives the kind of row. Times are nanoseconds from the start of the run. */
export function* timelineLines(record: RunRecord): Generator<string> {
  const { nodes, links, binNs } = record;
  const name = (node: number) => nodes[node]!.name;
  const ends = (direction: number) => {
    const { a, b } = links[direction >> 1]!;
    return direction % 2 === 0 ? { from: name(a), to: name(b) } : { from: name(b), to: name(a) };
  };
  const place = ({ node, link }: { readonly node?: number; readonly link?: number }) => ({
    ...(node === undefined ? {} : { node: name(node) }),
    ...(link === undefined ? {} : { link: Object.values(ends(2 * link)) }),
  });
  const { title, scheme, engine, seed, end, bins, notes } = record;
  yield line({ row: "run", title, scheme, engine, seed, end_ns: end, bin_ns: binNs, bins, notes });
  for (const [direction, shares] of record.use.entries())
    if (shares !== undefined)
      yield line({ row: "link", ...ends(direction), utilisation: Array.from(shares, (one) => round(one)) });
  for (const { node, port, direction, bytes } of record.queues ?? []) {
    const { to } = ends(direction);
    yield line({ row: "queue", node: name(node), port, peer: to, max_bytes: Array.from(bytes) });
  }
  for (const flow of record.flows) {
    const { number, from, to, start, end: ended, bytes, timeouts, retransmissions, moves, paths } = flow;
    yield line({
      row: "flow",
      flow: number,
      from: name(from),
      to: name(to),
      start_ns: start,
      end_ns: ended,
      bytes,
      timeouts,
      retransmissions,
      path_changes: moves,
      paths: paths?.map(([at, directions]) => ({
        at_ns: at,
        nodes: [ends(directions[0]!).from, ...directions.map((one) => ends(one).to)],
      })),
    });
  }
  for (const { text, from, to, ...where } of record.faults)
    yield line({ row: "fault", text, from_ns: from, to_ns: to, ...place(where) });
  for (const { at, kind, text, flow, count = 1, ...where } of record.events) {
    const number = flow === undefined ? {} : { flow: record.flows[flow]!.number };
    yield line({ row: "event", at_ns: at, kind, text, ...place(where), ...number, count });
  }
}

function line(row: object): string {
  return `${JSON.stringify(row)}\n`;
}

function round(value: number): number {
  return Number(value.toFixed(4));
}
