/** What a test of the bundles reads. */
export const OMITTED_OF_ZOD: Record<string, string[]>;
