/** Values as text, with numbers as the language of the page writes them. */
import { numberText } from "../language/texts.js";

/** Nanoseconds with a unit that leaves one to three digits before the point. */
export function timeText(ns: number): string {
  const size = Math.abs(ns);
  if (size < 1e3) return `${Math.round(ns)} ns`;
  if (size < 1e6) return `${digits(ns / 1e3)} µs`;
  if (size < 1e9) return `${digits(ns / 1e6)} ms`;
  return `${digits(ns / 1e9)} s`;
}

const CLOCK = { minimumFractionDigits: 6, maximumFractionDigits: 6, useGrouping: false } as const;

/** The lab's clock in seconds with a fixed number of digits, so that its width does not change. */
export function clockText(ns: number): string {
  return `${numberText(ns / 1e9, CLOCK)} s`;
}

export function rateText(bitsPerSecond: number): string {
  const [value, unit] = scaled(bitsPerSecond);
  return `${digits(value)} ${unit}bit/s`;
}

export function countText(count: number): string {
  return numberText(count);
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

const digits = (value: number): string => numberText(value, { maximumSignificantDigits: 4 });

export const percentText = (share: number): string => `${Math.round(share * 100)} %`;
