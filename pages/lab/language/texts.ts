/**
 * The words of the page. They come from one file a language (`data/languages`): English is a part of the page, the others
 * are read when they are chosen. A text that a language does not have is shown in English.
 */
import type { ComponentChildren } from "preact";
import english from "../../../data/languages/en.json" with { type: "json" };
import { Store } from "../state/store.js";

export type TextKey = keyof typeof english.texts;

/** A text, or its forms by the plural rules of the language (Unicode CLDR) for the value `count`. */
type Text = string | Readonly<Record<string, string>>;

export interface Language {
  /** A language tag of BCP 47, such as `de`. */
  readonly code: string;
  readonly texts: Readonly<Record<string, Text>>;
}

export const ENGLISH: Language = { code: "en", texts: english.texts };

/** The language that the page shows. The page is drawn again when it changes. */
export const language = new Store<Language>(ENGLISH);

type Values = Readonly<Record<string, string | number>>;

/** The text with its values in the places `{name}`. */
export function t(key: TextKey, values: Values = {}): string {
  return pattern(key, values["count"]).replace(PLACE, (place, name: string) => {
    const value = values[name];
    return value === undefined ? place : typeof value === "number" ? numberText(value) : value;
  });
}

/** The same as parts of the page, where a value is an element. */
export function rich(key: TextKey, values: Readonly<Record<string, ComponentChildren>>): ComponentChildren[] {
  // with one group in the expression, every second part is the name of a place
  return pattern(key, undefined)
    .split(PLACE)
    .map((part, index) => (index % 2 === 0 ? part : (values[part] ?? `{${part}}`)));
}

const PLACE = /\{(\w+)\}/g;

function pattern(key: TextKey, count: string | number | undefined): string {
  const { code, texts } = language.value;
  const own = Object.hasOwn(texts, key) ? texts[key] : undefined;
  return own === undefined ? formOf(ENGLISH.texts[key], "en", count) : formOf(own, code, count);
}

function formOf(text: Text | undefined, code: string, count: string | number | undefined): string {
  if (text === undefined || typeof text === "string") return text ?? "";
  const rule = typeof count === "number" ? plurals(code).select(count) : "other";
  return text[rule] ?? text["other"] ?? "";
}

const rules = new Map<string, Intl.PluralRules>();

function plurals(code: string): Intl.PluralRules {
  const known = rules.get(code) ?? new Intl.PluralRules(code);
  rules.set(code, known);
  return known;
}

const formats = new Map<string, Intl.NumberFormat>();

/** A number as the language writes it. */
export function numberText(value: number, options: Intl.NumberFormatOptions = {}): string {
  const { code } = language.value;
  const key = `${code} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? new Intl.NumberFormat(code === "en" ? "en-US" : code, options);
  formats.set(key, format);
  return format.format(value);
}
