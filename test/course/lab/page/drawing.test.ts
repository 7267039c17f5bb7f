/** The places of nodes and links, the element that an arrow key moves to, and the packet that a click selects. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { neighbour } from "../../../../pages/lab/network/neighbour.js";
import { Layout, packetAt, type SceneLink, type SceneNode } from "../../../../pages/lab/network/scene.js";

const node = (name: string, x: number, y: number): SceneNode => ({ name, kind: "switch", x, y, up: true });
const idle = { load: 0, queue: 0 };
const link = (id: number, from: string, to: string): SceneLink => ({
  ...{ id, from, to, fromPort: "1", toPort: "2", up: true, lanes: [idle, idle] },
});

describe("layout", () => {
  it("keeps every node whole within the drawing", () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    const size = fc.integer({ min: 200, max: 2000 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(unit, unit), { minLength: 1, maxLength: 40 }),
        size,
        size,
        (places, w, h) => {
          const layout = new Layout(
            places.map(([x, y], index) => node(`n${index}`, x, y)),
            [],
            w,
            h,
          );
          for (const { x, y } of layout.places.values()) {
            expect(x - layout.radius).toBeGreaterThanOrEqual(0);
            expect(y - layout.radius).toBeGreaterThanOrEqual(0);
            expect(x + layout.radius).toBeLessThanOrEqual(w);
            expect(y + layout.radius).toBeLessThanOrEqual(h);
          }
        },
      ),
    );
  });

  it("draws links of the same two nodes next to each other, whichever end is first", () => {
    const layout = new Layout(
      [node("a", 0, 0.5), node("b", 1, 0.5)],
      [link(0, "a", "b"), link(1, "b", "a"), link(2, "a", "b")],
      600,
      300,
    );
    const heights = [0, 1, 2].map((id) => layout.segments.get(id)!.from.y);
    expect(heights[1]! - heights[0]!).toBe(22);
    expect(heights[2]! - heights[1]!).toBe(22);
  });

  it("selects the packet under a click, on its own lane, and no packet if all are far away", () => {
    const layout = new Layout([node("a", 0, 0.5), node("b", 1, 0.5)], [link(0, "a", "b")], 600, 300);
    const segment = layout.segments.get(0)!;
    const packets = ([0, 1] as const).map((lane) => ({
      ...{ id: lane, link: 0, lane, at: 0.25, flow: 0, label: "" },
    }));
    expect(packetAt(layout, packets, layout.onLane(segment, 0, 0.25))!.id).toBe(0);
    expect(packetAt(layout, packets, layout.onLane(segment, 1, 0.25))!.id).toBe(1);
    expect(packetAt(layout, packets, { x: 300, y: 20 })).toBeUndefined();
  });
});

describe("arrow keys", () => {
  const places = new Map([
    ["middle", { x: 50, y: 50 }],
    ["right", { x: 90, y: 55 }],
    ["far right", { x: 140, y: 50 }],
    ["below", { x: 48, y: 100 }],
  ]);

  it("move to the nearest element in their direction", () => {
    expect(neighbour(places, "middle", "ArrowRight")).toBe("right");
    expect(neighbour(places, "right", "ArrowRight")).toBe("far right");
    expect(neighbour(places, "middle", "ArrowDown")).toBe("below");
    expect(neighbour(places, "right", "ArrowLeft")).toBe("middle");
  });

  it("do nothing if no element is in their direction; other keys never move", () => {
    expect(neighbour(places, "middle", "ArrowUp")).toBeUndefined();
    expect(neighbour(places, "middle", "Enter")).toBeUndefined();
    expect(neighbour(places, "unknown", "ArrowUp")).toBeUndefined();
  });
});
