/** Mutates a JSON document: replaces values, removes, duplicates and exchanges parts, sets numbers to their limits. */
import type { Random } from "../../../src/base/index.js";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

interface Place {
  parent: Json[] | { [key: string]: Json };
  key: string | number;
}

const ODD: readonly Json[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  0.5,
  2,
  7,
  63,
  64,
  65,
  2 ** 31,
  2 ** 32,
  1e300,
  "",
  "0x",
  "0xff",
  "-0x01",
  "0x" + "f".repeat(80),
  "toString",
  "__proto__",
  "scalars",
  "standard_metadata",
  "$valid$",
  "*",
  [],
  {},
  [[]],
  ["scalars", "nothing"],
  { type: "field", value: ["standard_metadata", "egress_spec"] },
  { type: "hexstr", value: "0x01" },
  { type: "expression", value: { op: "+", left: null, right: { type: "hexstr", value: "0x01" } } },
  { type: "header", value: "nothing" },
  { type: "lookahead", value: [0, 70000] },
];

function placesOf(json: Json): Place[] {
  const places: Place[] = [];
  const walk = (value: Json) => {
    if (value === null || typeof value !== "object") return;
    for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      places.push({ parent: value as Place["parent"], key });
      walk((value as Record<string | number, Json>)[key]!);
    }
  };
  walk(json);
  return places;
}

const at = ({ parent, key }: Place): Json => (parent as Record<string | number, Json>)[key]!;
const put = ({ parent, key }: Place, value: Json): void => {
  (parent as Record<string | number, Json>)[key] = value;
};

/** A changed copy of the document, as text. */
export function mutateJson(text: string, random: Random): string {
  const json = JSON.parse(text) as Json;
  for (let changes = random.int(2) === 0 ? 1 : 2 + random.int(3); changes > 0; changes--) {
    const places = placesOf(json);
    if (places.length === 0) break;
    const place = random.pick(places);
    const value = at(place);
    const other = random.pick(places);
    switch (random.int(10)) {
      case 0:
        put(place, structuredClone(random.pick(ODD)));
        break;
      case 1:
        if (Array.isArray(place.parent)) place.parent.splice(Number(place.key), 1);
        else delete place.parent[place.key];
        break;
      case 2:
        if (Array.isArray(place.parent)) place.parent.splice(Number(place.key), 0, structuredClone(value));
        break;
      case 3:
        // Copied, so that the document stays a tree.
        put(place, structuredClone(at(other)));
        break;
      case 4:
        if (typeof value === "number") put(place, value + random.pick([-1, 1, 8, 1000, 2 ** 27]));
        else if (typeof value === "string") put(place, value.slice(0, random.int(value.length + 1)));
        else if (Array.isArray(value)) random.shuffle(value);
        break;
      case 5:
        if (typeof value === "string") {
          const strings = places.map(at).filter((candidate) => typeof candidate === "string");
          put(place, random.pick(strings));
        } else if (typeof value === "number") {
          const numbers = places.map(at).filter((candidate) => typeof candidate === "number");
          put(place, random.pick(numbers));
        }
        break;
      case 6:
      case 7:
      case 8: {
        // A value with the same key from another place.
        const same = places.filter(({ key }) => key === place.key);
        put(place, structuredClone(at(random.pick(same))));
        break;
      }
      default:
        if (typeof value === "string" && value.startsWith("0x"))
          put(place, `0x${random.uint32().toString(16)}`);
        else put(place, structuredClone(random.pick(ODD)));
    }
  }
  return JSON.stringify(json);
}
