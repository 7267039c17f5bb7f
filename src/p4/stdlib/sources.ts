export const sources: Record<string, string> = {};
