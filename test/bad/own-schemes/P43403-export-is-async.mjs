export default async () => ({ name: "late", plan: () => ({}) });
