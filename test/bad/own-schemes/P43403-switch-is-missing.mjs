export default (kit) => ({
  name: "forgets",
  plan(topology) {
    const { programs, switches } = kit.schemes.ecmp.plan(topology, { hash_seed: 1, seed_scope: "tier", hash: {} });
    return { programs, switches: switches.slice(1) };
  },
});
