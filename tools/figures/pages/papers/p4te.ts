import { block, page, type RunDocument, script } from "../../block.js";
import { table } from "../../text.js";

interface Fit {
  readonly role: string;
  readonly variant: string;
  readonly target: string;
  readonly verdict: string;
  readonly stages: number;
  readonly of: number;
  /** Containers of 8, 16 and 32 bits, with a container for each field. */
  readonly words: readonly number[];
}

const ROLES = { tor: "leaf", leaf: "top switch" };

export default page("docs/papers/p4te.md", {
  fit: block({
    runs: { programs: script("tools/figures/measure/p4te-fit.ts") },
    pick: {
      programs: (document: RunDocument): Fit[] =>
        // biome-ignore lint/suspicious/noExplicitAny: the report of fit.
        document.map(({ role, variant, target, verdict, stages, of, phv: { naive } }: any) => ({
          ...{ role, variant, target, verdict, stages, of },
          words: [naive.containers_8b, naive.containers_16b, naive.containers_32b],
        })),
    },
    inputs: ["data/targets/rmt.yaml", "data/targets/tofino.yaml"],
    render: ({ programs }) =>
      table(
        ["program", "variant", "RMT", "Tofino", "PHV words of 8/16/32 bits"],
        Object.entries(ROLES).flatMap(([role, title]) =>
          [...new Set(programs.map(({ variant }) => variant))].map((variant) => {
            const on = (target: string) =>
              programs.find((one) => one.role === role && one.variant === variant && one.target === target)!;
            const cell = ({ verdict, stages, of }: Fit) => `${verdict}, ${stages} of ${of} stages`;
            return [title, variant, cell(on("rmt")), cell(on("tofino")), on("rmt").words.join("/")];
          }),
        ),
      ),
  }),
});
