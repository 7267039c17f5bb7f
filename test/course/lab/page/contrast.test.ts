/** The colours of the page, light and dark: texts have enough contrast to their background (WCAG 2.1, 1.4.3: 4.5 to 1). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const CSS = readFileSync(join(import.meta.dirname, "../../../../pages/lab/style/theme.css"), "utf8");

/** The colours of the rule with this selector, by name. */
function coloursOf(selector: string): Map<string, string> {
  const start = CSS.indexOf(`${selector} {`);
  const rule = CSS.slice(start, CSS.indexOf("}", start));
  return new Map(
    [...rule.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map(([, name, value]) => [name!, value!]),
  );
}

type Rgb = readonly number[];
const rgbOf = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
/** A colour mixed over another, with its share. */
const over = (top: Rgb, share: number, below: Rgb): Rgb =>
  top.map((one, i) => share * one + (1 - share) * below[i]!);

/** Relative luminance (WCAG 2.1). */
function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((one) =>
    one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrast(one: Rgb, other: Rgb): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

it("computes the contrast that the standard gives as examples", () => {
  expect(contrast(rgbOf("#000000"), rgbOf("#ffffff"))).toBeCloseTo(21, 5);
  expect(contrast(rgbOf("#767676"), rgbOf("#ffffff"))).toBeCloseTo(4.54, 2);
});

describe.each([
  ["light", ":root"],
  ["dark", ':root[data-theme="dark"]'],
])("the %s page", (_, selector) => {
  const colours = coloursOf(selector);
  const of = (name: string): Rgb => rgbOf(colours.get(name)!);
  const code = [...colours.keys()].filter((name) => name.startsWith("t-"));
  const packets = [...colours.keys()].filter((name) => /^p\d$/.test(name));
  const texts = ["ink", "quiet", "bad", "warn", "good", "accent", ...packets, ...code];

  it("has enough contrast for texts on cards, the page and sunken parts", () => {
    expect(code.length).toBeGreaterThan(5);
    expect(packets).toHaveLength(8);
    for (const text of texts)
      for (const below of ["card", "page", "sunk"])
        expect(contrast(of(text), of(below)), `${text} on ${below}`).toBeGreaterThanOrEqual(4.5);
  });

  it("has enough contrast for code on the line of the cursor", () => {
    const line = over(of("accent"), 0.07, of("card"));
    for (const text of ["ink", ...code])
      expect(contrast(of(text), line), `${text} on the line of the cursor`).toBeGreaterThanOrEqual(4.5);
  });

  it("has enough contrast for texts on buttons, messages and highlighted lines", () => {
    const pairs = [
      ["on-accent", "accent"],
      ["on-bad", "bad"],
      ["ink", "soft"],
      ["bad", "soft-bad"],
      ["good", "soft-good"],
      ["ink", "lit"],
      ["ink", "lit-now"],
    ];
    for (const [text, below] of pairs)
      expect(contrast(of(text!), of(below!)), `${text} on ${below}`).toBeGreaterThanOrEqual(4.5);
  });
});
