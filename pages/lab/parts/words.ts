/** Values as text. */

/** Nanoseconds with a unit that leaves one to three digits before the point. */
export function timeText(ns: number): string {
  const size = Math.abs(ns);
  if (size < 1e3) return `${Math.round(ns)} ns`;
  if (size < 1e6) return `${digits(ns / 1e3)} µs`;
  if (size < 1e9) return `${digits(ns / 1e6)} ms`;
  return `${digits(ns / 1e9)} s`;
}

/** The lab's clock in seconds with a fixed number of digits, so that its width does not change. */
export function clockText(ns: number): string {
  return `${(ns / 1e9).toFixed(6)} s`;
}

export function rateText(bitsPerSecond: number): string {
  const [value, unit] = scaled(bitsPerSecond);
  return `${digits(value)} ${unit}bit/s`;
}

export function countText(count: number): string {
  return count.toLocaleString("en-US");
}

export function bytesText(bytes: number): string {
  if (bytes < 1e3) return `${bytes} B`;
  const [value, unit] = scaled(bytes);
  return `${digits(value)} ${unit}B`;
}

function scaled(value: number): [number, string] {
  if (value >= 1e9) return [value / 1e9, "G"];
  if (value >= 1e6) return [value / 1e6, "M"];
  if (value >= 1e3) return [value / 1e3, "k"];
  return [value, ""];
}

const digits = (value: number): string => value.toLocaleString("en-US", { maximumSignificantDigits: 4 });

export const percentText = (share: number): string => `${Math.round(share * 100)} %`;

export const plural = (count: number, word: string): string =>
  `${countText(count)} ${word}${count === 1 ? "" : "s"}`;
