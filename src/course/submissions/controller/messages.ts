/** Messages between a test and the process of a controller: lines of JSON, with numbers of any size and bytes. */

export type ToController =
  | { readonly kind: "start"; readonly module: string; readonly switches: readonly string[] }
  | { readonly kind: "event"; readonly switch: string; readonly event: unknown }
  | { readonly kind: "answer"; readonly id: number; readonly value?: unknown; readonly error?: string };

export type FromController =
  | {
      readonly kind: "request";
      readonly id: number;
      readonly switch: string;
      readonly method: "run" | "read" | "write" | "packetOut";
      readonly argument: unknown;
    }
  /** All of the first `handled` messages have been handled, and the controller waits. */
  | { readonly kind: "idle"; readonly handled: number }
  | { readonly kind: "log"; readonly text: string }
  | { readonly kind: "failed"; readonly message: string };

/** Encodes as JSON in which `{"$number":"..."}` is a bigint and `{"$bytes":"..."}` bytes. */
export function encode(message: unknown): string {
  return JSON.stringify(message, (_key, value: unknown) => {
    if (typeof value === "bigint") return { $number: value.toString() };
    return value instanceof Uint8Array ? { $bytes: Buffer.from(value).toString("hex") } : value;
  });
}

export function decode(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== "object" || value === null) return value;
    const { $number, $bytes } = value as { $number?: unknown; $bytes?: unknown };
    if (typeof $number === "string") return BigInt($number);
    return typeof $bytes === "string" ? new Uint8Array(Buffer.from($bytes, "hex")) : value;
  });
}

/** Assembles lines from pieces of text. */
export function lineReader(take: (line: string) => void): (text: string) => void {
  let rest = "";
  return (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) if (line !== "") take(line);
  };
}
