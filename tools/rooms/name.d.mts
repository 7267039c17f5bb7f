export function roomNamed(root: string, name: string | undefined): string | undefined;
