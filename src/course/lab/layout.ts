/**
 * Where to draw the nodes of a network. A network with tiers is drawn in rows, hosts at the bottom. Others are placed by stress
 * majorization (Gansner, Koren, North: "Graph Drawing by Stress Majorization", 2004): distances on the page follow
 * the numbers of links between nodes. No randomness: the same network gives the same picture.
 */
import type { LabPlan } from "./project.js";

interface Place {
  readonly x: number;
  readonly y: number;
}

const ROUNDS = 300;
const MARGIN = 0.06;

/** Places of all nodes by name, 0 to 1 from the left and from the top. */
export function layOut(plan: LabPlan): Map<string, Place> {
  const isTiered = plan.switches.length > 1 && plan.switches.every(({ tier }) => tier !== undefined);
  return isTiered ? inRows(plan) : byDistance(plan);
}

function inRows({ hosts, switches }: LabPlan): Map<string, Place> {
  const tiers = [...new Set(switches.map(({ tier }) => tier!))].sort((a, b) => b - a);
  const rows = tiers.map((tier) => switches.filter((one) => one.tier === tier).map(({ name }) => name));
  if (hosts.length > 0) rows.push(hosts.map(({ name }) => name));
  const places = new Map<string, Place>();
  for (const [row, names] of rows.entries())
    for (const [i, name] of names.entries())
      places.set(name, { x: (i + 0.5) / names.length, y: (row + 0.5) / rows.length });
  return places;
}

function byDistance(plan: LabPlan): Map<string, Place> {
  const names = [...plan.switches, ...plan.hosts].map(({ name }) => name);
  const distances = distancesOf(plan, names);
  const n = names.length;
  // start positions: on two circles, in the order of the file, switches on the inner one
  const switches = plan.switches.length;
  const points = names.map((_, i) => {
    const [at, of, radius] = i < switches ? [i, switches, 1] : [i - switches, n - switches, 2];
    const angle = (2 * Math.PI * at) / of - Math.PI / 2 + 0.1;
    return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
  });
  for (let round = 0; round < ROUNDS; round++)
    for (let i = 0; i < n; i++) {
      let [x, y, weights] = [0, 0, 0];
      for (let j = 0; j < n; j++) {
        const targetDistance = distances[i]![j]!;
        if (i === j) continue;
        const weight = 1 / (targetDistance * targetDistance);
        const [dx, dy] = [points[i]!.x - points[j]!.x, points[i]!.y - points[j]!.y];
        const apart = Math.max(Math.hypot(dx, dy), 1e-9);
        x += weight * (points[j]!.x + (targetDistance * dx) / apart);
        y += weight * (points[j]!.y + (targetDistance * dy) / apart);
        weights += weight;
      }
      if (weights > 0) points[i] = { x: x / weights, y: y / weights };
    }
  return new Map(names.map((name, i) => [name, scaled(points, i)]));
}

function scaled(points: readonly Place[], i: number): Place {
  const within = (key: "x" | "y"): number => {
    const values = points.map((point) => point[key]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    if (high - low < 1e-6) return 0.5;
    const share = (points[i]![key] - low) / (high - low);
    return Number((MARGIN + share * (1 - 2 * MARGIN)).toFixed(4));
  };
  return { x: within("x"), y: within("y") };
}

/** Number of links between each two nodes; for nodes that are not connected, one more than the largest such number. */
function distancesOf({ links }: LabPlan, names: readonly string[]): number[][] {
  const index = new Map(names.map((name, i) => [name, i]));
  const peers: number[][] = names.map(() => []);
  for (const { a, b } of links) {
    const [i, j] = [index.get(a.node)!, index.get(b.node)!];
    peers[i]!.push(j);
    peers[j]!.push(i);
  }
  const rows = names.map((_, start) => {
    const row = new Array<number>(names.length).fill(Number.POSITIVE_INFINITY);
    row[start] = 0;
    for (const queue = [start]; queue.length > 0; ) {
      const at = queue.shift()!;
      for (const peer of peers[at]!) {
        if (row[peer] !== Number.POSITIVE_INFINITY) continue;
        row[peer] = row[at]! + 1;
        queue.push(peer);
      }
    }
    return row;
  });
  const longest = Math.max(1, ...rows.flat().filter(Number.isFinite));
  return rows.map((row) => row.map((distance) => (Number.isFinite(distance) ? distance : longest + 1)));
}
