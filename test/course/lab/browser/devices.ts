/** What holds of the page on every device. */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** The tabs of the part "Work" of an exercise, in their order. */
export const TABS = ["Exercise", "Program", "Packet", "Tables", "Hosts", "Send", "Plots"];

export const workTab = (page: Page, name: string): Locator =>
  page.getByRole("tablist", { name: "Work" }).getByRole("tab", { name: new RegExp(`^${name}`) });

/** Requires that the network is drawn, that its nodes are on the drawing, and that nothing leads out of the page. */
export async function expectFits(page: Page, width: number): Promise<void> {
  const canvas = page.locator(".network canvas");
  await expect.poll(async () => (await canvas.boundingBox())!.height).toBeGreaterThan(120);
  const found = await page.evaluate(() => {
    const box = (element: Element) => element.getBoundingClientRect();
    const drawing = box(document.querySelector(".network canvas")!);
    const outside = (one: DOMRect) =>
      one.left < drawing.left - 1 ||
      one.right > drawing.right + 1 ||
      one.top < drawing.top - 1 ||
      one.bottom > drawing.bottom + 1;
    return {
      drawing: { left: drawing.left, right: drawing.right, width: drawing.width },
      width: document.documentElement.scrollWidth,
      nodes: [...document.querySelectorAll(".network .node")]
        .filter((node) => outside(box(node)))
        .map((node) => node.getAttribute("aria-label")),
      wide: [...document.querySelectorAll("body *")]
        .filter((one) => box(one).right > innerWidth + 1)
        .filter((one) => !one.closest(".panel, [role=tablist], .network, pre"))
        .map((one) => `${one.tagName} ${one.className}`),
    };
  });
  expect(found.drawing.width).toBeGreaterThan(250);
  expect(found.drawing.left).toBeGreaterThanOrEqual(0);
  expect(found.drawing.right).toBeLessThanOrEqual(width);
  expect(found.nodes).toEqual([]);
  expect(found.width, found.wide.join(", ")).toBeLessThanOrEqual(width);
}
