/**
 * Text that is safe on a terminal. Names and messages of programs and of other machines may contain any character, but
 * must not control the terminal: control characters (C0, DEL, C1) become escapes such as `\x1b`; tabs stay.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this expression looks for them
  return text.replace(/[\x00-\x08\x0a-\x1f\x7f-\x9f]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}
