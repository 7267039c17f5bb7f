import type { Point } from "./scene.js";

const DIRECTIONS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/**
 * The element to which an arrow key moves the focus from `key`: the nearest one within 45 degrees of the direction, where the
 * distance to the side counts double. `undefined`: the key is not an arrow key, or there is no such element.
 */
export function neighbour(
  places: ReadonlyMap<string, Point>,
  key: string,
  pressed: string,
): string | undefined {
  const direction = DIRECTIONS[pressed];
  const from = places.get(key);
  if (direction === undefined || from === undefined) return undefined;
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const [other, { x, y }] of places) {
    const along = (x - from.x) * direction.x + (y - from.y) * direction.y;
    const aside = Math.abs((x - from.x) * direction.y - (y - from.y) * direction.x);
    if (other === key || along <= 0 || aside > along * 1.2) continue;
    const distance = along + 2 * aside;
    if (distance < least) {
      least = distance;
      best = other;
    }
  }
  return best;
}
