/** Number of cases that a worker runs before it answers. */
export const BATCH = 20;

/** Value of `--NAME=VALUE` on the command line. */
export function option(name: string, otherwise: number): number {
  const found = process.argv.find((word) => word.startsWith(`--${name}=`));
  return found === undefined ? otherwise : Number(found.slice(name.length + 3));
}
