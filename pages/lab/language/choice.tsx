/**
 * The choice of the language: `?lang=` of the address, then what the user chose before, then the languages of the browser, then English.
 */

import { keep, kept } from "../parts/kept.js";
import { useStore } from "../state/store.js";
import { firstOffered } from "./first-offered.js";
import { ENGLISH, type Language, language, t } from "./texts.js";

/** A language of `languages.json`; `file` is the file with its texts, which English does not need. */
interface Offered {
  readonly code: string;
  readonly name: string;
  readonly file: string;
}

export type Languages = readonly Offered[];

const KEY = "p4loom-lab-language";
const PARAMETER = "lang";

/** The list of languages in the folder of this page, or on its server; empty if there is none. */
export async function readLanguages(): Promise<Languages> {
  const list = await read<{ languages: readonly Offered[] }>("languages.json");
  return list?.languages ?? [];
}

async function read<T>(file: string): Promise<T | undefined> {
  try {
    const answer = await fetch(file);
    return answer.ok ? ((await answer.json()) as T) : undefined;
  } catch {
    return undefined;
  }
}

/** Shows the page in the language that its user wants. */
export async function startLanguage(offered: Languages): Promise<void> {
  const asked = new URLSearchParams(location.search).get(PARAMETER);
  const wanted = firstOffered(offered, [asked, kept(KEY), ...navigator.languages]);
  if (wanted !== undefined) await show(wanted);
}

async function show({ code, file }: Offered): Promise<void> {
  const texts = code === ENGLISH.code ? ENGLISH : await read<Language>(file);
  // The file cannot be reached: the page keeps its language.
  if (texts === undefined) return;
  document.documentElement.lang = code;
  language.set({ code, texts: texts.texts });
}

export function LanguageChoice({ offered }: { offered: Languages }) {
  const code = useStore(language, (value) => value.code);
  if (offered.length < 2) return null;
  const choose = (next: string) => {
    const found = offered.find((one) => one.code === next);
    if (found === undefined) return;
    keep(KEY, next);
    forgetParameter();
    void show(found);
  };
  return (
    <select
      aria-label={t("page.language")}
      title={t("page.language")}
      value={code}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      {offered.map((one) => (
        <option key={one.code} value={one.code} lang={one.code}>
          {one.name}
        </option>
      ))}
    </select>
  );
}

/** The address must not bring back a language after another one was chosen. */
function forgetParameter(): void {
  const address = new URL(location.href);
  if (!address.searchParams.has(PARAMETER)) return;
  address.searchParams.delete(PARAMETER);
  history.replaceState(history.state, "", address);
}
