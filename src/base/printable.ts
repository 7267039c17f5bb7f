/**
 * Text that is safe on a terminal: names and messages of programs and of other machines may hold anything, and nothing
 * of it steers the terminal. Control characters (C0, DEL, C1) become `\x1b` and the like; tabs stay.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are meant
  return text.replace(/[\x00-\x08\x0a-\x1f\x7f-\x9f]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}
