/** Text of generated JavaScript: lines with indentation, and names for temporaries. */
export class Emitter {
  readonly #lines: string[] = [];
  #depth = 0;
  #names = 0;

  line(text: string): void {
    this.#lines.push("  ".repeat(this.#depth) + text);
  }

  /** Opens a block: `text {`. */
  open(text: string): void {
    this.line(`${text} {`);
    this.#depth++;
  }

  /** Closes the innermost block; `text` follows the brace. */
  close(text = ""): void {
    this.#depth--;
    this.line(`}${text}`);
  }

  /** `} else {` */
  otherwise(): void {
    this.#depth--;
    this.line("} else {");
    this.#depth++;
  }

  fresh(prefix = "t"): string {
    return `${prefix}${this.#names++}`;
  }

  /** Binds an expression to a constant of its own unless it is one already. */
  hold(expression: string): string {
    if (/^(-?\d+|[A-Za-z_]\w*)$/.test(expression)) return expression;
    const name = this.fresh();
    this.line(`const ${name} = ${expression};`);
    return name;
  }

  toString(): string {
    return this.#lines.join("\n");
  }
}
