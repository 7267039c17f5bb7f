/** Finding elements by the tab key, as users without a mouse do. */
import type { Page } from "playwright-core";

/** Presses the tab key (or Shift+Tab) until the element with this accessible name has the focus. */
export async function tabTo(page: Page, name: RegExp, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  const met: string[] = [];
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press(key);
    const label = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement | null;
      return element?.getAttribute("aria-label") ?? element?.textContent ?? "";
    });
    met.push(label.slice(0, 40));
    if (name.test(label)) return;
  }
  throw new Error(`the tab key does not reach ${name}; it reaches ${met.join(" | ")}`);
}
