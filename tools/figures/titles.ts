/** The names of the compared schemes on pages, by their names in results, in the order of tables. */
export const RIVALS: Readonly<Record<string, string>> = {
  ecmp: "ECMP",
  wcmp: "WCMP",
  letflow: "LetFlow",
  hula: "HULA",
  conga: "CONGA",
  drill: "DRILL",
  presto: "Presto",
  plb: "PLB",
  spray: "spraying",
  reps: "REPS",
};
