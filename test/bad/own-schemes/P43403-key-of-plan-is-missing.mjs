export default (kit) => ({
  name: "half",
  plan(topology) {
    const { programs, switches } = kit.schemes.ecmp.plan(topology, { hash_seed: 1, seed_scope: "tier", hash: {} });
    return { programs };
  },
});
