/**
 * Which names are types where. The grammar needs it (section 6.4.1, TYPE_IDENTIFIER): `(a)-b` is a cast if `a` is a
 * type, `f<a>(b)` a call if `f` is generic.
 */

export interface SymbolInfo {
  isType: boolean;
  /** Takes type arguments. */
  isGeneric: boolean;
}

/** A scoped table: {@link Symbols.leave} forgets what was declared since the matching {@link Symbols.enter}. */
export class Symbols {
  readonly #visible = new Map<string, SymbolInfo>();
  readonly #global = new Map<string, SymbolInfo>();
  /** What a declaration hid, in order. */
  readonly #hidden: { name: string; before: SymbolInfo | undefined }[] = [];
  readonly #scopes: number[] = [];

  /** Returns a mark for {@link Symbols.leave}. */
  enter(): number {
    this.#scopes.push(this.#hidden.length);
    return this.#scopes.length - 1;
  }

  /** The mark of the scope that would be entered next: leaving it leaves all scopes entered from here on. */
  get depth(): number {
    return this.#scopes.length;
  }

  leave(scope: number): void {
    if (scope >= this.#scopes.length) return;
    const size = this.#scopes[scope]!;
    this.#scopes.length = scope;
    while (this.#hidden.length > size) {
      const { name, before } = this.#hidden.pop()!;
      if (before === undefined) this.#visible.delete(name);
      else this.#visible.set(name, before);
    }
  }

  declare(name: string, isType: boolean, isGeneric = false): void {
    const info = { isType, isGeneric };
    if (this.#scopes.length === 0) this.#global.set(name, info);
    else this.#hidden.push({ name, before: this.#visible.get(name) });
    this.#visible.set(name, info);
  }

  lookup(name: string, absolute = false): SymbolInfo | undefined {
    return (absolute ? this.#global : this.#visible).get(name);
  }
}
